"""The rounds of a sliding window, and the care that keeps the regression on them exact."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import called, compilable
from ...compiler.hints import natural
from .listed import Listed
from .regression import Axes

__all__ = ["Ring", "last_arm", "ring"]

_COLLAPSE = 1e-4  # sums of x y this much smaller than they have been: too many digits are gone
_PATIENCE = 8  # windows between two rebuilds
_HEAD = 3  # columns before the action


@compilable
class Ring(NamedTuple):
    """The last rounds, the oldest overwritten first."""

    history: Matrix  # (window, 3 + d): reward, arm, |x||y|, action unless the arm says it all
    clock: NDArray[np.int64]  # rounds in the window, slot of the next, windows since the rebuild
    moments: Vector  # sum of |x||y| in the window, its peak since the rebuild

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        window = self.history.shape[-2]
        return [
            (self.history[..., 1], 0, MOST),  # how many arms there are, the regression knows
            (self.clock[..., 0], 0, window),
            (self.clock[..., 1], 0, window - 1),
            (self.clock[..., 2], 0, _PATIENCE),
        ]

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
        count, slot = self.clock[0], self.clock[1]
        row = self.history[natural(slot)]
        moment, is_exact = self.moments[0], True
        if count >= window:
            is_exact = regression.remove(row[_HEAD:], int(row[1]), row[0])
            moment -= row[2]
        else:
            self.clock[0] = count + 1
        row[0] = reward
        row[1] = arm
        row[2] = regression.length_of(action, arm) * abs(reward)
        for i in range(row.size - _HEAD):
            row[_HEAD + i] = action[i]
        moment += row[2]
        peak = max(self.moments[1], moment)
        self.moments[0] = moment
        self.moments[1] = peak
        slot += 1
        if slot >= window:
            slot = 0
            self.clock[2] += 1
            # Rounding errors also grow when nothing happens; a rebuild now and then ends that.
            is_exact = is_exact and self.clock[2] < _PATIENCE
        self.clock[1] = slot
        if is_exact and moment >= _COLLAPSE * peak:
            regression.insert(action, arm, reward)
        else:
            rebuild(self, regression, ridge)


@called  # it happens seldom
def rebuild(window: Ring, regression: Any, ridge: float) -> None:
    """Count all rounds of the window again."""
    window.clock[2] = 0
    window.moments[0] = 0.0
    regression.clear(ridge)
    for t in range(window.clock[0]):
        row = window.history[t]
        regression.insert(row[_HEAD:], int(row[1]), row[0])
        window.moments[0] += row[2]
    window.moments[1] = window.moments[0]


def ring(window: int, dimension: int, regression: Any) -> Ring:
    """Return a ring with room for ``window`` rounds."""
    width = 0 if isinstance(regression, Axes) else dimension
    return Ring(np.zeros((window, _HEAD + width)), np.zeros(3, np.int64), np.zeros(2))


def last_arm(regression: Any) -> int:
    """Return the last arm that a regression has, or no bound if it looks none up."""
    if isinstance(regression, Axes):
        return int(regression.axis.shape[-1]) - 1
    if isinstance(regression, Listed):
        return int(regression.rows.shape[-2]) - 1
    return MOST
