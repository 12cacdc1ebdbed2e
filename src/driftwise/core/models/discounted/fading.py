"""Ridge regression in which every round counts for less than the one after it.

With weights g^age, V = ridge * I + sum of g^age x x' and W = ridge * I + sum of g^(2 age) x x'. The
estimate is V^-1 (sum of g^age x y). Its errors are as wide as V^-1 W V^-1 says: the weights fade the
noise, too. Policies that want errors as wide as V^-1 says have W fade like V, for then the two are
the same. Costs, in multiplications, four at a time where there are d^2 of them:

==============  ====================================  ==========  ===============  ======================
layout          decision sets                         optimistic  randomised       fade
==============  ====================================  ==========  ===============  ======================
`FadingDense`   any                                   3 K d^2/2   d^3/6 + 3 d^2/2  d^3/6 + 3 d^2
`FadingAxes`    the same set, each row on one axis    K           K                d
`FadingBlocks`  rows that touch one of B blocks each  those of `FadingDense` with d/B, B times for `fade`
==============  ====================================  ==========  ===============  ======================

There is no rank-one shortcut: every round the ridge is topped up in all directions. So V is factored again (for
draws W, too), and nothing else is formed: the factors of V^-1 W V^-1 would cost five times as much.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable
from ...compiler.layers import layer, stacked
from ...contract.blocks import Blocked, write_all
from ...linalg.aligned import aligned_zeros
from ...linalg.cutting import eliminate_coordinate
from ...linalg.lanes import LANES, eliminate, fade_lanes, narrowest_around, padded, sum_products
from ...linalg.triangles import backward, factor
from ...linalg.unit_rows import axes_of
from ...randomness.normals import normal
from ...randomness.ties import better
from ..flight import add_square
from ..ridge.ellipsoid import best_for, best_in_columns, optimism
from .fading_axes import FadingAxes
from .fading_blocks import FadingBlocks

__all__ = ["FadingDense", "begin_fading"]

ONCE, TWICE = range(2)  # V, and W, which fades twice, as variances do: of arrays with one of each


def begin_fading(
    n_arms: int, dimension: int, fixed: Matrix | None
) -> FadingAxes | FadingBlocks | FadingDense:
    """Return the cheapest regression for these decision sets, with nothing in it yet."""
    d = dimension
    on_axes = None if fixed is None else axes_of(fixed)
    if on_axes is not None:
        return FadingAxes(*on_axes, np.zeros((3, d)))
    if fixed is None and isinstance(dimension, Blocked):
        return FadingBlocks(stacked(begin_fading(0, dimension.length, None), dimension.n_blocks))
    n = padded(d + 1)
    columns = aligned_zeros(d, 0 if fixed is None else n_arms)
    if fixed is not None:
        columns[:] = fixed.T
    sums = aligned_zeros(2, d, n), aligned_zeros(2, d, n), np.zeros((2, d)), aligned_zeros(d, n)
    return FadingDense(*sums, aligned_zeros(n), np.zeros(1), columns)


@compilable
class FadingDense(NamedTuple):
    """For any decision sets.

    A round is one row, (x, y, 0, ..., 0): its reward fades, and is eliminated, like one more
    coordinate, so that the factors of V come with a right-hand side, m = sum of g^age x y.
    """

    grams: NDArray[np.float64]  # (2, d, n), upper: sums of g^age x (x, y)' and g^(2 age) x (x, y)'
    units: NDArray[np.float64]  # (2, d, n), upper: R of V = R' C R, column d: C^-1 R'^-1 m; of W
    pivots: Matrix  # (2, d): C^-1, of V and of W
    scratch: Matrix  # (d, n)
    observation: Vector  # (n,), the last round
    floor: Vector  # (1,), the ridge
    columns: Matrix  # (d, K), the decision set if it never changes, otherwise (d, 0)

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        self.floor[0] = ridge
        for i in range(self.pivots.shape[1]):
            for j in range(self.observation.size):
                self.grams[ONCE, i, j] = 0.0
                self.grams[TWICE, i, j] = 0.0
        factor(self.grams[ONCE], ridge, self.scratch, self.units[ONCE], self.pivots[ONCE])
        factor(self.grams[TWICE], ridge, self.scratch, self.units[TWICE], self.pivots[TWICE])

    def fade(
        self, action: Vector, arm: int, reward: float, discount: float, ridge: float, sandwich: int
    ) -> None:
        """Weigh all rounds down and take one in.

        Errors are as wide as V^-1 says (``sandwich=0``) or V^-1 W V^-1 (1), and with 2 parameters
        can be drawn, too.
        """
        other = discount if sandwich == 0 else discount * discount
        d, n = self.pivots.shape[1], self.observation.size
        for i in range(d):
            self.observation[i] = action[i]
        self.observation[d] = reward
        for i in range(d):
            x = self.observation[i]
            for first in range(i - i % LANES, n, LANES):
                fade_lanes(self.grams[ONCE], i, first, discount, x, self.observation)
                fade_lanes(self.grams[TWICE], i, first, other, x, self.observation)
        self.floor[0] = ridge
        factor(self.grams[ONCE], ridge, self.scratch, self.units[ONCE], self.pivots[ONCE])
        if sandwich == 2:
            factor(self.grams[TWICE], ridge, self.scratch, self.units[TWICE], self.pivots[TWICE])

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of an action to a sum of such, or subtract it; see `Flight`."""
        return add_square(gram, action, weight)

    def ahead(self, gram: Matrix) -> FadingDense:
        """Return the regression with the same estimate, and ``gram`` added to V and to W."""
        d, n = self.pivots.shape[1], self.observation.size
        estimate, grams = np.empty(d), self.grams.copy()
        for i in range(d):
            estimate[i] = self.units[ONCE, i, d]
        backward(self.units[ONCE], estimate)
        for i in range(d):
            for j in range(i, d):
                grams[ONCE, i, j] += gram[j, i]
                grams[TWICE, i, j] += gram[j, i]
            for j in range(d):  # what these rounds would have earned, by the estimate
                grams[ONCE, i, d] += (gram[i, j] if j <= i else gram[j, i]) * estimate[j]
        units, pivots, scratch = np.zeros((2, d, n)), np.empty((2, d)), np.zeros((d, n))
        factor(grams[ONCE], self.floor[0], scratch, units[ONCE], pivots[ONCE])
        factor(grams[TWICE], self.floor[0], scratch, units[TWICE], pivots[TWICE])
        return FadingDense(
            grams, units, pivots, scratch, self.observation, self.floor, self.columns
        )

    def ahead_in_blocks(self, gram: Matrix) -> FadingDense:
        """Return the same of a stack of regressions, one for every block of coordinates."""
        n_blocks, _, size = self.pivots.shape
        grams, units, pivots = self.grams.copy(), self.units.copy(), self.pivots.copy()
        for block in range(n_blocks):
            own = gram[block * size : (block + 1) * size]
            if np.diag(own).max() <= 0.0:  # nothing is in flight: the factors stay what they are
                continue
            each = layer(self, block).ahead(own)
            write_all(grams[block], each.grams)
            write_all(units[block], each.units)
            write_all(pivots[block], each.pivots)
        return FadingDense(
            grams, units, pivots, self.scratch, self.observation, self.floor, self.columns
        )

    def dim(self, discount: float, ridge: float, sandwich: int) -> None:
        """Weigh all rounds down as `fade` does, and take none in."""
        self.fade(np.zeros(self.pivots.shape[1]), 0, 0.0, discount, ridge, sandwich)

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        n_arms, d = actions.shape
        scores = np.empty((2 * d + 2, narrowest_around(n_arms)))
        best, bound, ties = 0, -math.inf, 0
        for first in range(0, n_arms, scores.shape[1]):
            count, top = self.score_some(actions, first, scores), -math.inf
            for k in range(count):
                scores[0, k] = optimism(-scores[d, k], -2.0 * scores[2 * d + 1, k], radius)
                top = max(top, scores[0, k])
            for k in range(count):
                if scores[0, k] == top:  # no other can be the best of all, or tie with it
                    best, bound, ties = better(first + k, top, best, bound, ties, luck)
        return best, bound, ties

    def squared_widths(self, actions: Matrix) -> Vector:
        """Return the squared widths of all arms."""
        n_arms, d = actions.shape
        scores, squares = np.empty((2 * d + 2, narrowest_around(n_arms))), np.empty(n_arms)
        for first in range(0, n_arms, scores.shape[1]):
            for k in range(self.score_some(actions, first, scores)):
                squares[first + k] = -2.0 * scores[2 * d + 1, k]
        return squares

    def score_some(self, actions: Matrix, first: int, scores: Matrix) -> int:
        """Write minus the mean and minus half the square of as many arms as ``scores`` has columns.

        Return how many arms these were: fewer, where fewer are left.
        """
        d, last = self.pivots.shape[1], actions.shape[0] - 1
        count: int = min(actions.shape[0] - first, scores.shape[1])
        n = narrowest_around(count)
        for k in range(n):
            arm = min(first + k, last)  # columns that are left over repeat the last arm
            for i in range(d):
                scores[i, k] = actions[arm, i]
        self.score_columns(scores, n)
        return count

    def score_columns(self, scores: Matrix, n: int) -> None:
        """Write minus the mean and minus half the square of the arms in the first n columns.

        n is one of `WIDTHS`. The two are written into row d and into the last row. The rows above
        them hold, for an arm x, first R'^-1 x, whose product with C^-1 R'^-1 m is the mean, then
        z = V^-1 x; and minus W z, but with half the diagonal and nothing below it, so that its
        product with z is z'W z / 2.
        """
        d = self.pivots.shape[1]
        products, unit, weights = scores[d + 1 :], self.units[ONCE], self.grams[TWICE]
        for k in range(n):
            scores[d, k] = 0.0
        for i in range(1, d + 1):
            eliminate(scores, scores, 1.0, i, 0, n, unit[:, i], 0, i, 1, scores)
        for i in range(d - 1, -1, -1):
            eliminate(scores, scores, self.pivots[ONCE, i], i, 0, n, unit[i], d - 1, i, -1, scores)
        for i in range(d):
            half = -0.5 * (weights[i, i] + self.floor[0])
            eliminate(products, scores, half, i, 0, n, weights[i], i + 1, d, 1, scores)
        for k in range(0, n, LANES):
            sum_products(products[d], k, scores, products, d)

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        parameter = self.draw(spread, luck, 0)
        if self.columns.shape[1] > 0:
            return best_in_columns(parameter, self.columns, luck)
        return best_for(parameter, actions, luck)

    def draw(self, spread: float, luck: int, at: int) -> Vector:
        """Return V^-1 (sum of g^age x y + spread * W^(1/2) z), z normal numbers from ``at`` on.

        The root is G' F^(1/2) of W = G' F G. While row i is worked off, so is R'^-1 of what it adds;
        what lands to the left of i in its lanes is not read any more.
        """
        d, n = self.pivots.shape[1], self.observation.size
        drawn = np.zeros((2, n))
        for i in range(d):
            noise = spread / math.sqrt(self.pivots[TWICE, i]) * normal(luck, at + i)
            y = drawn[0, i] + noise
            for first in range(i - i % LANES, n, LANES):
                fade_lanes(drawn, 0, first, 1.0, noise, self.units[TWICE, i])
                fade_lanes(drawn, 0, first, 1.0, -y, self.units[ONCE, i])
            drawn[1, i] = self.pivots[ONCE, i] * y + self.units[ONCE, i, d]
        backward(self.units[ONCE], drawn[1])
        return drawn[1, :d]

    def solution(self) -> Vector:
        """Return the estimate; in Python only."""
        d = self.pivots.shape[1]
        return np.asarray(np.linalg.solve(self._unit(), self.units[ONCE, :, d]))

    def error_shape(self) -> Matrix:
        """Return V^-1 W V^-1; in Python only."""
        d = self.pivots.shape[1]
        inverse = np.linalg.inv(self._unit())
        inverse = (inverse * self.pivots[ONCE]) @ inverse.T
        weights = np.triu(self.grams[TWICE, :, :d])
        weights += np.triu(weights, 1).T + self.floor[0] * np.eye(d)
        return np.asarray(inverse @ weights @ inverse)

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior; in Python only."""
        grams, response = self._sums()
        for k in range(*columns.indices(len(response))):
            eliminate_coordinate(grams[ONCE], response, grams[TWICE], k)
            grams[:, k, k] = self.floor[0]
        self._write(grams, response)

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        (grams, response), (old, learnt) = self._sums(), former._sums()
        for each, known in zip(grams, old, strict=True):
            known -= np.diag(np.full(len(known), self.floor[0]))
            each[np.ix_(columns, columns)] += known / (factor * factor)
        response[columns] = learnt / factor
        self._write(grams, response)

    def _sums(self) -> tuple[NDArray[np.float64], Vector]:
        """Return V and W with their ridge, and the sum of g^age x y."""
        d = self.pivots.shape[1]
        upper = np.triu(self.grams[:, :, :d])
        whole = upper + np.triu(upper, 1).transpose(0, 2, 1) + self.floor[0] * np.eye(d)
        return whole, self.grams[ONCE, :, d].copy()

    def _write(self, grams: NDArray[np.float64], response: Vector) -> None:
        """Write these, and the factors that go with them."""
        d = len(response)
        self.grams[:, :, :d] = np.triu(grams - self.floor[0] * np.eye(d))
        self.grams[ONCE, :, d] = response
        for unit, pivots, gram in zip(self.units, self.pivots, grams, strict=True):
            bordered = np.column_stack([gram, response])
            for i in range(d):  # as `triangles_of`, with a right-hand side
                pivots[i] = 1.0 / bordered[i, i]
                unit[i, i : d + 1] = bordered[i, i:] * pivots[i]
                bordered[i + 1 :] -= np.multiply.outer(
                    bordered[i, i + 1 : d], bordered[i] * pivots[i]
                )

    def _unit(self) -> Matrix:
        d = self.pivots.shape[1]
        return np.triu(self.units[ONCE, :, :d], 1) + np.eye(d)
