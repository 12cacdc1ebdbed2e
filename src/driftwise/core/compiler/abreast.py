"""Neighbours in memory as one value: eight, four, two or one number, worked on side by side.

The compiler finds only part of this by itself: rows of a dozen numbers make short loops, and it
cannot know that they do not overlap. Interpreted, such a value is a small array of NumPy, whose
sums, products, quotients and roots have the same bits. Compiled, a row of any length is taken eight at
a time, and what is left in fours, twos and ones (`abreast`), so that no row needs room for more.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from ..base.arrays import Matrix, Vector
from . import vector_instructions as built
from .compiled import compiled_as
from .numba_parts import TypingError
from .vector_instructions import Abreast, declare

__all__ = [
    "EIGHT", "FOUR", "Abreast", "Width", "abreast", "add_each", "all_within", "column", "declare", "each",
    "lane", "larger", "put", "roots", "same", "smaller", "take", "with_lane",
]  # fmt: skip

# How many are taken together: a tuple, since its length is part of its type.
Width = tuple[int, ...]
EIGHT, FOUR, TWO, ONE = (0,) * 8, (0,) * 4, (0,) * 2, (0,)


def abreast(rule: Callable[..., None], n: int, *given: Any) -> None:
    """Call ``rule(first, width, *given)`` until n neighbours have been taken, in order.

    Interpreted, all at once: NumPy takes as long for one as for a dozen.
    """
    rule(0, (0,) * n, *given)


def take(row: Vector, first: int, width: Width) -> Vector:
    """Return the numbers of a row from ``first`` on, as many as ``width`` is long."""
    return row[first : first + len(width)].copy()


def put(row: Vector, first: int, values: Vector) -> None:
    """Write numbers into a row, from ``first`` on."""
    row[first : first + len(values)] = values


def column(rows: Matrix, first: int, i: int) -> Vector:
    """Return coordinate i of four rows from ``first`` on; where no row is left, the last again."""
    values = rows[first : first + len(FOUR), i]
    missing = len(FOUR) - len(values)
    return np.append(values, [values[-1]] * missing) if missing else values


def same(number: float, width: Width) -> Vector:
    """Return one number, as often as ``width`` is long."""
    return np.full(len(width), number)


def each(values: Vector) -> tuple[float, ...]:
    """Return the numbers one by one."""
    return tuple(values.tolist())


def add_each(total: float, values: Vector) -> float:
    """Return total + values[0] + values[1] and so on, added in this order."""
    for value in values.tolist():
        total += value
    return total


def smaller(one: Vector, other: Vector | float) -> Vector:
    """Return the smaller of each two; the other may be one number for all."""
    return np.where(other < one, other, one)


def larger(one: Vector, other: Vector | float) -> Vector:
    """Return the larger of each two; the other may be one number for all."""
    return np.where(other > one, other, one)


def roots(values: Vector) -> Vector:
    """Return the square root of each."""
    return np.sqrt(values)


def all_within(values: Vector, low: float, high: float) -> bool:
    """Tell whether each lies between low and high, or at one of them."""
    return bool(np.all((low <= values) & (values <= high)))


def lane(values: Vector, i: int) -> float:
    """Return the i-th of them."""
    return float(values[i])


def with_lane(values: Vector, i: int, number: float) -> Vector:
    """Return the same numbers but for the i-th."""
    return np.where(np.arange(len(values)) == i, number, values)


# From here on: the same for the compiler.


@compiled_as(abreast)
def _abreast(rule, n, *given):  # type: ignore[no-untyped-def]  # numba has no types
    def call(rule, n, *given):  # type: ignore[no-untyped-def]  # as above
        for first in range(0, n - 7, 8):
            rule(first, EIGHT, *given)
        if n % 8 > 3:
            rule(n - n % 8, FOUR, *given)
        if n % 4 > 1:
            rule(n - n % 4, TWO, *given)
        if n % 2 > 0:
            rule(n - 1, ONE, *given)

    return call


# What the compiler calls gives types for types; what builds code is in `vector_instructions.py`. For other
# types than `Abreast` the operators stay what they are.


def _kind_of_both(one: Any, other: Any) -> Any:
    kinds = {kind for kind in (one, other) if kind != types.float64}
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if isinstance(kind, Abreast) else None  # None: no operation of ours


def _kind_taken(row: Any, first: Any, width: Any) -> Any:
    _require_floats(row, 1, is_row=True)
    return Abreast(len(width))


def _kind_put(row: Any, first: Any, values: Any) -> Any:
    _require_floats(row, 1, is_row=True)
    if not row.mutable:
        raise TypingError(f"put must be given a row that is writable, got {row}")
    return types.void


def _kind_of_column(rows: Any, first: Any, i: Any) -> Any:
    _require_floats(rows, 2, is_row=False)
    return Abreast(len(FOUR))


def _require_floats(array: Any, n_axes: int, *, is_row: bool) -> None:
    # Nobody else looks: other numbers would be read as if their bits were those of a float.
    if not isinstance(array, types.Array) or (array.ndim, array.dtype) != (n_axes, types.float64):
        raise TypingError(f"neighbours must be floats in an array of {n_axes} axes, got {array}")
    if is_row and array.layout != "C":
        raise TypingError(f"neighbours must be in a contiguous row, got {array}")


_INTEGER, _FLOAT = types.Integer, types.Float
declare(take, _kind_taken, built.load, types.Array, _INTEGER, types.BaseTuple)
declare(put, _kind_put, built.store, types.Array, _INTEGER, Abreast)
declare(column, _kind_of_column, built.gather, types.Array, _INTEGER, _INTEGER)
declare(same, lambda number, width: Abreast(len(width)), built.repeat, _FLOAT, types.BaseTuple)
declare(each, lambda values: types.UniTuple(types.float64, values.count), built.part, Abreast)
declare(add_each, lambda total, values: total, built.add, _FLOAT, Abreast)
declare(roots, lambda values: values, built.root, Abreast)
declare(all_within, lambda values, low, high: types.boolean, built.inside, Abreast, _FLOAT, _FLOAT)
declare(lane, lambda values, i: types.float64, built.take_lane, Abreast, _INTEGER)
declare(with_lane, lambda values, i, number: values, built.put_lane, Abreast, _INTEGER, _FLOAT)
for _function, _compute in (
    (operator.add, ir.IRBuilder.fadd),
    (operator.sub, ir.IRBuilder.fsub),
    (operator.mul, ir.IRBuilder.fmul),
    (operator.truediv, ir.IRBuilder.fdiv),
    (smaller, built.chosen("<")),
    (larger, built.chosen(">")),
):
    type_callable(_function)(lambda context: _kind_of_both)
    for _operands in ((Abreast, Abreast), (Abreast, _FLOAT), (_FLOAT, Abreast)):
        lower_builtin(_function, *_operands)(built.on_both(_compute))
