"""Bounds on the squared widths of many arms: what a round does to them, and whom they rule out."""

from __future__ import annotations

import math

import numpy as np

from ...compiler.compiled import called, inlined
from ...linalg.narrow import Narrow

__all__ = ["compare_with", "growth", "move_bounds", "score_at"]

_SMALL, _LARGE = 1e-10, 1e30  # where numbers would leave their range
_LIMIT = 1.0 + 1e-6  # no squared width is above 1, in units of the table


@inlined
def growth(discount: float, other: float, share: float) -> tuple[float, float]:
    """Return between which numbers topping up multiplies x'V^-1 W V^-1 x, whatever x is.

    V becomes U = g V + (1 - g) r I, with discount g and ridge r, and W becomes h W + (1 - h) r I, where
    h is ``other``: g^2, or g if W is V. ``share`` is r / f for a number f with f I <= W <= V.

    With y = V^-1 x, w^2 = y'W y becomes (h |W^(1/2) z|^2 + (1 - h) r |z|^2) / g^2, where z = y - e and
    e = (1 - g) r U^-1 y. Since 0 <= (1 - g) r U^-1 <= I, |z| <= |y| <= w / sqrt(f). Since U >= g V >= g W
    and U >= g f I, |W^(1/2) e| <= (1 - g) r |y| / (g sqrt(f)) <= (1 - g) r w / (g f). If W is V, the new
    w^2 is x'U^-1 x, with g V <= U <= (g + (1 - g) r / f) V.
    """
    if discount < _SMALL:
        return 0.0, _LARGE
    if other == discount:
        return 1.0 / (discount + (1.0 - discount) * share), 1.0 / discount
    kept = other / (discount * discount)
    tilt = (1.0 - discount) * share / discount
    low, high = max(1.0 - tilt, 0.0), 1.0 + tilt
    top = (1.0 - other) * share / (discount * discount)
    return kept * low * low, kept * high * high + top


@inlined
def score_at(means: Narrow, squares: Narrow, arm: int, a: float, b: float) -> float:
    """Return a * mean + b * width of an arm."""
    return a * np.float64(means[arm]) + b * math.sqrt(np.float64(squares[arm]))


@called
def compare_with(
    means: Narrow, squares: Narrow, a: float, b: float, bar: float, excess: Narrow
) -> None:
    """Write something below 0 where a * mean + b * sqrt(square) is below a bar, with no root."""
    wide, narrow = np.float32(b * b * _LIMIT), np.float32(a)
    level = np.float32(bar)
    for k in range(means.size):
        gap = level - narrow * means[k]
        excess[k] = wide * squares[k] - gap * abs(gap)


@called
def move_bounds(table: Narrow, low: float, high: float, weight: float, slack: float) -> None:
    """Move the least and the most squared widths by a round, see `FadingListed.aim`."""
    leasts, mosts, overlaps, others = table[1], table[2], table[3], table[4]
    shrink, grow, factor = np.float32(low), np.float32(high), np.float32(weight)
    two, more = np.float32(2.0), np.float32(slack)
    nought, limit = np.float32(0.0), np.float32(_LIMIT)
    for k in range(leasts.size):
        moved = overlaps[k] * (factor * overlaps[k] - two * others[k])
        least, most = shrink * leasts[k] + moved - more, grow * mosts[k] + moved + more
        # Written so that what is no number becomes no bound.
        leasts[k] = least if least > nought else nought
        mosts[k] = most if most < limit else limit
