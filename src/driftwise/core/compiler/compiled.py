"""One source for the interpreter and the compiler.

Policies and memories are named tuples with methods. Python calls those methods as usual, and
compiled code calls the very same source: the compiler finds a method by its name and by the
class of the tuple, at compile time. Of the ways to hand a policy to a compiled loop this is
the one whose machine code can be kept on disk.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from numba import config, njit, typeof, types
from numba.extending import overload_method, register_jitable

from ..base.settings import check_instances
from .machine_code import MachineCode
from .reach import rules_of

__all__ = ["called", "compilable", "compiled", "inlined", "version_for"]

Class = TypeVar("Class", bound=type[Any])
Function = TypeVar("Function", bound=Callable[..., Any])

# Under Python's error model every division hides a branch that raises, and array reference
# counts stay alive in the inner loop because of it. Never `fastmath`: it reorders sums, and the
# interpreter could no longer give the same bits.
_INLINED = {"error_model": "numpy", "forceinline": True}

_parameters: dict[str, list[str]] = {}  # of each method, by its name
_owners: dict[str, str] = {}  # of each field, by its name


def compilable(cls: Class) -> Class:
    """Make the public methods of a named tuple, inherited ones too, callable from compiled code.

    If the class has a method ``_check``, its fields are settings: see `check_instances`.
    """
    if not cls._fields:
        raise TypeError(
            f"{cls.__qualname__} must have at least one field, since the compiler knows no named "
            f"tuple without, got none; one that does nothing will do, such as `unused: int = 0`"
        )
    methods = {name: inspect.signature(method) for name, method in rules_of(cls).items()}
    _refuse_clashes(cls, methods)  # first, so that a refused class leaves no trace
    for name, signature in methods.items():
        _register(name, signature)
    for name in cls._fields:
        _owners.setdefault(name, cls.__qualname__)
    if hasattr(cls, "_check") and not hasattr(cls, "_is_checked"):
        check_instances(cls)
    return cls


def inlined(function: Function) -> Function:
    """Make a plain function callable from compiled code."""
    return register_jitable(**_INLINED)(function)  # type: ignore[no-any-return]  # numba has no types


def called(function: Function) -> Function:
    """Make a plain function callable from compiled code, where it stays a function of its own.

    For what is rarely needed, or long: inlined, it would take registers from its callers, and be
    compiled again with each of them.
    """
    options = {**_INLINED, "forceinline": False}
    return register_jitable(**options)(function)  # type: ignore[no-any-return]  # numba has no types


def compiled(function: Function) -> Function:
    """Compile on first use, without the GIL; keep the machine code, which serves until an edit."""
    if config.DISABLE_JIT:
        return function
    dispatcher = njit(function, nogil=True, error_model="numpy")
    dispatcher._cache = MachineCode(function, _classes_in)
    return dispatcher  # type: ignore[no-any-return]  # numba has no types


def version_for(function: Any, arguments: Iterable[Any]) -> Any:
    """Return what a compiled function runs for arguments of these types, and of these types only.

    Called by itself it checks no types: a caller must know them. A function that is not compiled
    runs itself.
    """
    if not hasattr(function, "overloads"):
        return function
    return function.compile(tuple(typeof(argument) for argument in arguments))


def _refuse_clashes(cls: type[Any], methods: dict[str, inspect.Signature]) -> None:
    # The compiler looks for methods by name on every named tuple, before it looks for fields.
    owners = _owners | dict.fromkeys(cls._fields, cls.__qualname__)
    for name in owners.keys() & (methods.keys() | _parameters.keys()):
        raise TypeError(f"{name!r} is a field of {owners[name]}, so it must not name a method too")
    for name, signature in methods.items():
        wanted = _parameters.get(name, list(signature.parameters))
        if list(signature.parameters) != wanted:
            raise TypeError(
                f"{cls.__qualname__}.{name} must take {wanted} like every {name!r}, "
                f"got {list(signature.parameters)}"
            )


def _register(name: str, signature: inspect.Signature) -> None:
    if name in _parameters:
        return
    _parameters[name] = list(signature.parameters)
    for kind in (types.NamedTuple, types.NamedUniTuple):
        declare = overload_method(kind, name, strict=False, jit_options=_INLINED)
        declare(_finder(name, signature))


def _finder(name: str, signature: inspect.Signature) -> Callable[..., Any]:
    def find(self: Any, *_: Any) -> Any:
        return rules_of(self.instance_class).get(name)

    find.__signature__ = signature  # type: ignore[attr-defined]  # functions may have one
    return find


def _classes_in(numba_types: Iterable[Any]) -> Iterator[type[Any]]:
    """Yield the named tuples of a signature, known to the compiler.

    A class that travelled to a worker process by value has never been decorated there.
    """
    for numba_type in numba_types:
        if isinstance(numba_type, types.BaseTuple):
            if isinstance(numba_type, types.BaseNamedTuple):
                yield compilable(numba_type.instance_class)
            yield from _classes_in(numba_type)
