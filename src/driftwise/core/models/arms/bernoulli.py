"""The divergence of Bernoulli distributions, and the upper bounds that it gives."""

from __future__ import annotations

import math

from ...compiler.compiled import inlined
from ...compiler.elementary import log

__all__ = ["divergence", "upper_bound"]

_EDGE = 1e-15  # keeps q off 0 and 1, where the divergence is infinite
_HALVINGS = 40  # each gains a binary digit


@inlined
def divergence(p: float, q: float) -> float:
    """Return kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), finite for all p and q in [0, 1].

    Examples
    --------
    >>> round(divergence(0.5, 0.25), 6), divergence(0.0, 0.0) < 1e-14
    (0.143841, True)
    """
    q = min(max(q, _EDGE), 1.0 - _EDGE)
    total = 0.0
    if p > 0.0:
        total += p * log(p / q)
    if p < 1.0:
        total += (1.0 - p) * log((1.0 - p) / (1.0 - q))
    return total


@inlined
def upper_bound(p: float, room: float) -> float:
    """Return the largest q in [p, 1] with kl(p, q) <= room, to 12 digits.

    Examples
    --------
    >>> round(upper_bound(0.5, divergence(0.5, 0.75)), 9), upper_bound(0.5, 0.0)
    (0.75, 0.5)
    """
    # By Pinsker's inequality it is at most p + sqrt(room / 2).
    low, high = p, min(p + math.sqrt(0.5 * room), 1.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if divergence(p, middle) > room:
            high = middle
        else:
            low = middle
    return low
