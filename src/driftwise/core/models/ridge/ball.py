"""Ridge regression whose decision set is the unit ball: the layout that writes the point to play."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable
from ...linalg.eigen import write_axes
from ...linalg.farthest import normalise, write_farthest
from ...linalg.kernels import euclidean, score
from .dense import Dense
from .ellipsoid import optimism, sampled

__all__ = ["Ball"]


@compilable
class Ball(NamedTuple):
    """For the unit ball: what is offered is one row, and the point to play is written into it.

    Optimism takes the principal axes of V^-1, recomputed each time: O(d^3). Choosing writes the
    row and nothing else. What it needs in between is allocated when needed: scratch in the memory
    would make the memory depend on choices, and no longer on what was learnt alone.
    """

    dense: Dense

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        self.dense.clear(ridge)

    def insert(self, action: Vector, arm: int, reward: float) -> None:
        """Take one observation in."""
        self.dense.insert(action, arm, reward)

    def remove(self, action: Vector, arm: int, reward: float) -> bool:
        """Take one observation out; return False if digits were lost and a rebuild is due."""
        return self.dense.remove(action, arm, reward)

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of an action to a sum of such, or subtract it; see `Flight`."""
        return self.dense.weigh(gram, action, arm, weight)

    def ahead(self, gram: Matrix) -> Ball:
        """Return the regression with the same estimate, and ``gram`` added to V."""
        return Ball(self.dense.ahead(gram))

    def flush(self) -> None:
        """Do nothing: no removal waits for the next insertion, as it does in `Listed`."""

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Write the point with the largest mean + radius * width; return 0, that sum, and 1.

        If several are best, as when nothing has been learnt, it is always the same one of them.
        """
        root, pivots, estimate = self.dense.root, self.dense.pivots, self.dense.estimate
        d = pivots.size
        axes, scratch = np.empty((d, d)), np.empty((3, d))
        write_axes(root, pivots, axes)
        write_farthest(axes, estimate, radius, scratch, actions[0])
        mean, square = score(root, pivots, estimate, actions, 0)
        return 0, optimism(mean, square, radius), 1

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Write the best point for one parameter drawn around the estimate; return 0, its mean, 1."""
        dense = self.dense
        parameter = sampled(dense.root, dense.pivots, dense.estimate, spread, luck)
        for i in range(parameter.size):
            actions[0, i] = parameter[i]
        normalise(actions[0])
        value = 0.0
        for i in range(parameter.size):
            value += actions[0, i] * parameter[i]
        return 0, value, 1

    def length_of(self, action: Vector, arm: int) -> float:
        """Return the length of an action."""
        return euclidean(action)

    def log_growth(self, ridge: float) -> float:
        """Return ln(det V / ridge^d)."""
        return self.dense.log_growth(ridge)

    def copy_from(self, other: Any) -> None:
        """Take over the estimate and the widths of another regression of this layout."""
        self.dense.copy_from(other.dense)

    def solution(self) -> Vector:
        """Return a copy of the estimate."""
        return self.dense.solution()

    def error_shape(self) -> Matrix:
        """Return V^-1; in Python only."""
        return self.dense.error_shape()
