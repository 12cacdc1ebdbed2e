"""What compiled code depends on: the rules of some classes, and every value that they reach."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["reach", "rule_of", "rules_of"]

# Their versions are part of a key already, and so are the sources of this package.
_KNOWN = frozenset(sys.stdlib_module_names) | {"driftwise", "llvmlite", "numba", "numpy"}


def reach(classes: Iterable[type[Any]]) -> str | None:
    """Return a digest of the code of these classes, and of all globals that it leads to.

    The compiler takes globals by their value, so it is their values that count: an edit anywhere,
    an upgrade, another environment variable. None if some value cannot be digested.
    """
    parts: list[str] = []
    seen: set[int] = set()
    try:
        for cls in classes:
            parts.extend(_parts(cls, frozenset(), seen))
    except _UnknownError:
        return None
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def rules_of(cls: type[Any]) -> dict[str, FunctionType]:
    """Return the methods of a class that compiled code may call: public ones, inherited or not."""
    members = inspect.getmembers(cls, inspect.isfunction)
    return {name: method for name, method in members if not name.startswith("_")}


def rule_of(cls: type[Any], name: str) -> FunctionType | None:
    """Return the method of that name, if there is one that compiled code may call."""
    method = None if name.startswith("_") else getattr(cls, name, None)
    return method if isinstance(method, FunctionType) else None


class _UnknownError(Exception):
    """A value that has no digest."""


def _parts(value: Any, names: frozenset[str], seen: set[int]) -> Iterator[str]:
    """Yield what a value consists of; ``names`` are the attributes that are used of it."""
    value = getattr(value, "py_func", value)  # what a compiled function was made from
    if isinstance(value, bool | int | float | complex | str | bytes | None):
        yield repr(value)
    elif isinstance(value, np.ndarray | np.generic):
        yield f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif id(value) in seen:
        return
    elif isinstance(value, tuple | list | frozenset):
        for item in value:
            yield from _parts(item, frozenset(), seen)
    elif isinstance(value, ModuleType):
        yield value.__name__
        if _root(value.__name__) not in _KNOWN:
            for name in sorted(names & vars(value).keys()):
                yield from _parts(vars(value)[name], names, seen)
    elif _root(getattr(value, "__module__", None)) in _KNOWN:
        yield f"{value.__module__}.{getattr(value, '__qualname__', repr(value))}"
    elif isinstance(value, type):
        seen.add(id(value))
        yield f"{value.__module__}.{value.__qualname__}"
        for name, rule in rules_of(value).items():
            yield name
            yield from _parts(rule, frozenset(), seen)
    elif isinstance(value, FunctionType):
        seen.add(id(value))
        yield from _function(value, seen)
    elif isinstance(value, BuiltinFunctionType):
        yield value.__qualname__
    else:
        raise _UnknownError


def _function(function: FunctionType, seen: set[int]) -> Iterator[str]:
    names: set[str] = set()
    yield from _code(function.__code__, names)
    for cell in function.__closure__ or ():
        yield from _parts(cell.cell_contents, frozenset(names), seen)
    yield from _parts(function.__defaults__, frozenset(), seen)
    for name in sorted(names & function.__globals__.keys()):
        yield name
        yield from _parts(function.__globals__[name], frozenset(names), seen)


def _code(code: CodeType, names: set[str]) -> Iterator[str]:
    names.update(code.co_names)
    yield f"{code.co_code!r} {code.co_names} {code.co_varnames}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant, names)
        else:
            yield repr(constant)


def _root(module: Any) -> str:
    return str(module).partition(".")[0]
