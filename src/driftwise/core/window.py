"""The rounds of a sliding window, and the care that keeps the regression on them exact."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import compilable
from .protocols import Matrix, Vector
from .regression import Axes

__all__ = ["Ring", "ring"]

_COLLAPSE = 1e-4  # rewards this much smaller than they have been: too many digits are gone
_PATIENCE = 8  # windows between two rebuilds
_HEAD = 2  # columns before the action


@compilable
class Ring(NamedTuple):
    """The last rounds, the oldest overwritten first."""

    history: Matrix  # (window, 2 + d): reward, arm, action; no action where the arm says it all
    clock: NDArray[np.int64]  # rounds in the window, slot of the next, rounds since the rebuild
    rewards: Vector  # sum of |reward| in the window, its peak since the rebuild

    def empty(self) -> None:
        """Forget all rounds."""
        for i in range(3):
            self.clock[i] = 0
        self.rewards[0] = 0.0
        self.rewards[1] = 0.0

    def push(
        self, regression: Any, action: Vector, arm: int, reward: float, window: int, ridge: float
    ) -> None:
        """Let the newest round in and, if the window is full, the oldest one out."""
        count, slot, age = self.clock[0], self.clock[1], self.clock[2] + 1
        row = self.history[slot]
        is_exact = True
        if count == window:
            is_exact = regression.remove(row[_HEAD:], int(row[1]), row[0])
            self.rewards[0] -= abs(row[0])
        else:
            count += 1
        row[0] = reward
        row[1] = arm
        for i in range(row.size - _HEAD):
            row[_HEAD + i] = action[i]
        self.rewards[0] += abs(reward)
        self.rewards[1] = max(self.rewards[1], self.rewards[0])
        slot += 1
        self.clock[0] = count
        self.clock[1] = slot if slot < window else 0
        self.clock[2] = age
        is_exact = is_exact and self.rewards[0] >= _COLLAPSE * self.rewards[1]
        # Rounding errors also grow slowly when nothing happens; a rebuild now and then ends that.
        if is_exact and age < _PATIENCE * window:
            regression.insert(action, arm, reward)
        else:
            self.rebuild(regression, ridge)

    def rebuild(self, regression: Any, ridge: float) -> None:
        """Count all rounds of the window again."""
        self.clock[2] = 0
        self.rewards[0] = 0.0
        regression.clear(ridge)
        for t in range(self.clock[0]):
            row = self.history[t]
            regression.insert(row[_HEAD:], int(row[1]), row[0])
            self.rewards[0] += abs(row[0])
        self.rewards[1] = self.rewards[0]


def ring(window: int, dimension: int, regression: Any) -> Ring:
    """Return a ring with room for ``window`` rounds."""
    width = 0 if isinstance(regression, Axes) else dimension
    return Ring(np.zeros((window, _HEAD + width)), np.zeros(3, np.int64), np.zeros(2))
