"""The same for one decision set whose rows lie on the axes: see `driftwise.core.models.discounted.fading`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.compiled import compilable
from ...randomness import draws
from ...randomness.normals import normal
from ...randomness.ties import better
from ..ridge.ellipsoid import optimism

__all__ = ["FadingAxes"]

ONCE, TWICE, RESPONSE = range(3)  # rows of `FadingAxes.sums`: V, and W, which fades twice


@compilable
class FadingAxes(NamedTuple):
    """For one decision set whose rows lie on the axes: everything is diagonal."""

    axis: NDArray[np.int64]  # (K,), the axis of each row
    length: Vector  # (K,), the one coordinate that is not zero
    sums: Matrix  # (3, d): V; W; sum of g^age x y

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.axis, 0, self.sums.shape[-1] - 1)]

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        for i in range(self.sums.shape[1]):
            self.sums[ONCE, i] = ridge
            self.sums[TWICE, i] = ridge
            self.sums[RESPONSE, i] = 0.0

    def fade(
        self, action: Vector, arm: int, reward: float, discount: float, ridge: float, sandwich: int
    ) -> None:
        """Weigh all rounds down and take one in; errors by V^-1 (``sandwich=0``), or V^-1 W V^-1."""
        self.dim(discount, ridge, sandwich)
        i, x = self.axis[arm], self.length[arm]
        self.sums[ONCE, i] += x * x
        self.sums[TWICE, i] += x * x
        self.sums[RESPONSE, i] += x * reward

    def dim(self, discount: float, ridge: float, sandwich: int) -> None:
        """Weigh all rounds down as `fade` does, and take none in."""
        other = discount if sandwich == 0 else discount * discount
        top, other_top = (1.0 - discount) * ridge, (1.0 - other) * ridge
        for i in range(self.sums.shape[1]):
            self.sums[ONCE, i] = discount * self.sums[ONCE, i] + top
            self.sums[TWICE, i] = other * self.sums[TWICE, i] + other_top
            self.sums[RESPONSE, i] *= discount

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add the square of an action to a sum of such, axis by axis, or subtract it; see `Flight`."""
        change = weight * (self.length[arm] * self.length[arm])
        gram[0, self.axis[arm]] += change
        return change  # type: ignore[no-any-return]  # a float

    def ahead(self, gram: Matrix) -> FadingAxes:
        """Return the regression with the same estimate, and ``gram`` added to V and to W."""
        sums = np.empty(self.sums.shape)
        for i in range(self.sums.shape[1]):
            before = self.sums[ONCE, i]
            sums[ONCE, i] = before + gram[0, i]
            sums[TWICE, i] = self.sums[TWICE, i] + gram[0, i]
            sums[RESPONSE, i] = self.sums[RESPONSE, i] / before * sums[ONCE, i]
        return FadingAxes(self.axis, self.length, sums)

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(self.axis.size):
            i = self.axis[arm]
            lever = self.length[arm] / self.sums[ONCE, i]
            value = optimism(
                lever * self.sums[RESPONSE, i], lever * lever * self.sums[TWICE, i], radius
            )
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(self.axis.size):
            i = self.axis[arm]
            lever = self.length[arm] / self.sums[ONCE, i]
            z = spread * math.sqrt(self.sums[TWICE, i]) * normal(luck, i)
            value = lever * (self.sums[RESPONSE, i] + z)
            best, bound, ties = better(arm, value, best, bound, ties, draws.fork(luck))
        return best, bound, ties

    def solution(self) -> Vector:
        """Return the estimate."""
        return np.asarray(self.sums[RESPONSE] / self.sums[ONCE])

    def error_shape(self) -> Vector:
        """Return the diagonal of V^-1 W V^-1, which has no more; in Python only."""
        return np.asarray(self.sums[TWICE] / (self.sums[ONCE] * self.sums[ONCE]))
