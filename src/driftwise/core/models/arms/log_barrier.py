"""Mirror descent with a log-barrier: shares that no loss takes to zero (Agarwal et al., 2017)."""

from __future__ import annotations

import math

from ...base.arrays import Vector
from ...compiler.compiled import inlined

__all__ = ["descend"]

_HALVINGS = 64  # of an interval of floats: more would change nothing


@inlined
def descend(shares: Vector, rates: Vector, inverses: Vector, drawn: int, loss: float) -> None:
    """Move shares by 1/p += rate (loss - shift), on the loss of one; ``inverses`` is scratch.

    The shift is such that they sum to one again.
    """
    n, least = shares.size, min(loss, 0.0)
    # With λ = least + shift, the sum grows with the shift, from at most 1 at 0 to infinity,
    # where the first share has its pole. Measured from the least loss, no loss is too large.
    low, high = 0.0, math.inf
    for i in range(n):
        above = loss - least if i == drawn else -least
        inverses[i] = 1.0 / shares[i] + rates[i] * above
        high = min(high, inverses[i] / rates[i])
    for _ in range(_HALVINGS):
        middle = low + 0.5 * (high - low)
        if _total_at(inverses, rates, middle) > 1.0:
            high = middle
        else:
            low = middle
    total = _total_at(inverses, rates, low)
    for i in range(n):
        shares[i] = 1.0 / (inverses[i] - rates[i] * low) / total


@inlined
def _total_at(inverses: Vector, rates: Vector, shift: float) -> float:
    """Return the sum of all shares for a shift; infinite from the first pole on."""
    total = 0.0
    for i in range(rates.size):
        inverse = inverses[i] - rates[i] * shift
        total += 1.0 / inverse if inverse > 0.0 else math.inf
    return total
