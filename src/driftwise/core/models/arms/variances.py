"""The mean and the variance of each arm's rewards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable, inlined
from ..flight import Flight, flight

__all__ = ["VarianceMemory", "begin", "count", "forget"]


@compilable
class VarianceMemory(NamedTuple):
    """Means and variances of arms, by Welford's recursion."""

    counts: Vector  # (K,), rewards of each arm
    averages: Vector  # (K,), their mean
    deviations: Vector  # (K,), sum of their squared distances from it
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.counts, 0, MOST), (self.pending.arms, 0, self.counts.shape[-1] - 1)]


def begin(n_arms: int, most: int) -> VarianceMemory:
    """Return a memory for ``n_arms`` arms and ``most`` rewards."""
    counts, averages, deviations = np.zeros((3, n_arms))
    return VarianceMemory(counts, averages, deviations, flight(0, (1, n_arms), most))


@inlined
def forget(memory: VarianceMemory) -> None:
    """Write the state in which no arm was ever played."""
    for arm in range(memory.counts.size):
        memory.counts[arm] = 0.0
        memory.averages[arm] = 0.0
        memory.deviations[arm] = 0.0


@inlined
def count(memory: VarianceMemory, arm: int, reward: float) -> None:
    """Count a reward."""
    memory.counts[arm] += 1.0
    # A sum of squares minus a square would lose the variance to rounding.
    surprise = reward - memory.averages[arm]
    memory.averages[arm] += surprise / memory.counts[arm]
    memory.deviations[arm] += surprise * (reward - memory.averages[arm])
