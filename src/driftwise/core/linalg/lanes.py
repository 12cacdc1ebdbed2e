"""Sums for several neighbours in memory at once: what a processor does in one instruction.

Each number is added in the order that is written here, so interpreter and compiler give the same
bits. Columns must come in whole lanes: a multiple of four, see `padded`.
"""

from __future__ import annotations

from ..base.arrays import Matrix, Vector
from ..compiler.abreast import EIGHT, FOUR, Width, put, same, take
from ..compiler.compiled import inlined
from ..compiler.hints import natural

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


@inlined
def fade_lanes(
    target: Matrix, i: int, first: int, discount: float, weight: float, source: Vector
) -> None:
    """Write discount * target + weight * source into four columns of row i of ``target``."""
    row = target[natural(i)]
    put(row, first, discount * take(row, first, FOUR) + weight * take(source, first, FOUR))


@inlined
def eliminate(
    target: Matrix, base: Matrix, share: float, i: int, first: int, count: int,
    left: Vector, start: int, stop: int, step: int, right: Matrix,
) -> None:  # fmt: skip
    """Write share * base - sum over k of left[k] * right[k] into some columns of row i.

    Their ``count`` is one of `WIDTHS`: the more, the less one sum has to wait for the last. k runs
    from ``start`` to ``stop``, which is left out, by ``step``, 1 or -1.
    """
    here, there = target[natural(i)], base[natural(i)]
    if count == _MANY:
        eliminate_thrice(here, there, share, first, EIGHT, left, start, stop, step, right)
    elif count == _SOME:
        eliminate_thrice(here, there, share, first, FOUR, left, start, stop, step, right)
    else:
        rest, k = share * take(there, first, FOUR), start
        while k != stop:
            rest = rest - left[natural(k)] * take(right[natural(k)], first, FOUR)
            k += step
        put(here, first, rest)


@inlined
def eliminate_thrice(
    target: Vector, base: Vector, share: float, first: int, width: Width,
    left: Vector, start: int, stop: int, step: int, right: Matrix,
) -> None:  # fmt: skip
    """Do what `eliminate` does for three times as many columns as ``width`` is long.

    As one value of that many numbers they would not stay in registers.
    """
    second, third, k = first + len(width), first + 2 * len(width), start
    a, b = share * take(base, first, width), share * take(base, second, width)
    c = share * take(base, third, width)
    while k != stop:
        factor, row = left[natural(k)], right[natural(k)]
        a = a - factor * take(row, first, width)
        b = b - factor * take(row, second, width)
        c = c - factor * take(row, third, width)
        k += step
    put(target, first, a)
    put(target, second, b)
    put(target, third, c)


@inlined
def sum_products(target: Vector, first: int, left: Matrix, right: Matrix, stop: int) -> None:
    """Write the sum over k < stop of left[k] * right[k] into four columns of ``target``."""
    total = same(0.0, FOUR)
    for k in range(stop):
        total = total + take(left[natural(k)], first, FOUR) * take(right[natural(k)], first, FOUR)
    put(target, first, total)
