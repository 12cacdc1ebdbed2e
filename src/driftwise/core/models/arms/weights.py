"""Exponential weights in the log domain, and draws by them."""

from __future__ import annotations

import math

from ...base.arrays import Vector
from ...compiler.compiled import inlined
from ...randomness import draws

__all__ = ["mix", "pick"]


@inlined
def mix(log_weights: Vector, mixing: float, chances: Vector) -> None:
    """Write (1 - mixing) * normalised weight + mixing / n into ``chances``.

    Shifts the log-weights so that the largest is 0: only differences count, and none overflows
    at any horizon.
    """
    n, peak, total = log_weights.size, log_weights[0], 0.0
    for j in range(1, n):
        peak = max(peak, log_weights[j])
    for j in range(n):
        log_weights[j] -= peak
        chances[j] = math.exp(log_weights[j])
        total += chances[j]
    for j in range(n):
        chances[j] = (1.0 - mixing) * chances[j] / total + mixing / n


@inlined
def pick(chances: Vector, luck: int) -> int:
    """Draw an index, each with its chance; chances must sum to one."""
    left, index = draws.uniform(luck, 0), 0
    # The last one takes what rounding leaves over.
    while index < chances.size - 1 and left >= chances[index]:
        left -= chances[index]
        index += 1
    return index
