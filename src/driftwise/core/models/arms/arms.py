"""Arms judged by what each has earned: means, and the best of their upper bounds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.compiled import compilable, inlined
from ...contract.policy import Choice
from ...randomness.ties import better
from ..flight import Flight, flight

__all__ = [
    "PER_ARM",
    "ArmMemory",
    "arm_memory",
    "foreseen",
    "forget_arms",
    "most_optimistic",
    "told_value",
    "total_of",
    "unheard",
]

_LAST = 1e200  # no reward is as large, see `driftwise.core.base.validation.LARGEST_REWARD`


@compilable
class ArmMemory(NamedTuple):
    """How often each arm was played, and what it earned."""

    counts: Vector  # (K,), rewards of each arm; weights, where old ones fade
    sums: Vector  # (K,), their sum
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.pending.arms, 0, self.counts.shape[-1] - 1)]


def arm_memory(n_arms: int) -> ArmMemory:
    """Return a memory for ``n_arms`` arms."""
    return ArmMemory(np.zeros(n_arms), np.zeros(n_arms), flight(0, (1, n_arms)))


@compilable
class PerArm(NamedTuple):
    """How a `Flight` sums up decisions where rewards are counted by arm: it counts those of each."""

    unused: int = 0  # the compiler cannot type a named tuple without fields

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add one to the number of an arm, or subtract it; see `Flight`."""
        gram[0, arm] += weight
        return weight


PER_ARM = PerArm()


@inlined
def forget_arms(arms: ArmMemory) -> None:
    """Write the state in which no arm was ever played."""
    for arm in range(arms.counts.size):
        arms.counts[arm] = 0.0
        arms.sums[arm] = 0.0
    arms.pending.land_all()


@inlined
def total_of(counts: Vector) -> float:
    """Return the sum of ``counts``, at least 1 so that it has a logarithm."""
    total = 0.0
    for arm in range(counts.size):
        total += counts[arm]
    return max(total, 1.0)


@inlined
def most_optimistic(memory: Any, scale: float, spread: float, luck: int) -> Choice:
    """Choose the arm with the largest mean + scale * sqrt(spread / count), ties at random.

    Decisions in flight count for the width. The index of an arm without rewards is infinite; so that
    a decision can be written as JSON, the value of its choice is nan.
    """
    best, bound, ties, root = 0, -math.inf, 0, math.sqrt(spread)
    for arm in range(memory.counts.size):
        count = memory.counts[arm]
        index = unheard(memory.pending, arm)
        if count > 0.0:
            # Root by root: a weight that has nearly faded would make the ratio itself infinite.
            width = root / math.sqrt(foreseen(memory.pending, arm, count))
            index = memory.sums[arm] / count + scale * width
        best, bound, ties = better(arm, index, best, bound, ties, luck)
    return Choice(best, 1.0 / ties, told_value(bound))


@inlined
def foreseen(pending: Any, arm: int, count: float) -> float:
    """Return how many rewards an arm will have had when all that is in flight has come."""
    flying = pending.number_of(arm)
    return count + flying if flying > 0.0 else count


@inlined
def unheard(pending: Any, arm: int) -> float:
    """Return the index of an arm without rewards.

    It comes first; but if one of its own is in flight, last, and the one with the fewest of those.
    """
    flying = pending.number_of(arm)
    return -_LAST * flying if flying > 0.0 else math.inf


@inlined
def told_value(index: float) -> float:
    """Return an index as the value of a choice: nan where it is that of an arm without rewards."""
    return index if -_LAST < index < math.inf else math.nan
