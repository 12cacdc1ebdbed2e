"""Ridge regression on decision sets that change: the layout that knows no arms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable
from ...linalg.cutting import covariance_of, cut, write_factors
from ...linalg.factors import (
    ahead_factors,
    change,
    clear_factors,
    copy_factors,
    inverse_of,
    log_growth_of,
)
from ...linalg.kernels import euclidean
from ..flight import add_square
from .ellipsoid import best_for, most_optimistic, sampled

__all__ = ["Dense"]


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

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of an action to a sum of such, or subtract it; see `Flight`."""
        return add_square(gram, action, weight)

    def ahead(self, gram: Matrix) -> Dense:
        """Return the regression with the same estimate, and ``gram`` added to V."""
        root, pivots, scratch = ahead_factors(self.root, self.pivots, gram)
        return Dense(root, pivots, self.estimate, scratch, self.volume)

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
