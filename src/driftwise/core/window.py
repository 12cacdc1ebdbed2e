"""The rounds of a sliding window, and the care that keeps the regression on them exact."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import compilable
from .protocols import Matrix, Vector
from .regression import Axes

__all__ = ["Ring", "ring"]

_COLLAPSE = 1e-4  # sums of x y this much smaller than they have been: too many digits are gone
_PATIENCE = 8  # windows between two rebuilds
_HEAD = 3  # columns before the action


@compilable
class Ring(NamedTuple):
    """The last rounds, the oldest overwritten first."""

    history: Matrix  # (window, 3 + d): reward, arm, |x||y|, action unless the arm says it all
    clock: NDArray[np.int64]  # rounds in the window, slot of the next, rounds since the rebuild
    moments: Vector  # sum of |x||y| in the window, its peak since the rebuild

    def empty(self) -> None:
        """Forget all rounds."""
        for i in range(3):
            self.clock[i] = 0
        self.moments[0] = 0.0
        self.moments[1] = 0.0

    def push(
        self, regression: Any, action: Vector, arm: int, reward: float, window: int, ridge: float
    ) -> None:
        """Let the newest round in and, if the window is full, the oldest one out."""
        count, slot, age = self.clock[0], self.clock[1], self.clock[2] + 1
        row = self.history[slot]
        is_exact = True
        if count == window:
            is_exact = regression.remove(row[_HEAD:], int(row[1]), row[0])
            self.moments[0] -= row[2]
        else:
            count += 1
        square = 0.0
        for i in range(action.size):
            square += action[i] * action[i]
        row[0] = reward
        row[1] = arm
        row[2] = math.sqrt(square) * abs(reward)
        for i in range(row.size - _HEAD):
            row[_HEAD + i] = action[i]
        self.moments[0] += row[2]
        self.moments[1] = max(self.moments[1], self.moments[0])
        slot += 1
        self.clock[0] = count
        self.clock[1] = slot if slot < window else 0
        self.clock[2] = age
        is_exact = is_exact and self.moments[0] >= _COLLAPSE * self.moments[1]
        # Rounding errors also grow slowly when nothing happens; a rebuild now and then ends that.
        if is_exact and age < _PATIENCE * window:
            regression.insert(action, arm, reward)
        else:
            self.rebuild(regression, ridge)

    def rebuild(self, regression: Any, ridge: float) -> None:
        """Count all rounds of the window again."""
        self.clock[2] = 0
        self.moments[0] = 0.0
        regression.clear(ridge)
        for t in range(self.clock[0]):
            row = self.history[t]
            regression.insert(row[_HEAD:], int(row[1]), row[0])
            self.moments[0] += row[2]
        self.moments[1] = self.moments[0]


def ring(window: int, dimension: int, regression: Any) -> Ring:
    """Return a ring with room for ``window`` rounds."""
    width = 0 if isinstance(regression, Axes) else dimension
    return Ring(np.zeros((window, _HEAD + width)), np.zeros(3, np.int64), np.zeros(2))
