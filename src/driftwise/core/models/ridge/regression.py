"""Ridge regression that can take observations in and out, in five layouts with one interface.

With V = ridge * I + sum of x x' over the observations, the estimate is V^-1 (sum of x y). A policy
is written once against the methods below; `begin` picks the layout, and the compiler makes one
version of the policy per layout. Costs, in multiplications:

=========  ====================================  =============  =================
layout     decision sets                         optimistic     insert, remove
=========  ====================================  =============  =================
`Dense`    any                                   K d^2 / 2      3 d^2 / 2
`Listed`   the same set every round              K              3 d^2 / 2 + K d
`Axes`     the same set, each row on one axis    K              1
`TwoArms`  the unit vectors of a plane           2              1
`Ball`     the unit ball, see `core.models.ridge.ball`        25 d^3         3 d^2 / 2
=========  ====================================  =============  =================
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
from ...contract.unit_ball import UnitBall
from ...linalg.aligned import aligned_zeros
from ...linalg.cutting import covariance_of, cut, write_factors
from ...linalg.factors import (
    LEAST_TOTAL,
    change,
    clear_factors,
    copy_factors,
    inverse_of,
    log_growth_of,
)
from ...linalg.kernels import euclidean
from ...linalg.unit_rows import axes_of
from ...randomness import draws
from ...randomness.normals import normal
from ...randomness.ties import better
from .ball import Ball
from .ellipsoid import best_for, most_optimistic, sampled
from .listed import Listed

__all__ = ["Axes", "Ball", "Dense", "Listed", "TwoArms", "begin"]

GRAM, RESPONSE, PEAK_GRAM = range(3)  # rows of `Axes.sums`


def begin(
    n_arms: int, dimension: int, fixed: Matrix | UnitBall | None
) -> Axes | Listed | Dense | Ball:
    """Return the cheapest regression for these decision sets, with nothing in it yet."""
    if fixed is None:
        return Dense(*_factors(dimension))
    if isinstance(fixed, UnitBall):
        return Ball(Dense(*_factors(dimension)))
    on_axes = axes_of(fixed)
    if on_axes is not None:
        axis, length = on_axes
        layout = TwoArms if n_arms == 2 and np.array_equal(fixed, np.eye(2)) else Axes
        return layout(axis.astype(np.uint32), length, np.zeros((3, dimension)))
    # Copies: a read-only array would have another type, and the policy another compiled version.
    rows, columns = np.array(fixed), aligned_zeros(dimension, n_arms)
    columns[:] = fixed.T
    return Listed(rows, columns, aligned_zeros(5, n_arms), np.zeros(2), *_factors(dimension, 3))


def _factors(dimension: int, n_scratch: int = 2) -> tuple[Matrix, Vector, Vector, Matrix, Vector]:
    d = dimension
    return np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros((n_scratch, d)), np.zeros(2)


@compilable
class Dense(NamedTuple):
    """For decision sets that change."""

    root: Matrix  # (d, d), below its diagonal: U of V^-1 = U D U', column by column
    pivots: Vector  # (d,), D
    estimate: Vector  # (d,), the ridge solution
    scratch: Matrix  # (2, d): WHITENED and SOLVED of `core.linalg.factors`
    volume: Vector  # det V over its value at the last rebuild: NOW, at its PEAK

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        clear_factors(self.root, self.pivots, self.estimate, self.volume, ridge)

    def insert(self, action: Vector, arm: int, reward: float) -> None:
        """Take one observation in."""
        change(
            self.root, self.pivots, self.estimate, self.scratch, self.volume, action, reward, 1.0
        )

    def remove(self, action: Vector, arm: int, reward: float) -> bool:
        """Take one observation out; return False if digits were lost and a rebuild is due."""
        return (
            change(
                self.root, self.pivots, self.estimate, self.scratch, self.volume,
                action, reward, -1.0,
            )[0]
            != 0.0
        )  # fmt: skip

    def flush(self) -> None:
        """Do nothing: no removal waits for the next insertion, as it does in `Listed`."""

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        return most_optimistic(self.root, self.pivots, self.estimate, actions, radius, luck)

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        parameter = sampled(self.root, self.pivots, self.estimate, spread, luck)
        return best_for(parameter, actions, luck)

    def length_of(self, action: Vector, arm: int) -> float:
        """Return the length of an action."""
        return euclidean(action)

    def log_growth(self, ridge: float) -> float:
        """Return ln(det V / ridge^d)."""
        return log_growth_of(self.pivots, ridge)

    def copy_from(self, other: Any) -> None:
        """Take over the estimate and the widths of another regression of this layout."""
        copy_factors(
            other.root, other.pivots, other.estimate, self.root, self.pivots, self.estimate
        )

    def solution(self) -> Vector:
        """Return a copy of the estimate."""
        return self.estimate.copy()

    def error_shape(self) -> Matrix:
        """Return V^-1; in Python only."""
        return inverse_of(self.root, self.pivots)

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior; in Python only."""
        shape = covariance_of(self.root, self.pivots)
        cut(shape, columns, unlearnt.pivots[0])
        write_factors(shape, self.root, self.pivots)
        self.estimate[columns] = 0.0
        self.volume[:] = 1.0

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        shape = np.diag(self.pivots)
        shape[np.ix_(columns, columns)] = (
            factor * factor * covariance_of(former.root, former.pivots)
        )
        write_factors(shape, self.root, self.pivots)
        self.estimate[columns] = factor * former.estimate


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
