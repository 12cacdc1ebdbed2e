"""Ridge regression for one decision set whose rows lie on the axes: no matrix is needed.

The methods are those of all layouts, see `driftwise.core.models.ridge.regression`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.compiled import compilable
from ...compiler.elementary import log
from ...compiler.hints import natural
from ...linalg.factors import LEAST_TOTAL
from ...randomness import draws
from ...randomness.normals import normal
from ...randomness.ties import better

__all__ = ["Axes", "TwoArms"]

GRAM, RESPONSE, PEAK_GRAM = range(3)  # rows of `Axes.sums`


@compilable
class Axes(NamedTuple):
    """For one decision set whose rows lie on the axes: V is diagonal, so there is no matrix."""

    axis: NDArray[
        np.uint32
    ]  # (K,), the axis of each row; unsigned, see `driftwise.core.compiler.hints`
    length: Vector  # (K,), the one coordinate that is not zero
    sums: Matrix  # (3, d): the diagonal of V; sum of x y; the largest V since the last rebuild

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.axis, 0, self.sums.shape[-1] - 1)]

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        for i in range(self.sums.shape[1]):
            self.sums[GRAM, i] = ridge
            self.sums[RESPONSE, i] = 0.0
            self.sums[PEAK_GRAM, i] = ridge

    def insert(self, action: Vector, arm: int, reward: float) -> None:
        """Take one observation in."""
        k = natural(arm)
        i, x = self.axis[k], self.length[k]
        gram = self.sums[GRAM, i] + x * x
        self.sums[GRAM, i] = gram
        self.sums[RESPONSE, i] += x * reward
        self.sums[PEAK_GRAM, i] = max(self.sums[PEAK_GRAM, i], gram)

    def remove(self, action: Vector, arm: int, reward: float) -> bool:
        """Take one observation out; return False if digits were lost and a rebuild is due."""
        k = natural(arm)
        i, x = self.axis[k], self.length[k]
        after = self.sums[GRAM, i] - x * x
        self.sums[GRAM, i] = after
        self.sums[RESPONSE, i] -= x * reward
        return bool(after > LEAST_TOTAL * self.sums[PEAK_GRAM, i])

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add the square of an action to a sum of such, axis by axis, or subtract it; see `Flight`."""
        change = weight * (self.length[arm] * self.length[arm])
        gram[0, self.axis[arm]] += change
        return change  # type: ignore[no-any-return]  # a float

    def ahead(self, gram: Matrix) -> Axes:
        """Return the regression with the same estimate, and ``gram`` added to V."""
        sums = np.empty(self.sums.shape)
        for i in range(self.sums.shape[1]):
            before = self.sums[GRAM, i]
            sums[GRAM, i] = before + gram[0, i]
            sums[RESPONSE, i] = self.sums[RESPONSE, i] / before * sums[GRAM, i]
            sums[PEAK_GRAM, i] = sums[GRAM, i]
        return Axes(self.axis, self.length, sums)

    def flush(self) -> None:
        """Do nothing: no removal waits for the next insertion, as it does in `Listed`."""

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(self.axis.size):
            value = self.promise(arm, radius)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def promise(self, arm: int, radius: float) -> float:
        """Return mean + radius * width of one arm."""
        i, x = self.axis[arm], self.length[arm]
        lever = x / self.sums[GRAM, i]
        return lever * self.sums[RESPONSE, i] + radius * math.sqrt(lever * x)  # type: ignore[no-any-return]  # a float

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(self.axis.size):
            i, x = self.axis[arm], self.length[arm]
            gram = self.sums[GRAM, i]
            z = spread / math.sqrt(gram) * normal(luck, i)
            value = x * (self.sums[RESPONSE, i] / gram + z)
            best, bound, ties = better(arm, value, best, bound, ties, draws.fork(luck))
        return best, bound, ties

    def length_of(self, action: Vector, arm: int) -> float:
        """Return the length of an action."""
        return abs(self.length[natural(arm)])  # type: ignore[no-any-return]  # a float

    def log_growth(self, ridge: float) -> float:
        """Return ln(det V / ridge^d)."""
        total = 0.0
        for i in range(self.sums.shape[1]):
            total += log(self.sums[GRAM, i] / ridge)
        return total

    def copy_from(self, other: Any) -> None:
        """Take over the estimate and the widths of another regression of this layout."""
        for i in range(self.sums.shape[1]):
            self.sums[GRAM, i] = other.sums[GRAM, i]
            self.sums[RESPONSE, i] = other.sums[RESPONSE, i]

    def solution(self) -> Vector:
        """Return the estimate."""
        return np.asarray(self.sums[RESPONSE] / self.sums[GRAM])

    def error_shape(self) -> Vector:
        """Return the diagonal of V^-1, which has no more; in Python only."""
        return np.asarray(1.0 / self.sums[GRAM])


@compilable
class TwoArms(Axes):
    """For two arms, the unit vectors of a plane, the most frequent case: a fifth faster.

    No length is looked up, or multiplied by. Luck is named once, where the two tie, so the compiler
    works it out there, not in every round.
    """

    __slots__ = ()

    def insert(self, action: Vector, arm: int, reward: float) -> None:
        """Take one observation in."""
        k = natural(arm)
        gram = self.sums[GRAM, k] + 1.0
        self.sums[GRAM, k] = gram
        self.sums[RESPONSE, k] += reward
        self.sums[PEAK_GRAM, k] = max(self.sums[PEAK_GRAM, k], gram)

    def remove(self, action: Vector, arm: int, reward: float) -> bool:
        """Take one observation out; return False if digits were lost and a rebuild is due."""
        k = natural(arm)
        after = self.sums[GRAM, k] - 1.0
        self.sums[GRAM, k] = after
        self.sums[RESPONSE, k] -= reward
        return bool(after > LEAST_TOTAL * self.sums[PEAK_GRAM, k])

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        return better(1, self.promise(1, radius), 0, self.promise(0, radius), 1, luck)

    def promise(self, arm: int, radius: float) -> float:
        """Return mean + radius * width of one arm."""
        lever = 1.0 / self.sums[GRAM, arm]
        return lever * self.sums[RESPONSE, arm] + radius * math.sqrt(lever)  # type: ignore[no-any-return]  # a float

    def length_of(self, action: Vector, arm: int) -> float:
        """Return the length of an action."""
        return 1.0
