"""Every reward of an episode: which arms have changed, and which are bad (Auer et al., 2019)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable, inlined
from ..flight import Flight, flight

__all__ = [
    "NUMBER",
    "SwitchMemory",
    "begin",
    "begin_episode",
    "evict",
    "has_changed",
    "note",
]

NUMBER, REWARDS = range(2)  # of `SwitchMemory.episode`
COUNT, SUM, GAP, LEVEL = range(4)  # rows of `SwitchMemory.scratch`

_FAR = 1e150  # further than any bound on a mean


@compilable
class SwitchMemory(NamedTuple):
    """Every reward of an episode, and what is known of each arm."""

    played: NDArray[np.int64]  # (horizon,), the arm of each reward of the episode
    earned: Vector  # (horizon,), each reward
    episode: NDArray[np.int64]  # its number, from 1; rewards that came in it
    counts: Vector  # (K,), rewards of each arm
    latest: Vector  # (K,), when the last reward of each arm came, from 1; 0 for never
    is_bad: NDArray[np.bool_]  # (K,), whether an arm was evicted
    levels: Vector  # (K,), of a bad arm: its mean when it was evicted
    gaps: Vector  # (K,), and how far that was from the best
    targets: Vector  # (K,), up to how many rewards of a bad arm it must be sampled
    lowest: Vector  # (K,), the smallest upper bound of a good arm's mean in any interval
    highest: Vector  # (K,), the largest lower bound
    scratch: Matrix  # (4, K), in a check: count, sum, gap at eviction, level at eviction
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [
            (self.played, 0, self.counts.shape[-1] - 1),
            (self.episode[..., NUMBER], 1, MOST),
            (self.episode[..., REWARDS], 0, self.played.shape[-1] - 1),
            (self.counts, 0, MOST),
            (self.latest, 0, MOST),
            (self.pending.arms, 0, self.counts.shape[-1] - 1),
        ]


def begin(n_arms: int, horizon: int) -> SwitchMemory:
    """Return a memory for ``n_arms`` arms, and as many rewards as the horizon has rounds."""
    counts, latest, levels, gaps, targets, lowest, highest = np.zeros((7, n_arms))
    return SwitchMemory(
        np.zeros(horizon, np.int64), np.zeros(horizon), np.zeros(2, np.int64), counts, latest,
        np.zeros(n_arms, np.bool_), levels, gaps, targets, lowest, highest, np.zeros((4, n_arms)),
        flight(0, (1, n_arms)),
    )  # fmt: skip


@inlined
def begin_episode(memory: SwitchMemory) -> None:
    """Forget all rewards."""
    memory.episode[NUMBER] += 1
    memory.episode[REWARDS] = 0
    for arm in range(memory.counts.size):
        memory.counts[arm] = 0.0
        memory.latest[arm] = 0.0
        memory.is_bad[arm] = False
        memory.targets[arm] = 0.0
        memory.lowest[arm] = _FAR
        memory.highest[arm] = -_FAR


@inlined
def note(memory: SwitchMemory, arm: int, reward: float) -> int:
    """Note a reward; return how many there are in the episode."""
    n = memory.episode[REWARDS]
    memory.played[n] = arm
    memory.earned[n] = reward
    memory.episode[REWARDS] = n + 1
    memory.counts[arm] += 1.0
    memory.latest[arm] = n + 1.0
    return int(n + 1)


@inlined
def has_changed(
    memory: SwitchMemory, reward_range: float, eviction: float, logarithm: float
) -> bool:
    """Look at all intervals that end now, the shortest first, for changes and evictions.

    These are steps 1 to 3 of `AdSwitch`; ``logarithm`` is ln T.
    """
    counts, sums, gaps, levels = (
        memory.scratch[COUNT], memory.scratch[SUM], memory.scratch[GAP], memory.scratch[LEVEL],
    )  # fmt: skip
    n_arms = counts.size
    for arm in range(n_arms):
        counts[arm] = 0.0
        sums[arm] = 0.0
        gaps[arm] = 0.0
    is_changed = False
    for i in range(memory.episode[REWARDS]):
        s = memory.episode[REWARDS] - 1 - i
        arm = memory.played[s]
        counts[arm] += 1.0
        sums[arm] += memory.earned[s]
        mean = sums[arm] / counts[arm]
        width = reward_range * math.sqrt(2.0 * logarithm / counts[arm])
        if memory.is_bad[arm]:
            distance = abs(mean - memory.levels[arm])
            is_changed = is_changed or distance > 0.25 * memory.gaps[arm] + width
            continue
        memory.lowest[arm] = min(memory.lowest[arm], mean + width)
        memory.highest[arm] = max(memory.highest[arm], mean - width)
        best = -_FAR
        for k in range(n_arms):
            if not memory.is_bad[k] and counts[k] > 0.0:
                best = max(best, sums[k] / counts[k])
        for k in range(n_arms):
            if not memory.is_bad[k] and counts[k] > 1.0:
                gap = best - sums[k] / counts[k]
                enough = math.sqrt(eviction * logarithm / (counts[k] - 1.0))
                if gap > reward_range * enough:
                    gaps[k] = gap
                    levels[k] = sums[k] / counts[k]
    for arm in range(n_arms):
        # The bounds of two intervals exclude each other. If this came about now, one of the
        # two ends now; before now, the episode would have ended then.
        if not memory.is_bad[arm] and memory.highest[arm] > memory.lowest[arm]:
            is_changed = True
    return is_changed


@inlined
def evict(memory: SwitchMemory) -> int:
    """Take the arms out that `has_changed` found to be bad; return how many are left."""
    n_good = 0
    for arm in range(memory.counts.size):
        if not memory.is_bad[arm] and memory.scratch[GAP, arm] > 0.0:
            memory.is_bad[arm] = True
            memory.gaps[arm] = memory.scratch[GAP, arm]
            memory.levels[arm] = memory.scratch[LEVEL, arm]
            memory.targets[arm] = 0.0
        if not memory.is_bad[arm]:
            n_good += 1
    return n_good
