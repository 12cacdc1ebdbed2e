"""Sums for four neighbours in memory at once: what a processor does in one instruction.

The compiler does not find these by itself: it may not reorder a sum, and loops over a triangle are
too short for what it tries instead. Each lane adds in the order that is written here, so interpreter
and compiler give the same bits. Columns must come in whole lanes: a multiple of four, see `padded`.
Written with `driftwise.core.abreast` these loops would be shorter, and a seventh slower.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from .compiled import inlined
from .protocols import Matrix, Vector

__all__ = [
    "LANES",
    "WIDTHS",
    "eliminate",
    "fade_lanes",
    "narrowest_around",
    "padded",
    "sum_products",
    "widest_within",
]

LANES = 4
_SOME, _MANY = 12, 24  # more would not fit into a processor's registers
WIDTHS = LANES, _SOME, _MANY
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INLINED = {"forceinline": True}


@inlined
def padded(count: int) -> int:
    """Return the least multiple of four that is not below a count."""
    return (count + 3) // 4 * 4


@inlined
def widest_within(count: int) -> int:
    """Return the largest of `WIDTHS` that is not above a count of columns, 4 or more."""
    if count >= _MANY:
        return _MANY
    return _SOME if count >= _SOME else LANES


@inlined
def narrowest_around(count: int) -> int:
    """Return the smallest of `WIDTHS` that is not below a count of columns; the largest if none."""
    if count <= LANES:
        return LANES
    return _SOME if count <= _SOME else _MANY


def fade_lanes(
    target: Matrix, i: int, first: int, discount: float, weight: float, source: Vector
) -> None:
    """Write discount * target + weight * source into four columns of row i of ``target``."""
    here = slice(first, first + LANES)
    target[i, here] = discount * target[i, here] + weight * source[here]


def eliminate(
    target: Matrix, base: Matrix, share: float, i: int, first: int, count: int,
    left: Vector, start: int, stop: int, step: int, right: Matrix,
) -> None:  # fmt: skip
    """Write share * base - sum over k of left[k] * right[k] into some columns of row i.

    Their ``count`` is one of `WIDTHS`: the more, the less one sum has to wait for the last. k runs
    from ``start`` to ``stop``, which is left out, by ``step``, 1 or -1.
    """
    here = slice(first, first + count)
    rest = share * base[i, here]
    for k in range(start, stop, step):
        rest -= left[k] * right[k, here]
    target[i, here] = rest


def sum_products(target: Vector, first: int, left: Matrix, right: Matrix, stop: int) -> None:
    """Write the sum over k < stop of left[k] * right[k] into four columns of ``target``."""
    here = slice(first, first + LANES)
    total = np.zeros(LANES)
    for k in range(stop):
        total += left[k, here] * right[k, here]
    target[here] = total


@overload(fade_lanes, jit_options=_INLINED)
def _fade_lanes(target, i, first, discount, weight, source):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return lambda target, i, first, discount, weight, source: _fade(
        target, i, first, discount, weight, source
    )


@overload(eliminate, jit_options=_INLINED)
def _eliminate_lanes(target, base, share, i, first, count, left, start, stop, step, right):  # type: ignore[no-untyped-def]  # as above
    def run(target, base, share, i, first, count, left, start, stop, step, right):  # type: ignore[no-untyped-def]  # as above
        if count == _SOME:
            _eliminate_some(target, base, share, i, first, left, start, stop, step, right)
        elif count == _MANY:
            _eliminate_many(target, base, share, i, first, left, start, stop, step, right)
        else:
            _eliminate_few(target, base, share, i, first, left, start, stop, step, right)

    return run


@overload(sum_products, jit_options=_INLINED)
def _sum_products_lanes(target, first, left, right, stop):  # type: ignore[no-untyped-def]  # as above
    return lambda target, first, left, right, stop: _sum_products(target, first, left, right, stop)


@intrinsic
def _fade(typing_context, target, i, first, discount, weight, source):  # type: ignore[no-untyped-def]  # numba has no types
    _require_contiguous(target, source)
    number, real = types.intp, types.float64

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # numba has no types
        target_, i_, first_, discount_, weight_, source_ = arguments
        place = _lanes_at(builder, _row(context, builder, target, target_, i_), first_)
        other = _lanes_at(builder, _row(context, builder, source, source_, None), first_)
        old = builder.fmul(_in_all(builder, discount_), builder.load(place, align=8))
        new = builder.fmul(_in_all(builder, weight_), builder.load(other, align=8))
        builder.store(builder.fadd(old, new), place, align=8)
        return context.get_dummy_value()

    return types.void(target, number, number, real, real, source), build


def _elimination(n_vectors: int) -> Any:
    """Return `eliminate` for so many times four columns: sums side by side in one loop."""

    @intrinsic
    def eliminate_vectors(  # type: ignore[no-untyped-def]  # numba has no types
        typing_context, target, base, share, i, first, left, start, stop, step, right
    ):
        _require_contiguous(target, base, right)
        number, real = types.intp, types.float64

        def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # numba has no types
            target_, base_, share_, i_, first_, left_, start_, stop_, step_, right_ = arguments

            def places_in(kind: Any, array: Any, row: Any) -> list[Any]:
                begin = builder.gep(_row(context, builder, kind, array, row), [first_])
                steps = (ir.Constant(first_.type, LANES * v) for v in range(n_vectors))
                return [_lanes_at(builder, begin, each) for each in steps]

            factors = context.make_array(left)(context, builder, left_)
            stride = builder.extract_value(factors.strides, 0)
            stride = builder.sdiv(stride, ir.Constant(stride.type, 8))
            before = builder.block
            loop, after = builder.append_basic_block("sum"), builder.append_basic_block("summed")
            factor = _in_all(builder, share_)
            rows = [builder.load(place, align=8) for place in places_in(base, base_, i_)]
            whole = [builder.fmul(factor, row) for row in rows]
            builder.cbranch(builder.icmp_signed("!=", start_, stop_), loop, after)

            builder.position_at_end(loop)
            k, rest = builder.phi(start_.type), [builder.phi(_VECTOR) for _ in whole]
            place = builder.gep(factors.data, [builder.mul(k, stride)])
            factor = _in_all(builder, builder.load(place))
            rows = [builder.load(place, align=8) for place in places_in(right, right_, k)]
            parts = [builder.fmul(factor, row) for row in rows]
            less = [builder.fsub(*each) for each in zip(rest, parts, strict=True)]
            following = builder.add(k, step_)
            _join([k, *rest], (before, [start_, *whole]), (loop, [following, *less]))
            builder.cbranch(builder.icmp_signed("!=", following, stop_), loop, after)

            builder.position_at_end(after)
            left_over = [builder.phi(_VECTOR) for _ in whole]
            _join(left_over, (before, whole), (loop, less))
            for value, place in zip(left_over, places_in(target, target_, i_), strict=True):
                builder.store(value, place, align=8)
            return context.get_dummy_value()

        whole = types.void(target, base, real, number, number, left, number, number, number, right)
        return whole, build

    return eliminate_vectors


_eliminate_few, _eliminate_some, _eliminate_many = (_elimination(n // LANES) for n in WIDTHS)


def _join(variables: list[Any], *sources: tuple[Any, list[Any]]) -> None:
    """Let variables have the values that they are given by the block that was left last."""
    for block, values in sources:
        for variable, value in zip(variables, values, strict=True):
            variable.add_incoming(value, block)


@intrinsic
def _sum_products(typing_context, target, first, left, right, stop):  # type: ignore[no-untyped-def]  # numba has no types
    _require_contiguous(target, left, right)

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # numba has no types
        target_, first_, left_, right_, stop_ = arguments
        zero, one = (ir.Constant(stop_.type, n) for n in (0, 1))
        nothing = ir.Constant(_VECTOR, [0.0] * LANES)
        before = builder.block
        loop, after = builder.append_basic_block("sum"), builder.append_basic_block("summed")
        builder.cbranch(builder.icmp_signed("!=", zero, stop_), loop, after)

        builder.position_at_end(loop)
        k, total = builder.phi(stop_.type), builder.phi(_VECTOR)
        rows = _row(context, builder, left, left_, k), _row(context, builder, right, right_, k)
        factors = [builder.load(_lanes_at(builder, row, first_), align=8) for row in rows]
        more, following = builder.fadd(total, builder.fmul(*factors)), builder.add(k, one)
        _join([k, total], (before, [zero, nothing]), (loop, [following, more]))
        builder.cbranch(builder.icmp_signed("!=", following, stop_), loop, after)

        builder.position_at_end(after)
        whole = builder.phi(_VECTOR)
        _join([whole], (before, [nothing]), (loop, [more]))
        place = _lanes_at(builder, _row(context, builder, target, target_, None), first_)
        builder.store(whole, place, align=8)
        return context.get_dummy_value()

    return types.void(target, types.intp, left, right, types.intp), build


def _require_contiguous(*arrays: Any) -> None:
    for array in arrays:
        if not isinstance(array, types.Array) or array.layout != "C":
            raise TypingError(f"lanes are taken of contiguous arrays only, got {array}")


def _row(context: Any, builder: Any, kind: Any, array: Any, i: Any) -> Any:
    """Return a pointer to row i of a matrix, or to a vector."""
    parts = context.make_array(kind)(context, builder, array)
    if i is None:
        return parts.data
    return builder.gep(parts.data, [builder.mul(i, builder.extract_value(parts.shape, 1))])


def _lanes_at(builder: Any, row: Any, first: Any) -> Any:
    return builder.bitcast(builder.gep(row, [first]), _VECTOR.as_pointer())


def _in_all(builder: Any, number: Any) -> Any:
    """Return a vector with one number in all its lanes."""
    empty = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, empty, zeros)
