"""The last rewards of a K-armed bandit, and what each arm earned among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable, inlined
from ..flight import Flight, flight

__all__ = ["NO_ARM", "ArmWindow", "admit", "arm_window", "forget_window"]

COUNT, SLOT, OLDER = range(3)  # of `ArmWindow.clock`
NO_ARM = -1  # of a round in which nothing was learnt


@compilable
class ArmWindow(NamedTuple):
    """The rewards of a sliding window, in two parts, so that nothing is ever subtracted.

    A sum from which old rewards are subtracted keeps their rounding errors: one reward of 1e20, long
    gone, and every digit of the sum is wrong. Here the older part of the window knows, for each of
    its rewards, the sum of its arm's later ones in that part, so what is left when a reward goes is
    looked up. When the older part is used up, the newer one takes its place and is counted once,
    backwards: O(1) per round on average, O(window) in one round of each window.
    """

    counts: Vector  # (K,), rewards of each arm in the window
    sums: Vector  # (K,), their sum: older + newer
    older: Vector  # (K,), the sum of those in the older part
    newer: Vector  # (K,), the sum of those in the newer part
    played: NDArray[np.int64]  # (window,), the arm of each reward, or NO_ARM
    earned: Vector  # (window,), each reward
    later: Vector  # (window,), in the older part: sum of the same arm's later rewards in it
    clock: NDArray[np.int64]  # rounds in the window, slot of the next, rounds in the older part
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        n_arms, window = self.counts.shape[-1], self.played.shape[-1]
        return [
            (self.counts, 0, MOST),
            (self.played, NO_ARM, n_arms - 1),
            (self.clock, 0, window),
            (self.clock[..., SLOT], 0, window - 1),
            (self.pending.arms, 0, n_arms - 1),
        ]


def arm_window(n_arms: int, window: int) -> ArmWindow:
    """Return a memory of the last ``window`` rewards."""
    return ArmWindow(
        np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms),
        np.zeros(window, np.int64), np.zeros(window), np.zeros(window), np.zeros(3, np.int64),
        flight(0, (1, n_arms), window),
    )  # fmt: skip


@inlined
def forget_window(memory: ArmWindow) -> None:
    """Forget all rewards."""
    for arm in range(memory.counts.size):
        memory.counts[arm] = 0.0
        memory.sums[arm] = 0.0
        memory.older[arm] = 0.0
        memory.newer[arm] = 0.0
    for i in range(memory.clock.size):
        memory.clock[i] = 0
    memory.pending.land_all()


@inlined
def admit(memory: ArmWindow, arm: int, reward: float, window: int) -> None:
    """Let the newest reward in and, if the window is full, the oldest one out.

    `NO_ARM` and 0 are a round in which nothing was learnt.
    """
    slot = memory.clock[SLOT]
    if memory.clock[COUNT] >= window:
        if memory.clock[OLDER] == 0:
            _turn_over(memory, window)
        memory.clock[OLDER] -= 1
        gone = memory.played[slot]  # where the newest goes, the oldest lies
        if gone != NO_ARM:
            memory.counts[gone] -= 1.0
            memory.older[gone] = memory.later[slot]
            memory.sums[gone] = memory.older[gone] + memory.newer[gone]
    else:
        memory.clock[COUNT] += 1
    memory.played[slot] = arm
    memory.earned[slot] = reward
    memory.clock[SLOT] = slot + 1 if slot + 1 < window else 0
    if arm != NO_ARM:
        memory.counts[arm] += 1.0
        memory.newer[arm] += reward
        memory.sums[arm] = memory.older[arm] + memory.newer[arm]


@inlined
def _turn_over(memory: ArmWindow, window: int) -> None:
    """Make the whole window its older part."""
    for arm in range(memory.older.size):
        memory.older[arm] = 0.0
        memory.newer[arm] = 0.0
    slot = memory.clock[SLOT]
    for _ in range(window):
        slot = slot - 1 if slot > 0 else window - 1
        arm = memory.played[slot]
        if arm != NO_ARM:
            memory.later[slot] = memory.older[arm]
            memory.older[arm] += memory.earned[slot]
    memory.clock[OLDER] = window
