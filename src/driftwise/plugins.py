"""Policies and worlds from outside: installed packages announce them, or a person names a module."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .core.base.card import Card
from .worlds.parts.base import BaseWorld

__all__ = ["GROUPS", "Found", "announced", "classes_in", "load"]

GROUPS = ("driftwise.policies", "driftwise.worlds")

_IMPORTLIB = Path(importlib.__file__).parent  # where every import passes, and none goes wrong


class Found(NamedTuple):
    """Classes by their names."""

    policies: dict[str, type[Any]]
    worlds: dict[str, type[Any]]


def load(name: str) -> ModuleType:
    """Import a module by its dotted name, also from the current folder, or by the path of its file.

    Raises
    ------
    ValueError
        With one sentence, whatever goes wrong: the module may be any file.
    """
    try:
        return _from_file(Path(name)) if name.endswith(".py") else _by_name(name)
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"from must name a module that can be imported, got {name!r} ({_reason(error)})"
        ) from error


def classes_in(module: ModuleType) -> Found:
    """Return the policies and worlds that are defined in a module, or in a package, by name.

    Whatever a module only imports is not its own.
    """
    inside = f"{module.__name__}."
    classes = {
        name: cls
        for name, cls in vars(module).items()
        if inspect.isclass(cls)
        and not name.startswith("_")
        and f"{cls.__module__}.".startswith(inside)
        and not inspect.isabstract(cls)
    }
    return Found(
        {cls.__name__: cls for cls in classes.values() if is_policy(cls)},
        {cls.__name__: cls for cls in classes.values() if is_world(cls)},
    )


def announced() -> tuple[Found, list[str]]:
    """Return what installed packages announce, and a sentence for each plug-in that is broken.

    An entry point names a class, or a module all of whose policies or worlds are meant.
    """
    found, errors = Found({}, {}), list[str]()
    for group, known, is_right in zip(GROUPS, found, (is_policy, is_world), strict=True):
        for point in _in_order(entry_points(group=group)):
            try:
                for name, cls in _announced_by(point, is_right).items():
                    if known.setdefault(name, cls) is not cls:
                        raise ValueError(f"another plug-in has the name {name}, too")
            except (Exception, SystemExit) as error:
                errors.append(
                    f"the plug-in {point.name} of {group} ({point.value}) is left out"
                    f" ({_reason(error)})"
                )
    return found, errors


def is_policy(cls: type[Any]) -> bool:
    """Return whether a class has the methods that make a policy."""
    from .core.contract.policy import METHODS  # here, since it loads the compiler

    return all(callable(getattr(cls, name, None)) for name in METHODS)


def is_world(cls: type[Any]) -> bool:
    """Return whether a class builds on the base of all worlds, or has a card and the same interface."""
    if issubclass(cls, BaseWorld):
        return True
    names = [name for name in vars(BaseWorld) if not name.startswith("_") and name != "offers"]
    return isinstance(getattr(cls, "card", None), Card) and all(
        hasattr(cls, name) for name in names
    )


def _announced_by(point: EntryPoint, is_right: Any) -> dict[str, type[Any]]:
    target = point.load()
    if inspect.ismodule(target):
        classes = {cls for part in classes_in(target) for cls in part.values() if is_right(cls)}
    else:
        classes = {target} if inspect.isclass(target) and is_right(target) else set()
    if not classes:
        what = "policy" if is_right is is_policy else "world"
        raise TypeError(f"it must name a {what} or a module that has one, got {target!r}")
    return {cls.__name__: cls for cls in sorted(classes, key=lambda cls: cls.__name__)}


def _in_order(points: Iterable[EntryPoint]) -> list[EntryPoint]:
    # The order on disk is nobody's choice; an editable installation may be listed twice.
    return sorted(set(points), key=lambda point: (point.name, point.value))


def _by_name(name: str) -> ModuleType:
    # The script `driftwise` has its own folder on the path, not the one it is called from.
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    return importlib.import_module(name)


def _from_file(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise FileNotFoundError("there is no such file")
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and _is_file_of(known, path):
        return known
    # Pickle and the compiler look for a class by the name of its module, so it must have one, and
    # one that no other module has: `random.py` would be taken for Python's own.
    if known is not None or _finds_another(name, path):
        raise ImportError(f"another module is named {name}, too: rename the file")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_file_of(module: ModuleType, path: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve() == path


def _finds_another(name: str, path: Path) -> bool:
    spec = importlib.util.find_spec(name)
    # A folder of that name without any code, such as `examples`, is no module that would be missed.
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() != path


def _reason(error: BaseException) -> str:
    """Return what went wrong and, if that was in somebody's file, where."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<")
        and frame.filename != __file__
        and _IMPORTLIB not in Path(frame.filename).parents
    ]
    is_in_file = frames and not isinstance(error, SyntaxError)  # which tells the line itself
    where = f", {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if is_in_file else ""
    return " ".join(text.split()) + where
