"""Arms judged by what each has earned: means, and the best of their upper bounds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...base.arrays import Vector
from ...compiler.compiled import compilable, inlined
from ...contract.policy import Choice
from ...randomness.ties import better

__all__ = ["ArmMemory", "arm_memory", "forget_arms", "most_optimistic", "total_of"]


@compilable
class ArmMemory(NamedTuple):
    """How often each arm was played, and what it earned."""

    counts: Vector  # (K,), rewards of each arm; weights, where old ones fade
    sums: Vector  # (K,), their sum


def arm_memory(n_arms: int) -> ArmMemory:
    """Return a memory for ``n_arms`` arms."""
    return ArmMemory(np.zeros(n_arms), np.zeros(n_arms))


@inlined
def forget_arms(arms: ArmMemory) -> None:
    """Write the state in which no arm was ever played."""
    for arm in range(arms.counts.size):
        arms.counts[arm] = 0.0
        arms.sums[arm] = 0.0


@inlined
def total_of(counts: Vector) -> float:
    """Return the sum of ``counts``, at least 1 so that it has a logarithm."""
    total = 0.0
    for arm in range(counts.size):
        total += counts[arm]
    return max(total, 1.0)


@inlined
def most_optimistic(counts: Vector, sums: Vector, scale: float, spread: float, luck: int) -> Choice:
    """Choose the arm with the largest mean + scale * sqrt(spread / count), ties at random.

    The index of an arm without rewards is infinite; so that a decision can be written as JSON, the
    value of its choice is nan.
    """
    best, bound, ties, root = 0, -math.inf, 0, math.sqrt(spread)
    for arm in range(counts.size):
        index = math.inf
        if counts[arm] > 0.0:
            # Root by root: a weight that has nearly faded would make the ratio itself infinite.
            index = sums[arm] / counts[arm] + scale * (root / math.sqrt(counts[arm]))
        best, bound, ties = better(arm, index, best, bound, ties, luck)
    return Choice(best, 1.0 / ties, bound if bound < math.inf else math.nan)
