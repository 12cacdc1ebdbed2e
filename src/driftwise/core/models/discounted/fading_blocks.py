"""The same for actions of which each touches one block of coordinates: a regression for every block.

If no two blocks are ever touched by one action, V and W have nothing between two blocks. See
`driftwise.core.models.discounted.fading`, of whose layouts it has the methods.
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
from ...linalg.lanes import LANES
from ...randomness.ties import better
from ..flight import add_square_of_block
from ..ridge.ellipsoid import best_for, optimism

__all__ = ["FadingBlocks"]


@compilable
class FadingBlocks(NamedTuple):
    """For decision sets whose actions touch one block each."""

    regressions: Any  # FadingDense, one layer per block

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        for block in range(self.regressions.pivots.shape[0]):
            layer(self.regressions, block).clear(ridge)

    def fade(
        self, action: Vector, arm: int, reward: float, discount: float, ridge: float, sandwich: int
    ) -> None:
        """Weigh all rounds down and take one in; see `FadingDense.fade`."""
        size = self.regressions.pivots.shape[2]
        touched = block_of(action, size)
        own = action[touched * size : (touched + 1) * size]
        for block in range(self.regressions.pivots.shape[0]):
            if block == touched:
                layer(self.regressions, block).fade(own, arm, reward, discount, ridge, sandwich)
            else:
                layer(self.regressions, block).dim(discount, ridge, sandwich)

    def dim(self, discount: float, ridge: float, sandwich: int) -> None:
        """Weigh all rounds down as `fade` does, and take none in."""
        for block in range(self.regressions.pivots.shape[0]):
            layer(self.regressions, block).dim(discount, ridge, sandwich)

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of an action to a sum of such, or subtract it; see `Flight`."""
        return add_square_of_block(gram, action, weight)

    def ahead(self, gram: Matrix) -> FadingBlocks:
        """Return the regression with the same estimate, and ``gram`` added to V and to W."""
        return FadingBlocks(self.regressions.ahead_in_blocks(gram))

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        size = self.regressions.pivots.shape[2]
        own, scores = np.empty((1, size)), np.empty((2 * size + 2, LANES))
        best, bound, ties = 0, -math.inf, 0
        for arm in range(actions.shape[0]):
            block = block_of(actions[arm], size)
            for i in range(size):
                own[0, i] = actions[arm, block * size + i]
            layer(self.regressions, block).score_some(own, 0, scores)
            value = optimism(-scores[size, 0], -2.0 * scores[2 * size + 1, 0], radius)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        n_blocks, size = self.regressions.pivots.shape[0], self.regressions.pivots.shape[2]
        parameter = np.empty(n_blocks * size)
        for block in range(n_blocks):
            first = block * size
            drawn = layer(self.regressions, block).draw(spread, luck, first)
            for i in range(size):
                parameter[first + i] = drawn[i]
        return best_for(parameter, actions, luck)

    def solution(self) -> Vector:
        """Return the estimate; in Python only."""
        return np.concatenate([each.solution() for each in self._layers()])

    def error_shape(self) -> Matrix:
        """Return V^-1 W V^-1; in Python only."""
        return diagonal_of([each.error_shape() for each in self._layers()])

    def _layers(self) -> list[Any]:
        return [layer(self.regressions, block) for block in range(len(self.regressions.pivots))]

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring the coordinates of a block back to the prior; in Python only."""
        block = columns.start // self.regressions.pivots.shape[2]
        overwrite(layer(self.regressions, block), layer(unlearnt.regressions, block))

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        size, old = (each.regressions.pivots.shape[2] for each in (self, former))
        for block, each in enumerate(former._layers()):
            own = columns[block * old : (block + 1) * old]
            mine = layer(self.regressions, int(own[0]) // size)
            mine._extend(each, unlearnt, own % size, factor)

    def _sums(self) -> tuple[NDArray[np.float64], Vector]:
        """Return V and W with their ridge, and the sum of g^age x y; in Python only."""
        parts = [each._sums() for each in self._layers()]
        grams = [diagonal_of([part[0][which] for part in parts]) for which in range(2)]
        return np.array(grams), np.concatenate([part[1] for part in parts])
