"""The files of a person's own that a policy or a world is made of."""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["digest_of", "own_modules"]

_INSTALLED = tuple(
    str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")
)


def own_modules(values: Iterable[Any]) -> list[ModuleType]:
    """Return the modules that define the classes of ``values``, and what these import.

    Those of a person's own: neither of this package, nor installed, nor part of Python. Policies
    inside policies count as well.
    """
    found: dict[str, ModuleType] = {}
    waiting = [module for value in values for module in _modules_behind(value)]
    while waiting:
        module = waiting.pop()
        if module.__name__ not in found and _is_own(module):
            found[module.__name__] = module
            waiting += [each for value in vars(module).values() for each in _module_of(value)]
    return [found[name] for name in sorted(found)]


def digest_of(values: Iterable[Any]) -> str:
    """Return a digest of the files of `own_modules`."""
    digest = hashlib.sha256()
    for module in own_modules(values):
        digest.update(_content(str(module.__file__)))
    return digest.hexdigest()


@lru_cache
def _content(path: str) -> bytes:
    # Read once: what is edited while a run goes on must not invalidate its own cells.
    return Path(path).read_bytes()


def _modules_behind(value: Any) -> Iterator[ModuleType]:
    for cls in type(value).__mro__:
        yield from _module_of(cls)
    if isinstance(value, tuple):
        for part in value:
            yield from _modules_behind(part)


def _module_of(value: Any) -> Iterator[ModuleType]:
    if isinstance(value, ModuleType):
        yield value
    else:
        name = getattr(value, "__module__", None)
        if isinstance(name, str) and name in sys.modules:
            yield sys.modules[name]


def _is_own(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None or module.__name__.split(".")[0] == "driftwise":
        return False
    return not str(Path(file).resolve()).startswith(_INSTALLED) and Path(file).is_file()
