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
from numba.extending import lower_builtin, models, register_model, type_callable

from ..base.arrays import Matrix, Vector
from .compiled import compiled_as
from .numba_parts import TypingError, array_struct, call_intrinsic, item_of

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


# What the compiler calls gives types for types, or builds code. For other types than `Abreast` the
# operators stay what they are.


class Abreast(types.Type):  # type: ignore[misc]  # numba has no types
    """The type of so many numbers side by side."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(f"Abreast({count})")


@register_model(Abreast)
class _Model(models.PrimitiveModel):  # type: ignore[misc]  # numba has no types
    def __init__(self, manager: Any, kind: Abreast) -> None:
        super().__init__(manager, kind, _vector_of(kind))


def _vector_of(kind: Abreast) -> Any:
    return ir.VectorType(ir.DoubleType(), kind.count)


def _lanes_of(kind: Abreast) -> list[Any]:
    return [ir.IntType(32)(lane) for lane in range(kind.count)]


def _in_all(builder: Any, kind: Abreast, number: Any) -> Any:
    empty = ir.Constant(_vector_of(kind), ir.Undefined)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    one = builder.insert_element(empty, number, ir.IntType(32)(0))
    return builder.shuffle_vector(one, empty, zeros)


def _place(context: Any, builder: Any, signature: Any, arguments: Any, kind: Abreast) -> Any:
    """Return a pointer to neighbours in a row, the first two arguments."""
    row = array_struct(context, builder, signature.args[0], arguments[0])
    pointer = builder.gep(row.data, [arguments[1]])
    return builder.bitcast(pointer, _vector_of(kind).as_pointer())


def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _place(context, builder, signature, arguments, signature.return_type)
    return builder.load(place, align=8)


def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _place(context, builder, signature, arguments, signature.args[2])
    builder.store(arguments[2], place, align=8)
    return context.get_dummy_value()


def _gather(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, (_, first, i) = signature.args[0], arguments
    rows = array_struct(context, builder, kind, arguments[0])
    n = builder.extract_value(rows.shape, 0)
    last = builder.sub(n, n.type(1))
    values = ir.Constant(_vector_of(signature.return_type), ir.Undefined)
    for lane in _lanes_of(signature.return_type):
        row = builder.add(first, first.type(lane.constant))
        row = builder.select(builder.icmp_signed("<", row, last), row, last)
        value = item_of(context, builder, kind, rows, [row, i])
        values = builder.insert_element(values, value, lane)
    return values


def _repeat(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _in_all(builder, signature.return_type, arguments[0])


def _part(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    parts = [builder.extract_element(arguments[0], lane) for lane in _lanes_of(signature.args[0])]
    return context.make_tuple(builder, signature.return_type, parts)


def _add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    total, values = arguments
    for lane in _lanes_of(signature.args[1]):
        total = builder.fadd(total, builder.extract_element(values, lane))
    return total


def _root(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return call_intrinsic(builder, f"llvm.sqrt.v{signature.args[0].count}f64", arguments[0])


def _inside(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    values, low, high = arguments
    kind = signature.args[0]
    above = builder.fcmp_ordered(">=", values, _in_all(builder, kind, low))
    below = builder.fcmp_ordered("<=", values, _in_all(builder, kind, high))
    bits = builder.bitcast(builder.and_(above, below), ir.IntType(kind.count))
    return builder.icmp_unsigned("==", bits, bits.type(2**kind.count - 1))


def _take_lane(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.extract_element(*arguments)


def _put_lane(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    values, i, number = arguments
    return builder.insert_element(values, number, i)


def _on_both(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Return what builds an operation on two values, one of which may be one number for all."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        both = (
            value if isinstance(given, Abreast) else _in_all(builder, kind, value)
            for given, value in zip(signature.args, arguments, strict=True)
        )
        return compute(builder, *both)

    return build


def _chosen(sign: str) -> Callable[..., Any]:
    def compute(builder: Any, one: Any, other: Any) -> Any:
        return builder.select(builder.fcmp_ordered(sign, other, one), other, one)

    return compute


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


def declare(function: Any, kind: Callable[..., Any], build: Any, *operands: Any) -> None:
    """Tell the compiler of which kind the outcome of a function is, and how to build it."""
    type_callable(function)(lambda context: kind)
    lower_builtin(function, *operands)(build)


_INTEGER = types.Integer
declare(take, _kind_taken, _load, types.Array, _INTEGER, types.BaseTuple)
declare(put, _kind_put, _store, types.Array, _INTEGER, Abreast)
declare(column, _kind_of_column, _gather, types.Array, _INTEGER, _INTEGER)
declare(same, lambda number, width: Abreast(len(width)), _repeat, types.Float, types.BaseTuple)
declare(each, lambda values: types.UniTuple(types.float64, values.count), _part, Abreast)
declare(add_each, lambda total, values: total, _add, types.Float, Abreast)
declare(roots, lambda values: values, _root, Abreast)
declare(
    all_within, lambda values, low, high: types.boolean, _inside, Abreast, types.Float, types.Float
)
declare(lane, lambda values, i: types.float64, _take_lane, Abreast, _INTEGER)
declare(with_lane, lambda values, i, number: values, _put_lane, Abreast, _INTEGER, types.Float)
for _function, _compute in (
    (operator.add, ir.IRBuilder.fadd),
    (operator.sub, ir.IRBuilder.fsub),
    (operator.mul, ir.IRBuilder.fmul),
    (operator.truediv, ir.IRBuilder.fdiv),
    (smaller, _chosen("<")),
    (larger, _chosen(">")),
):
    type_callable(_function)(lambda context: _kind_of_both)
    for _operands in ((Abreast, Abreast), (Abreast, types.Float), (types.Float, Abreast)):
        lower_builtin(_function, *_operands)(_on_both(_compute))
