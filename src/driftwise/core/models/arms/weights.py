"""Exponential weights in the log domain, and draws by them."""

from __future__ import annotations

from typing import Any

from ...base.arrays import Vector
from ...compiler.compiled import inlined
from ...compiler.elementary import exp
from ...randomness import draws

__all__ = ["equalise", "favour", "mix", "pick"]


@inlined
def equalise(memory: Any, mixing: float) -> None:
    """Give all arms of a memory with ``log_weights`` and ``chances`` the same weight."""
    for arm in range(memory.log_weights.size):
        memory.log_weights[arm] = 0.0
    mix(memory.log_weights, mixing, memory.chances)


@inlined
def favour(memory: Any, choice: Any, reward: float, mixing: float) -> None:
    """Raise the weight of the arm that was drawn, by its reward over its chance on that day."""
    step = mixing / memory.log_weights.size
    memory.log_weights[choice.arm] += step * reward / choice.propensity
    mix(memory.log_weights, mixing, memory.chances)


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
        chances[j] = exp(log_weights[j])
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
