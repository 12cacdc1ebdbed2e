"""The rounds of a sliding window, and the care that keeps the regression on them exact."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import called, compilable, compiled
from ...compiler.hints import natural
from ...linalg.factors import NOW, PEAK
from .regression import Axes

__all__ = [
    "ARM",
    "COUNT",
    "NO_ARM",
    "REWARD",
    "SLOT",
    "Ring",
    "extend_rounds",
    "forget_rounds",
    "ring",
]

_COLLAPSE = 1e-4  # sums of x y this much smaller than they have been: too many digits are gone
_PATIENCE = 8  # windows between two rebuilds

COUNT, SLOT, AGE = range(3)  # of `Ring.clock`
REWARD, ARM, MOMENT, ACTION = range(4)  # columns of `Ring.history`; the action takes the rest
NO_ARM = -1  # of a round in which nothing was learnt


@compilable
class Ring(NamedTuple):
    """The last rounds, the oldest overwritten first."""

    history: Matrix  # (window, 3 + d): reward, arm, |x||y|, action unless the arm says it all
    clock: NDArray[np.int64]  # rounds in the window, slot of the next, windows since the rebuild
    moments: Vector  # sum of |x||y| in the window: NOW, its PEAK since the rebuild

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        window = self.history.shape[-2]
        return [
            (self.history[..., ARM], NO_ARM, MOST),  # how many arms there are, the regression knows
            (self.clock[..., COUNT], 0, window),
            (self.clock[..., SLOT], 0, window - 1),
            (self.clock[..., AGE], 0, _PATIENCE),
        ]

    def empty(self) -> None:
        """Forget all rounds."""
        for i in range(self.clock.size):
            self.clock[i] = 0
        for i in range(self.moments.size):
            self.moments[i] = 0.0

    def push(
        self, regression: Any, action: Vector, arm: int, reward: float, window: int, ridge: float
    ) -> None:
        """Let the newest round in and, if the window is full, the oldest one out."""
        is_exact = self.let_out(regression, window)
        row = self.history[natural(self.clock[SLOT])]
        row[REWARD] = reward
        row[ARM] = arm
        row[MOMENT] = regression.length_of(action, arm) * abs(reward)
        for i in range(row.size - ACTION):
            row[ACTION + i] = action[i]
        if self.move_on(row[MOMENT], window) and is_exact:
            regression.insert(action, arm, reward)
        else:
            rebuild(self, regression, ridge)

    def skip(self, regression: Any, window: int, ridge: float) -> None:
        """Let a round without a reward in and, if the window is full, the oldest one out."""
        is_exact = self.let_out(regression, window)
        row = self.history[natural(self.clock[SLOT])]
        for i in range(row.size):
            row[i] = 0.0
        row[ARM] = NO_ARM
        if self.move_on(0.0, window) and is_exact:
            regression.flush()
        else:
            rebuild(self, regression, ridge)

    def let_out(self, regression: Any, window: int) -> bool:
        """Take the oldest round out if the window is full; return False if digits were lost."""
        if self.clock[COUNT] < window:
            self.clock[COUNT] += 1
            return True
        row = self.history[natural(self.clock[SLOT])]  # where the newest goes, the oldest lies
        self.moments[NOW] -= row[MOMENT]
        arm = int(row[ARM])
        return bool(arm == NO_ARM or regression.remove(row[ACTION:], arm, row[REWARD]))

    def move_on(self, moment: float, window: int) -> bool:
        """Count the round that was written; return False if a rebuild is due."""
        moment += self.moments[NOW]
        peak = max(self.moments[PEAK], moment)
        self.moments[NOW] = moment
        self.moments[PEAK] = peak
        slot, is_due = self.clock[SLOT] + 1, False
        if slot >= window:
            slot = 0
            self.clock[AGE] += 1
            # Rounding errors also grow when nothing happens; a rebuild now and then ends that.
            is_due = self.clock[AGE] >= _PATIENCE
        self.clock[SLOT] = slot
        return bool(not is_due and moment >= _COLLAPSE * peak)


@called  # it happens seldom
def rebuild(window: Ring, regression: Any, ridge: float) -> None:
    """Count all rounds of the window again."""
    window.clock[AGE] = 0
    window.moments[NOW] = 0.0
    regression.clear(ridge)
    for t in range(window.clock[COUNT]):
        row = window.history[t]
        if row[ARM] != NO_ARM:
            regression.insert(row[ACTION:], int(row[ARM]), row[REWARD])
            window.moments[NOW] += row[MOMENT]
    window.moments[PEAK] = window.moments[NOW]


def ring(window: int, dimension: int, regression: Any) -> Ring:
    """Return a ring with room for ``window`` rounds."""
    width = 0 if isinstance(regression, Axes) else dimension
    return Ring(np.zeros((window, ACTION + width)), np.zeros(3, np.int64), np.zeros(2))


def forget_rounds(memory: Any, unlearnt: Any, columns: slice) -> None:
    """Drop the rounds whose actions have some coordinates; in Python only.

    They become rounds without a reward. Both memories have a ``ring`` and a ``regression``.
    """
    history = memory.ring.history
    touched = history[:, ACTION:][:, columns].any(axis=1)
    history[touched] = 0.0
    history[touched, ARM] = NO_ARM
    recount(memory.ring, memory.regression, 1.0 / unlearnt.regression._prior())


def extend_rounds(memory: Any, former: Any, columns: NDArray[np.intp], factor: float) -> None:
    """Take over rounds whose actions had fewer coordinates, and were longer; in Python only."""
    mine, theirs = memory.ring.history, former.ring.history
    memory.ring.clock[:] = former.ring.clock
    mine[:, :ACTION] = theirs[:, :ACTION]
    mine[:, MOMENT] /= factor
    mine[:, ACTION + columns] = theirs[:, ACTION:] / factor
    recount(memory.ring, memory.regression, 1.0 / memory.regression._prior())


@compiled
def recount(window: Ring, regression: Any, ridge: float) -> None:
    """Count all rounds of the window again, from Python."""
    rebuild(window, regression, ridge)
