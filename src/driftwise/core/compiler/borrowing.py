"""Arrays in a compiled loop, without counting references to them.

Compiled code counts references to every array that it touches, atomically, unless it can prove
that it need not. With a branch or two in a rule the proof fails, and the counting costs five times
the arithmetic. The caller of the loop holds every array until the loop ends, so there is nothing
to count: `borrowed` strips the owner from an array, or from all arrays in a tuple. Slices of a
borrowed array are borrowed too. Interpreted, it does nothing.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba import types
from numba.extending import intrinsic, overload

from .numba_parts import without_owner

__all__ = ["borrowed"]

T = TypeVar("T")


def borrowed(value: T) -> T:
    """Return the same arrays without an owner; the result must not outlive the caller."""
    return value


@overload(borrowed)
def _borrowed(value):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return lambda value: _strip(value)


@intrinsic
def _strip(typing_context, value):  # type: ignore[no-untyped-def]  # numba has no types
    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # numba has no types
        return _stripped(context, builder, value, arguments[0])

    return value(value), build


def _stripped(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        return without_owner(context, builder, kind, value)
    if isinstance(kind, types.BaseTuple):
        for i, item in enumerate(kind):
            part = builder.extract_value(value, i)
            value = builder.insert_value(value, _stripped(context, builder, item, part), i)
    return value
