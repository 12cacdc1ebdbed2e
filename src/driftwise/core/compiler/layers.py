"""Several memories of one kind in one: every array gets a leading axis, and a layer is a view.

For policies that hold many instances of a base at once. The number of layers is settled in
``start``; which layer is meant is settled round by round, in compiled code, where a list of named
tuples would be slow. A view counts no references, as with `driftwise.core.compiler.borrowing`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from .numba_parts import layer_of

__all__ = ["layer", "stacked"]


def stacked(memory: Any, count: int) -> Any:
    """Return ``count`` copies of a memory in one of the same class; runs in Python only.

    Examples
    --------
    >>> from driftwise.core.models.arms.arms import arm_memory
    >>> stack = stacked(arm_memory(3), 5)
    >>> type(stack).__name__, stack.counts.shape
    ('ArmMemory', (5, 3))
    >>> layer(stack, 2).counts.shape
    (3,)
    """
    if isinstance(memory, tuple):
        return _like(memory, [stacked(part, count) for part in memory])
    stack = np.zeros((count, *memory.shape), memory.dtype)
    if memory.any():  # zeros that nobody writes take no room
        stack[:] = memory
    return stack


def layer(stack: Any, i: int) -> Any:
    """Return the i-th memory of a stack, as a view; it must not outlive the stack."""
    if isinstance(stack, tuple):
        return _like(stack, [layer(part, i) for part in stack])
    return stack[i]


def _like(memory: Any, parts: list[Any]) -> Any:
    return type(memory)(*parts) if hasattr(memory, "_fields") else tuple(parts)


@overload(layer)
def _layer(stack, i):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return lambda stack, i: _view(stack, i)


@intrinsic
def _view(typing_context, stack, i):  # type: ignore[no-untyped-def]  # numba has no types
    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # as above
        index = context.cast(builder, arguments[1], i, types.intp)
        return _built(context, builder, stack, arguments[0], index)

    return _kind(stack)(stack, i), build


def _kind(stack: Any) -> Any:
    """Return the type of a layer: that of the memory that was stacked."""
    if isinstance(stack, types.Array):
        return stack.copy(ndim=stack.ndim - 1)
    parts = [_kind(part) for part in stack]
    return types.BaseTuple.from_types(parts, getattr(stack, "instance_class", None))


def _built(context: Any, builder: Any, stack: Any, value: Any, index: Any) -> Any:
    if isinstance(stack, types.Array):
        return layer_of(context, builder, stack, value, index)
    parts = [
        _built(context, builder, part, builder.extract_value(value, i), index)
        for i, part in enumerate(stack)
    ]
    return context.make_tuple(builder, _kind(stack), parts)
