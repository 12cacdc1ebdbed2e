"""Ridge regression on actions of which each touches one block of coordinates: one for every block.

If no two blocks are ever touched by one action, V has nothing between two blocks. With blocks of b
coordinates, choosing costs K b^2 / 2 multiplications, and insertion and removal 3 b^2 / 2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable
from ...compiler.layers import layer
from ...contract.blocks import block_of
from ...contract.coordinates import overwrite
from ...linalg.cutting import diagonal_of
from ...linalg.factors import ahead_factors
from ...linalg.kernels import euclidean, score
from ...randomness.ties import better
from ..flight import add_square_of_block
from .dense import Dense
from .ellipsoid import best_for, optimism, scatter

__all__ = ["DenseBlocks"]


@compilable
class DenseBlocks(NamedTuple):
    """For decision sets whose actions touch one block each."""

    regressions: Any  # Dense, one layer per block

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        for block in range(self.regressions.pivots.shape[0]):
            layer(self.regressions, block).clear(ridge)

    def insert(self, action: Vector, arm: int, reward: float) -> None:
        """Take one observation in."""
        size = self.regressions.pivots.shape[1]
        block = block_of(action, size)
        own = action[block * size : (block + 1) * size]
        layer(self.regressions, block).insert(own, arm, reward)

    def remove(self, action: Vector, arm: int, reward: float) -> bool:
        """Take one observation out; return False if digits were lost and a rebuild is due."""
        size = self.regressions.pivots.shape[1]
        block = block_of(action, size)
        own = action[block * size : (block + 1) * size]
        return layer(self.regressions, block).remove(own, arm, reward)  # type: ignore[no-any-return]  # a bool

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of an action to a sum of such, or subtract it; see `Flight`."""
        return add_square_of_block(gram, action, weight)

    def ahead(self, gram: Matrix) -> DenseBlocks:
        """Return the regression with the same estimate, and ``gram`` added to V."""
        n_blocks, size = self.regressions.pivots.shape
        root, pivots = np.empty((n_blocks, size, size)), np.empty((n_blocks, size))
        scratch = self.regressions.scratch
        for block in range(n_blocks):
            first, each = block * size, layer(self.regressions, block)
            own = gram[first : first + size]
            each_root, each_pivots, _ = ahead_factors(each.root, each.pivots, own)
            for i in range(size):
                pivots[block, i] = each_pivots[i]
                for j in range(size):
                    root[block, i, j] = each_root[i, j]
        kept = self.regressions.estimate, scratch, self.regressions.volume
        return DenseBlocks(Dense(root, pivots, *kept))

    def flush(self) -> None:
        """Do nothing: no removal waits for the next insertion, as it does in `Listed`."""

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        size = self.regressions.pivots.shape[1]
        best, bound, ties = 0, -math.inf, 0
        for arm in range(actions.shape[0]):
            block = block_of(actions[arm], size)
            own, each = (
                actions[:, block * size : (block + 1) * size],
                layer(self.regressions, block),
            )
            mean, square = score(each.root, each.pivots, each.estimate, own, arm)
            value = optimism(mean, square, radius)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        n_blocks, size = self.regressions.pivots.shape
        parameter = np.empty(n_blocks * size)
        for block in range(n_blocks):
            first, each = block * size, layer(self.regressions, block)
            for i in range(size):
                parameter[first + i] = each.estimate[i]
            scatter(each.root, each.pivots, spread, luck, first, parameter)
        return best_for(parameter, actions, luck)

    def length_of(self, action: Vector, arm: int) -> float:
        """Return the length of an action."""
        return euclidean(action)

    def log_growth(self, ridge: float) -> float:
        """Return ln(det V / ridge^d)."""
        total = 0.0
        for block in range(self.regressions.pivots.shape[0]):
            total += layer(self.regressions, block).log_growth(ridge)
        return total

    def copy_from(self, other: Any) -> None:
        """Take over the estimate and the widths of another regression of this layout."""
        for block in range(self.regressions.pivots.shape[0]):
            layer(self.regressions, block).copy_from(layer(other.regressions, block))

    def solution(self) -> Vector:
        """Return a copy of the estimate."""
        return self.regressions.estimate.reshape(-1).copy()  # type: ignore[no-any-return]  # a vector

    def error_shape(self) -> Matrix:
        """Return V^-1; in Python only."""
        return diagonal_of([each.error_shape() for each in self._layers()])

    def _layers(self) -> list[Any]:
        return [layer(self.regressions, block) for block in range(len(self.regressions.pivots))]

    def _prior(self) -> float:
        """Return the variance of a coordinate of which nothing is known, if so; in Python only."""
        return float(self.regressions.pivots[0, 0])

    def _covariance(self) -> Matrix:
        """Return V^-1, to the same bits on every machine; in Python only."""
        return diagonal_of([each._covariance() for each in self._layers()])

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring the coordinates of a block back to the prior; in Python only."""
        block = columns.start // self.regressions.pivots.shape[1]
        overwrite(layer(self.regressions, block), layer(unlearnt.regressions, block))

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        size, old = (each.regressions.pivots.shape[1] for each in (self, former))
        for block, each in enumerate(former._layers()):
            own = columns[block * old : (block + 1) * old]
            layer(self.regressions, own[0] // size)._extend(each, unlearnt, own % size, factor)
