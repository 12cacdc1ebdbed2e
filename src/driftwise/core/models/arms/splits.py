"""Rewards of arms since the last alarm, and a test of each arm for a change (Besson et al., 2022)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable, inlined
from ...compiler.elementary import log
from ..flight import Flight, flight
from .bernoulli import divergence

__all__ = [
    "NUMBER",
    "REWARDS",
    "SplitMemory",
    "begin",
    "count",
    "is_alarmed",
    "open_episode",
]

NUMBER, REWARDS = range(2)  # of `SplitMemory.episode`


@compilable
class SplitMemory(NamedTuple):
    """What each arm has earned in an episode, and after every stride of rewards."""

    counts: Vector  # (K,), rewards of each arm
    sums: Vector  # (K,), their sum, scaled to [0, 1]
    splits: Matrix  # (K, splits), the sum of the first 1, 2, 3, ... strides of rewards of an arm
    kept: NDArray[np.int64]  # (K,), how many splits are kept
    strides: NDArray[np.int64]  # (K,), how many rewards lie between two splits
    episode: NDArray[np.int64]  # its number, from 1; rewards that came in it
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [
            (self.counts, 0, MOST),
            (self.kept, 0, self.splits.shape[-1]),
            (self.strides, 1, MOST),
            (self.episode[..., NUMBER], 1, MOST),
            (self.episode[..., REWARDS], 0, MOST),
            (self.pending.arms, 0, self.counts.shape[-1] - 1),
        ]


def begin(n_arms: int, n_splits: int) -> SplitMemory:
    """Return a memory for ``n_arms`` arms that keeps at most ``n_splits`` splits of each."""
    (counts, sums), (kept, strides) = np.zeros((2, n_arms)), np.zeros((2, n_arms), np.int64)
    splits, episode = np.zeros((n_arms, n_splits)), np.zeros(2, np.int64)
    return SplitMemory(counts, sums, splits, kept, strides, episode, flight(0, (1, n_arms)))


@inlined
def open_episode(memory: SplitMemory) -> None:
    """Forget all rewards."""
    memory.episode[NUMBER] += 1
    memory.episode[REWARDS] = 0
    for arm in range(memory.counts.size):
        memory.counts[arm] = 0.0
        memory.sums[arm] = 0.0
        memory.kept[arm] = 0
        memory.strides[arm] = 1


@inlined
def count(memory: SplitMemory, arm: int, reward: float) -> None:
    """Count a reward, and note what its arm has earned so far if a stride is complete."""
    memory.counts[arm] += 1.0
    memory.sums[arm] += reward
    memory.episode[REWARDS] += 1
    n, splits, kept = int(memory.counts[arm]), memory.splits[arm], memory.kept[arm]
    is_full = kept == splits.size
    if is_full and n % memory.strides[arm] == 0:
        # Keep those at even multiples of the stride.
        kept = splits.size // 2
        for i in range(kept):
            splits[i] = splits[2 * i + 1]
        memory.kept[arm] = kept
        memory.strides[arm] *= 2
    if n % memory.strides[arm] == 0:
        splits[kept] = memory.sums[arm]
        memory.kept[arm] = kept + 1


@inlined
def is_alarmed(memory: SplitMemory, arm: int, confidence: float) -> bool:
    """Return whether some split of an arm's rewards shows a change."""
    n, total = memory.counts[arm], memory.sums[arm]
    threshold = log(4.0) + 1.5 * log(n) - log(confidence)
    for i in range(memory.kept[arm]):
        before = float((i + 1) * memory.strides[arm])
        after = n - before
        if after > 0.0:
            first = memory.splits[arm, i] / before
            # A difference of rounded sums may leave [0, 1] by a hair.
            last = min(max((total - memory.splits[arm, i]) / after, 0.0), 1.0)
            evidence = before * divergence(first, total / n)
            evidence += after * divergence(last, total / n)
            if evidence > threshold:
                return True
    return False
