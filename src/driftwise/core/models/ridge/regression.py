"""Ridge regression that can take observations in and out, in six layouts with one interface.

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

`DenseBlocks` is `Dense` for rows that touch one of several blocks: see `core.models.ridge.block_regression`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable
from ...compiler.layers import stacked
from ...contract.blocks import Blocked
from ...contract.unit_ball import UnitBall
from ...linalg.aligned import aligned_zeros
from ...linalg.cutting import covariance_of, cut, write_factors
from ...linalg.factors import (
    change,
    clear_factors,
    copy_factors,
    inverse_of,
    log_growth_of,
)
from ...linalg.kernels import euclidean
from ...linalg.unit_rows import axes_of
from .axes import Axes, TwoArms
from .ball import Ball
from .block_regression import DenseBlocks
from .ellipsoid import best_for, most_optimistic, sampled
from .listed import Listed

__all__ = ["Axes", "Ball", "Dense", "Listed", "TwoArms", "begin"]


def begin(
    n_arms: int, dimension: int, fixed: Matrix | UnitBall | None
) -> Axes | Listed | Dense | DenseBlocks | Ball:
    """Return the cheapest regression for these decision sets, with nothing in it yet."""
    if fixed is None:
        if isinstance(dimension, Blocked):
            block = Dense(*_factors(dimension.length))
            return DenseBlocks(stacked(block, dimension.n_blocks))
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
        shape = self._covariance()
        cut(shape, columns, unlearnt._prior())
        write_factors(shape, self.root, self.pivots)
        self.estimate[columns] = 0.0
        self.volume[:] = 1.0

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        shape = np.diag(self.pivots)
        shape[np.ix_(columns, columns)] = factor * factor * former._covariance()
        write_factors(shape, self.root, self.pivots)
        self.estimate[columns] = factor * former.solution()

    def _prior(self) -> float:
        """Return the variance of a coordinate of which nothing is known, if so; in Python only."""
        return float(self.pivots[0])

    def _covariance(self) -> Matrix:
        """Return V^-1, to the same bits on every machine; in Python only."""
        return covariance_of(self.root, self.pivots)
