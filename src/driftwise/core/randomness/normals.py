"""Standard normal numbers from luck, by the ziggurat of Marsaglia and Tsang (2000).

The area below f(x) = exp(-x^2 / 2) is covered by 128 layers of equal area, each as wide as f is at
its lower edge. A point in a random layer that lies left of the upper edge is below f for sure: 99
in 100 numbers take one word of luck, one product and one comparison. Doornik (2005) takes layer and
position from bits that are not the same, as is done here.

As in `driftwise.core.randomness.draws`, only +, -, *, / and sqrt touch a float, so no bit depends on a library;
the table is made in decimal numbers for the same reason.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np

from ..base.arrays import Vector
from ..compiler.compiled import called, inlined
from ..compiler.elementary import log
from ..compiler.hints import natural
from .draws import signed, uniform, word

__all__ = ["normal"]

_LAYERS = 128
# Where the lowest layer ends and the tail begins, and the area of each layer. Published with 13
# digits; with these the highest layer ends where f does, at 1.
_TAIL, _AREA = "3.44261985589665212142432", "0.009912563035336461079095685"
_ASIDE = 2**32  # the words of a luck from here on serve numbers that need more than one


def _table() -> tuple[Vector, Vector, Vector]:
    """Return the right ends of the layers, lowest first; each over the last; f of each."""
    with localcontext() as context:
        context.prec = 25
        tail, area = Decimal(_TAIL), Decimal(_AREA)
        height = (-tail * tail / 2).exp()
        ends, heights = (
            [area / height, tail],
            [Decimal(0), height],
        )  # the lowest holds the tail, too
        for _ in range(_LAYERS - 2):
            heights.append(heights[-1] + area / ends[-1])
            ends.append((-2 * heights[-1].ln()).sqrt())
        ends.append(Decimal(0))
        heights.append(Decimal(1))
        shares = [upper / lower for lower, upper in pairwise(ends)]
    return tuple(np.array([float(each) for each in row]) for row in (ends, shares, heights))  # type: ignore[return-value]  # three


_ENDS, _SHARES, _HEIGHTS = _table()
_START = float(_TAIL)


@inlined
def normal(luck: int, i: int) -> float:
    """Return the i-th standard normal number of a luck.

    Examples
    --------
    >>> from driftwise.core.randomness.normals import normal
    >>> round(normal(1234567, 0), 9), round(normal(1234567, 1), 9)
    (-0.867842758, -1.263173074)
    """
    bits = word(luck, i)
    layer, share = bits & 127, _position(bits)
    if abs(share) < _SHARES[natural(layer)]:
        return float(share * _ENDS[natural(layer)])
    return _at_an_edge(luck, i, layer, share)


@inlined
def _position(bits: int) -> float:
    """Return a number in [-1, 1) of the upper bits of a word."""
    return (bits >> 11) * 2.220446049250313e-16 - 1.0  # 2 ** -52


@called  # it is rarely needed
def _at_an_edge(luck: int, i: int, layer: int, share: float) -> float:
    """Return a number whose first point fell right of the upper edge of its layer."""
    k = signed(i)  # an axis may be a small unsigned number
    while True:
        if layer == 0:
            return _in_the_tail(luck, k + _ASIDE, share)
        x = share * _ENDS[layer]
        k += _ASIDE
        low, high = _HEIGHTS[layer], _HEIGHTS[layer + 1]
        if -2.0 * log(low + uniform(luck, k) * (high - low)) > x * x:
            return float(x)
        k += _ASIDE
        bits = word(luck, k)
        layer, share = bits & 127, _position(bits)
        if abs(share) < _SHARES[layer]:
            return float(share * _ENDS[layer])


@inlined
def _in_the_tail(luck: int, k: int, share: float) -> float:
    """Return a number beyond the layers, on the side of ``share``, by Marsaglia (1964)."""
    while True:
        x = -log(_inside(luck, k)) / _START
        y = -log(_inside(luck, k + _ASIDE))
        if 2.0 * y > x * x:
            return _START + x if share > 0.0 else -_START - x
        k += 2 * _ASIDE


@inlined
def _inside(luck: int, i: int) -> float:
    """Return the i-th uniform number of a luck, neither 0 nor 1."""
    return ((word(luck, i) >> 12) + 0.5) * 2.220446049250313e-16
