"""The bank of Kalman filters for arms on the axes: everything is diagonal.

It has the interface of `driftwise.core.models.kalman.filters.FilterDense`, which gives the formulas.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.compiled import compilable
from ...randomness.ties import better
from .mixture import BROADEN, ERROR, GROWTH, KEEP, LEAP, PULL, REACH, VARIANCE, WEIGHT
from .probe import promise

__all__ = ["FilterAxes"]

MEAN, SPREAD = range(2)  # of `FilterAxes.moments`
CENTRE, TOTAL_SPREAD, STALENESS = range(3)  # rows of `FilterAxes.summary`
AXIS, LENGTH, WATCHED_AXIS, WATCHED_LENGTH = range(4)  # of `FilterAxes.played`


@compilable
class FilterAxes(NamedTuple):
    """For one decision set whose rows lie on the axes: everything is diagonal."""

    axis: NDArray[np.int64]  # (K,), the axis of each row
    length: Vector  # (K,), the one coordinate that is not zero
    moments: NDArray[np.float64]  # (2, d, M): m_j; the diagonal of P_j
    summary: Matrix  # (3, d): the mean of the mixture; the diagonals of C and U
    played: Vector  # axis and length of the newest action; of one that is watched

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        last = self.summary.shape[-1] - 1
        return [(self.axis, 0, last), (self.played[..., [AXIS, WATCHED_AXIS]], 0, last)]

    def know_nothing(self, variance: float, rate: float, mixture: Any) -> None:
        """Return to the prior N(0, variance I), and let the first round begin."""
        for i in range(self.played.size):
            self.played[i] = 0.0
        for i in range(self.summary.shape[1]):
            self.summary[STALENESS, i] = 0.0
            for j in range(self.moments.shape[2]):
                self.moments[MEAN, i, j] = 0.0
                self.moments[SPREAD, i, j] = variance
        self.advance(rate, mixture)

    def predict(
        self, action: Vector, arm: int, reward: float, longest: float, mixture: Any
    ) -> None:
        """Write what each filter says of the reward: its variance and its error."""
        table, i, x = mixture.table, self.axis[arm], self.length[arm]
        shrink = longest / abs(x) if abs(x) > longest else 1.0
        x *= shrink
        y = shrink * reward
        self.played[AXIS] = i
        self.played[LENGTH] = x
        for j in range(self.moments.shape[2]):
            table[VARIANCE, j] = x * x * self.moments[SPREAD, i, j]
            table[ERROR, j] = y - x * self.moments[MEAN, i, j]

    def see(self, ratio: float) -> tuple[float, float]:
        """Let the probe know which action was played.

        Return how long it had gone unseen, and its squared length.
        """
        i, x = int(self.played[AXIS]), self.played[LENGTH]
        stale: float = self.summary[STALENESS, i]
        # U - (U x)^2 / (x U x + ratio), without the difference of nearly equal numbers.
        self.summary[STALENESS, i] = stale * (ratio / (x * x * stale + ratio))
        return stale, x * x

    def watch(self) -> None:
        """Keep an eye on the newest action."""
        self.played[WATCHED_AXIS] = self.played[AXIS]
        self.played[WATCHED_LENGTH] = self.played[LENGTH]

    def outlook(self) -> tuple[float, float]:
        """Return the mean and the variance of the action that is watched, by the mixture."""
        i, x = int(self.played[WATCHED_AXIS]), self.played[WATCHED_LENGTH]
        return x * self.summary[CENTRE, i], x * x * self.summary[TOTAL_SPREAD, i]

    def correct(self, rate: float, mixture: Any) -> None:
        """Move all filters towards the reward, and let the next round begin."""
        table, i, x = mixture.table, int(self.played[AXIS]), self.played[LENGTH]
        jump = 1.0 / x if x * x > 0.0 else 0.0  # no reward shows anything of it otherwise
        for j in range(self.moments.shape[2]):
            along = x * self.moments[SPREAD, i, j]
            reach = along * table[REACH, j]
            left = max(self.moments[SPREAD, i, j] - reach * reach, 0.0)
            heading = jump - reach * table[REACH, j]
            self.moments[MEAN, i, j] += along * table[PULL, j] + table[LEAP, j] * heading
            self.moments[SPREAD, i, j] = left + table[BROADEN, j] * heading * heading
        self.advance(rate, mixture)

    def rest(self, rate: float, mixture: Any) -> None:
        """Let a round pass without a reward."""
        self.advance(rate, mixture)

    def advance(self, rate: float, mixture: Any) -> None:
        """Let every P_j grow; let directions age; mix the filters."""
        weights, growth, keep = mixture.table[WEIGHT], mixture.table[GROWTH], mixture.table[KEEP]
        n = self.moments.shape[2]
        for i in range(self.summary.shape[1]):
            centres, spread = self.moments[MEAN, i], self.moments[SPREAD, i]
            centre, square = 0.0, 0.0
            for j in range(n):
                spread[j] = keep[j] * spread[j] + growth[j]
            for j in range(n):
                centre += weights[j] * centres[j]
            for j in range(n):
                apart = centres[j] - centre
                square += weights[j] * (spread[j] + apart * apart)
            self.summary[CENTRE, i] = centre
            self.summary[TOTAL_SPREAD, i] = square
            self.summary[STALENESS, i] += rate

    def promising(
        self, actions: Matrix, width: float, parameter_norm: float, luck: int
    ) -> tuple[int, float, int]:
        """Return the arm that promises most, what it promises, and how many tie."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(self.axis.size):
            i, x = self.axis[arm], self.length[arm]
            spread = width * abs(x) * math.sqrt(self.summary[TOTAL_SPREAD, i])
            most = parameter_norm * abs(x)
            value = promise(x * self.summary[CENTRE, i], spread, self.summary[STALENESS, i], most)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def solution(self) -> Vector:
        """Return a copy of the mean of the mixture."""
        return np.array(self.summary[CENTRE])

    def covariances(self) -> tuple[Matrix, Matrix]:
        """Return copies of C and U; runs in Python only."""
        return np.diag(self.summary[TOTAL_SPREAD]), np.diag(self.summary[STALENESS])
