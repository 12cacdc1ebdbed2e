"""One source for the interpreter and the compiler.

Policies and memories are named tuples with methods. Python calls those methods as usual, and
compiled code calls the very same source: the compiler finds a method in the class of the tuple, at
compile time, and a field where the class has no such method. Of the ways to hand a policy to a
compiled loop this is the one whose machine code can be kept on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from numba import config, njit, typeof, types
from numba.extending import overload, register_jitable

from ..base.settings import check_instances
from .machine_code import MachineCode
from .numba_parts import CompiledWithCallers, keep_in, methods_by_class
from .reach import rule_of
from .telling import tell

__all__ = [
    "called",
    "compilable",
    "compiled",
    "compiled_as",
    "has_namesake",
    "inlined",
    "version_for",
]

Class = TypeVar("Class", bound=type[Any])
Function = TypeVar("Function", bound=Callable[..., Any])

# Under Python's error model every division hides a branch that raises, and array reference
# counts stay alive in the inner loop because of it. Never `fastmath`: it reorders sums, and the
# interpreter could no longer give the same bits. Nobody calls a rule from C, and a wrapper for that, one
# for each rule, took a tenth of the compiler's time; machine code for each took half of it.
INLINED = {
    "error_model": "numpy",
    "forceinline": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": CompiledWithCallers,
}

_firsts: dict[str, type[Any]] = {}  # the class that came first with a name


def compilable(cls: Class) -> Class:
    """Declare that the public methods of a named tuple, inherited ones too, are for compiled code.

    If the class has a method ``_check``, its fields are settings: see `check_instances`.
    """
    if not cls._fields:
        raise TypeError(
            f"{cls.__qualname__} must have at least one field, since the compiler cannot type an "
            f"empty named tuple, got none; an unused one will do, such as `unused: int = 0`"
        )
    if hasattr(cls, "_check") and not hasattr(cls, "_is_checked"):
        check_instances(cls)
    return cls


def inlined(function: Function) -> Function:
    """Make a plain function callable from compiled code."""
    return register_jitable(**INLINED)(function)  # type: ignore[no-any-return]  # numba has no types


def compiled_as(function: Callable[..., Any]) -> Callable[[Function], Function]:
    """Let compiled code run, in place of a plain function, what the decorated one returns for its types."""
    return overload(function, jit_options=INLINED)  # type: ignore[no-any-return]  # numba has no types


def called(function: Function) -> Function:
    """Make a plain function callable from compiled code, where it stays a function of its own.

    For what is rarely needed, or long: inlined, it would take registers from its callers, and be
    compiled again with each of them.
    """
    options = {**INLINED, "forceinline": False}
    return register_jitable(**options)(function)  # type: ignore[no-any-return]  # numba has no types


def compiled(function: Function) -> Function:
    """Compile on first use, without the GIL; keep the machine code, which serves until an edit."""
    if config.DISABLE_JIT:
        return function
    dispatcher = njit(function, nogil=True, error_model="numpy")
    keep_in(dispatcher, MachineCode(function, _classes_in))
    return dispatcher  # type: ignore[no-any-return]  # numba has no types


def version_for(function: Any, arguments: Iterable[Any]) -> Any:
    """Return what a compiled function runs for arguments of these types, and of these types only.

    Called by itself it checks no types: a caller must know them. A function that is not compiled
    runs itself.
    """
    if not hasattr(function, "overloads"):
        return function
    return function.compile(tuple(typeof(argument) for argument in arguments))


def has_namesake(value: Any) -> bool:
    """Return whether a class in a tuple has the name of another one that was here before.

    A compiled function that is called takes the two for one: a policy that was edited in a notebook
    would play as it did before. What `version_for` returns does not.
    """
    if not isinstance(value, tuple):
        return False
    cls = type(value)
    is_second = _firsts.setdefault(cls.__name__, cls) is not cls
    return is_second or any(map(has_namesake, value))


def _classes_in(numba_types: Iterable[Any]) -> Iterator[type[Any]]:
    """Yield the named tuples of a signature, known to the compiler.

    A class that travelled to a worker process by value has never been decorated there.
    """
    for numba_type in numba_types:
        if isinstance(numba_type, types.BaseTuple):
            if isinstance(numba_type, types.BaseNamedTuple):
                yield compilable(numba_type.instance_class)
            yield from _classes_in(numba_type)


methods_by_class(rule_of, **INLINED)
tell()
