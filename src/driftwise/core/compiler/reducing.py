"""Parts of a memory that a loop has no use for, replaced by smaller ones when it is compiled.

What asks whether anything is in flight costs a fifth of the shortest rounds, even if the answer is
always no. In a loop in which it is always no, a class whose rules know that takes the place of the
one that asks, at compile time, and so there is no question.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba import types
from numba.extending import intrinsic, overload

__all__ = ["reduced"]

T = TypeVar("T")


def reduced(value: T) -> T:
    """Return a tuple in which every named tuple with a ``_reduced`` class is one of that class.

    Its fields are some of those of the other. The arrays must be borrowed: no references to them are
    counted. Interpreted, it does nothing: the rules of both classes must have the same results.
    """
    return value


@overload(reduced)
def _overload(value):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return lambda value: _replace(value)


@intrinsic
def _replace(typing_context, value):  # type: ignore[no-untyped-def]  # numba has no types
    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # as above
        return _built(context, builder, value, arguments[0])

    return _kind(value)(value), build


def _kind(kind: Any) -> Any:
    if not isinstance(kind, types.BaseTuple):
        return kind
    parts, cls = [_kind(part) for part in kind], getattr(kind, "instance_class", None)
    smaller = getattr(cls, "_reduced", None)
    if smaller is not None:
        return types.NamedTuple([parts[i] for i in _kept(cls, smaller)], smaller)
    return types.BaseTuple.from_types(parts, cls)


def _built(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if not isinstance(kind, types.BaseTuple):
        return value
    parts = [
        _built(context, builder, part, builder.extract_value(value, i))
        for i, part in enumerate(kind)
    ]
    cls = getattr(kind, "instance_class", None)
    smaller = getattr(cls, "_reduced", None)
    if smaller is not None:
        parts = [parts[i] for i in _kept(cls, smaller)]
    return context.make_tuple(builder, _kind(kind), parts)


def _kept(cls: Any, smaller: Any) -> list[int]:
    return [cls._fields.index(name) for name in smaller._fields]
