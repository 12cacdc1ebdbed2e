"""Numbers side by side as the compiler sees them: their type, and the instructions that work on them.

What they do, and to what, is said in `driftwise.core.compiler.abreast`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from .numba_parts import array_struct, call_intrinsic, item_of

__all__ = [
    "Abreast", "add", "chosen", "declare", "gather", "inside", "load", "on_both", "part", "put_lane",
    "repeat", "root", "store", "take_lane",
]  # fmt: skip


class Abreast(types.Type):  # type: ignore[misc]  # numba has no types
    """The type of so many numbers side by side."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(f"Abreast({count})")


@register_model(Abreast)
class _Model(models.PrimitiveModel):  # type: ignore[misc]  # numba has no types
    def __init__(self, manager: Any, kind: Abreast) -> None:
        super().__init__(manager, kind, _vector_of(kind))


def declare(function: Any, kind: Callable[..., Any], build: Any, *operands: Any) -> None:
    """Tell the compiler of which kind the outcome of a function is, and how to build it."""
    type_callable(function)(lambda context: kind)
    lower_builtin(function, *operands)(build)


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


def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Take neighbours from a row."""
    place = _place(context, builder, signature, arguments, signature.return_type)
    return builder.load(place, align=8)


def store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Put neighbours into a row."""
    place = _place(context, builder, signature, arguments, signature.args[2])
    builder.store(arguments[2], place, align=8)
    return context.get_dummy_value()


def gather(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Take one coordinate of several rows; where no row is left, of the last again."""
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


def repeat(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Put one number into all."""
    return _in_all(builder, signature.return_type, arguments[0])


def part(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Make a tuple of all."""
    parts = [builder.extract_element(arguments[0], lane) for lane in _lanes_of(signature.args[0])]
    return context.make_tuple(builder, signature.return_type, parts)


def add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Add each to a total, in order."""
    total, values = arguments
    for lane in _lanes_of(signature.args[1]):
        total = builder.fadd(total, builder.extract_element(values, lane))
    return total


def root(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Take the root of each."""
    return call_intrinsic(builder, f"llvm.sqrt.v{signature.args[0].count}f64", arguments[0])


def inside(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Compare each with two ends."""
    values, low, high = arguments
    kind = signature.args[0]
    above = builder.fcmp_ordered(">=", values, _in_all(builder, kind, low))
    below = builder.fcmp_ordered("<=", values, _in_all(builder, kind, high))
    bits = builder.bitcast(builder.and_(above, below), ir.IntType(kind.count))
    return builder.icmp_unsigned("==", bits, bits.type(2**kind.count - 1))


def take_lane(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Take one of them."""
    return builder.extract_element(*arguments)


def put_lane(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Put one number among them."""
    values, i, number = arguments
    return builder.insert_element(values, number, i)


def on_both(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Return what builds an operation on two values, one of which may be one number for all."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        both = (
            value if isinstance(given, Abreast) else _in_all(builder, kind, value)
            for given, value in zip(signature.args, arguments, strict=True)
        )
        return compute(builder, *both)

    return build


def chosen(sign: str) -> Callable[..., Any]:
    """Return what builds, of each two, the other where it compares so to the one, and else the one."""

    def compute(builder: Any, one: Any, other: Any) -> Any:
        return builder.select(builder.fcmp_ordered(sign, other, one), other, one)

    return compute
