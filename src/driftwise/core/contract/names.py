"""Names of classes in records: public and lasting, wherever the files of the classes lie."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any

from .former_names import FORMER_NAMES

__all__ = ["class_named", "former_path", "name_of"]

_OWN = "driftwise"
_NAMES: dict[type[Any], str] = {}  # the first class that has written a name may go on
_PATHS = {name: path for path, name in FORMER_NAMES.items()}


def name_of(cls: type[Any]) -> str:
    """Return what records call a class: its bare name, or ``package:Name`` if it is from outside.

    Two classes of one package may not share a name that is written down: what one of them wrote, the
    other would read.

    Examples
    --------
    >>> from driftwise.policies import SlidingWindowUCB
    >>> name_of(SlidingWindowUCB)
    'SlidingWindowUCB'
    """
    if cls not in _NAMES:
        _NAMES[cls] = _unshared_name(cls)
    return _NAMES[cls]


def former_path(cls: type[Any]) -> str:
    """Return what version 0.1.0 called a class in records: the path of its module, and its name."""
    return _PATHS.get(name_of(cls), f"{cls.__module__}:{cls.__qualname__}")


def class_named(name: str) -> Any:
    """Return the named tuple that has this name in records.

    To import a module is to run it, and data must not decide what is run: a bare name is looked up
    in this package, any other in modules that are imported already.
    """
    package, _, bare = FORMER_NAMES.get(name, name).rpartition(":")
    if not package:
        found = _own(bare)
    elif package not in sys.modules:
        raise ValueError(
            f"{name!r} must be of a package that was imported, got one that was not: import it first"
        )
    else:
        found = _only(name, _in_package(package, bare))
    # Nor may data decide which class is called.
    if not (isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")):
        raise ValueError(f"{name!r} must be a policy or a choice, got {found!r}")
    return found


def _unshared_name(cls: type[Any]) -> str:
    package = cls.__module__.partition(".")[0]
    if package == _OWN:
        return cls.__qualname__
    name = f"{package}:{cls.__qualname__}"
    # A class that was defined again in its module, as in a notebook, takes the place of the former.
    known = [each for each in _in_package(package, cls.__qualname__) if isinstance(each, type)]
    if any(each.__module__ != cls.__module__ for each in known):
        _only(name, list({*known, cls}))
    return name


@cache  # of what was found; an error is not kept
def _own(name: str) -> Any:
    policies = importlib.import_module(f"{_OWN}.policies")  # by name, as it lies above this room
    if name in policies.__all__:  # the others stay unloaded
        return getattr(policies, name)
    found = _in_package(_OWN, name)
    if not found:  # it may be the choice of a policy that was not loaded yet
        for each in policies.__all__:
            getattr(policies, each)
        found = _in_package(_OWN, name)
    return _only(name, found)


def _in_package(package: str, name: str) -> list[Any]:
    """Return what a package offers by a name, or else the classes so named in its modules."""
    # Not by `getattr`, which may make a package import a module.
    public = getattr(sys.modules.get(package), "__dict__", {}).get(name)
    if public is not None:
        return [public]
    inside = [
        getattr(module, "__dict__", {}).get(name)
        for path, module in list(sys.modules.items())
        if path.startswith(f"{package}.")
    ]
    return list({cls for cls in inside if isinstance(cls, type) and cls.__qualname__ == name})


def _only(name: str, found: list[Any]) -> Any:
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"{name!r} must be known to be read back, but no such class was imported")
    modules = sorted(cls.__module__ for cls in found)
    raise ValueError(f"{name!r} must be the name of one class, got those of {', '.join(modules)}")
