"""The numbers of a tuple as words of 64 bits in a row of an array.

Compiled code knows no list that takes tuples of any class and outlives a call. An array of words
does: a tuple of numbers and of such tuples is written into a row, and read back by the type of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from .numba_parts import TypingError

__all__ = ["count_words", "read_words", "write_words"]

Record = TypeVar("Record", bound=tuple[Any, ...])
Words = NDArray[np.int64]


def count_words(record: tuple[Any, ...]) -> int:
    """Return how many words a tuple takes: one for each number.

    Examples
    --------
    >>> count_words((1, (0.5, True)))
    3
    """
    return sum(count_words(item) if isinstance(item, tuple) else 1 for item in record)


def write_words(row: Words, record: tuple[Any, ...]) -> None:
    """Write a tuple into a row that has room for it; compiled code checks nothing."""
    for i, number in enumerate(_numbers(record)):
        row[i] = np.float64(number).view(np.int64) if isinstance(number, float) else number


def read_words(row: Words, like: Record) -> Record:
    """Return the tuple that was written into a row; ``like`` is one of the same type.

    Examples
    --------
    >>> row = np.zeros(3, np.int64)
    >>> write_words(row, (1, (0.5, True)))
    >>> read_words(row, (0, (0.0, False)))
    (1, (0.5, True))
    """
    return _read(iter(row), like)  # type: ignore[no-any-return]  # of that type


def _numbers(record: tuple[Any, ...]) -> Iterator[Any]:
    for item in record:
        yield from _numbers(item) if isinstance(item, tuple) else (item,)


def _read(words: Iterator[np.int64], like: Any) -> Any:
    if isinstance(like, tuple):
        items = [_read(words, item) for item in like]
        return like._make(items) if hasattr(like, "_make") else tuple(items)
    word = next(words)
    return type(like)(word.view(np.float64) if isinstance(like, float) else word)


@overload(count_words)
def _count_words(record):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    count = len(list(_kinds(record)))
    return lambda record: count


@overload(write_words)
def _write_words(row, record):  # type: ignore[no-untyped-def]  # as above
    return lambda row, record: _store(row, record)


@overload(read_words)
def _read_words(row, like):  # type: ignore[no-untyped-def]  # as above
    return lambda row, like: _load(row, like)


@intrinsic
def _store(typing_context, row, record):  # type: ignore[no-untyped-def]  # numba has no types
    _require_words(row)

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # as above
        places = _places(context, builder, row, arguments[0])

        def store(kind: Any, value: Any) -> None:
            if isinstance(kind, types.BaseTuple):
                for i, item in enumerate(kind):
                    store(item, builder.extract_value(value, i))
            elif isinstance(kind, types.Float):
                number = context.cast(builder, value, kind, types.float64)
                builder.store(builder.bitcast(number, ir.IntType(64)), next(places))
            else:
                builder.store(context.cast(builder, value, kind, types.int64), next(places))

        store(record, arguments[1])
        return context.get_dummy_value()

    return types.void(row, record), build


@intrinsic
def _load(typing_context, row, like):  # type: ignore[no-untyped-def]  # numba has no types
    _require_words(row)

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # as above
        places = _places(context, builder, row, arguments[0])

        def load(kind: Any) -> Any:
            if isinstance(kind, types.BaseTuple):
                return context.make_tuple(builder, kind, [load(item) for item in kind])
            word = builder.load(next(places))
            if isinstance(kind, types.Float):
                number = builder.bitcast(word, ir.DoubleType())
                return context.cast(builder, number, types.float64, kind)
            return context.cast(builder, word, types.int64, kind)

        return load(like)

    return like(row, like), build


def _places(context: Any, builder: Any, kind: Any, row: Any) -> Iterator[Any]:
    """Yield pointers to one word of a row after the other."""
    words, i = context.make_array(kind)(context, builder, row).data, 0
    while True:
        yield builder.gep(words, [ir.Constant(ir.IntType(64), i)])
        i += 1


def _kinds(record: Any) -> Iterator[Any]:
    for kind in record:
        if isinstance(kind, types.BaseTuple):
            yield from _kinds(kind)
        elif isinstance(kind, types.Boolean | types.Integer | types.Float):
            yield kind
        else:
            raise TypingError(f"a record must consist of numbers and tuples, got {kind}")


def _require_words(row: Any) -> None:
    # Nobody else looks: other numbers would be read as if their bits were those of a word.
    if not isinstance(row, types.Array) or row != types.Array(types.int64, 1, "C"):
        raise TypingError(f"words must be int64 in a contiguous row, got {row}")
