"""Ridge regression in which every round counts for less than the one after it.

With weights g^age, V = ridge * I + sum of g^age x x' and W = ridge * I + sum of g^(2 age) x x'. The
estimate is V^-1 (sum of g^age x y). Its errors are as wide as V^-1 says, or, more exactly, as
V^-1 W V^-1 says: the weights fade the noise, too. Costs, in multiplications:

=============  ====================================  ===========  ============================
layout         decision sets                         optimistic   fade (plain; sandwich)
=============  ====================================  ===========  ============================
`FadingDense`  any                                   K d^2 / 2    d^3 / 3; 2 d^3
`FadingAxes`   the same set, each row on one axis    K            d
=============  ====================================  ===========  ============================

There is no rank-one shortcut: every round the ridge is topped up in all directions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import draws
from .compiled import compilable, inlined
from .ellipsoid import best_for, most_optimistic, optimism, sampled
from .protocols import Matrix, Vector
from .regression import lie_on_axes
from .ties import better

__all__ = ["FadingAxes", "FadingDense", "begin_fading"]

_LEAST_PIVOT = 1e-16  # relative to the diagonal


def begin_fading(n_arms: int, dimension: int, fixed: Matrix | None) -> FadingAxes | FadingDense:
    """Return the cheapest regression for these decision sets, with nothing in it yet."""
    d = dimension
    if fixed is not None and lie_on_axes(fixed):
        axis = np.argmax(np.abs(fixed), axis=1)
        return FadingAxes(axis, fixed[np.arange(n_arms), axis], np.zeros((4, d)))
    vectors = np.zeros(d), np.zeros(d), np.zeros(d)
    return FadingDense(np.zeros((d, d)), *vectors, np.zeros((2, d, d)), np.zeros((2, d, d)))


@compilable
class FadingDense(NamedTuple):
    """For any decision sets."""

    root: Matrix  # (d, d), below its diagonal: U of U D U', the shape of the errors
    pivots: Vector  # (d,), D
    estimate: Vector  # (d,)
    moment: Vector  # (d,), sum of g^age x y
    grams: NDArray[np.float64]  # (2, d, d), lower triangles: sums of g^age x x', g^(2 age) x x'
    scratch: NDArray[np.float64]  # (2, d, d)

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        for i in range(self.pivots.size):
            self.estimate[i] = 0.0
            self.moment[i] = 0.0
            self.pivots[i] = 1.0 / ridge
            for j in range(self.pivots.size):
                self.root[i, j] = 0.0
                self.grams[0, i, j] = 0.0
                self.grams[1, i, j] = 0.0

    def fade(
        self, action: Vector, arm: int, reward: float, discount: float, ridge: float, sandwich: int
    ) -> None:
        """Weigh all rounds down and take one in; errors by V^-1, or by V^-1 W V^-1."""
        for i in range(self.pivots.size):
            x = action[i]
            self.moment[i] = discount * self.moment[i] + reward * x
            for j in range(i + 1):
                xx = x * action[j]
                self.grams[0, i, j] = discount * self.grams[0, i, j] + xx
                self.grams[1, i, j] = discount * discount * self.grams[1, i, j] + xx
        factor_inverse(self.grams[0], ridge, self.scratch[0], self.root, self.pivots)
        solve(self.root, self.pivots, self.moment, self.scratch[0, 0], self.estimate)
        if sandwich == 1:
            factor_sandwich(self.grams[1], ridge, self.scratch, self.root, self.pivots)

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        return most_optimistic(self.root, self.pivots, self.estimate, actions, radius, luck)

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        parameter = sampled(self.root, self.pivots, self.estimate, spread, luck)
        return best_for(parameter, actions, luck)

    def solution(self) -> Vector:
        """Return a copy of the estimate."""
        return self.estimate.copy()


@compilable
class FadingAxes(NamedTuple):
    """For one decision set whose rows lie on the axes: everything is diagonal."""

    axis: NDArray[np.int64]  # (K,), the axis of each row
    length: Vector  # (K,), the one coordinate that is not zero
    sums: Matrix  # (4, d): V; W; sum of g^age x y; the squared width of a unit step

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        for i in range(self.sums.shape[1]):
            self.sums[0, i] = ridge
            self.sums[1, i] = ridge
            self.sums[2, i] = 0.0
            self.sums[3, i] = 1.0 / ridge

    def fade(
        self, action: Vector, arm: int, reward: float, discount: float, ridge: float, sandwich: int
    ) -> None:
        """Weigh all rounds down and take one in; errors by V^-1, or by V^-1 W V^-1."""
        twice = discount * discount
        for i in range(self.sums.shape[1]):
            self.sums[0, i] = discount * self.sums[0, i] + (1.0 - discount) * ridge
            self.sums[1, i] = twice * self.sums[1, i] + (1.0 - twice) * ridge
            self.sums[2, i] *= discount
        i, x = self.axis[arm], self.length[arm]
        self.sums[0, i] += x * x
        self.sums[1, i] += x * x
        self.sums[2, i] += x * reward
        for i in range(self.sums.shape[1]):
            gram = self.sums[0, i]
            self.sums[3, i] = self.sums[1, i] / (gram * gram) if sandwich == 1 else 1.0 / gram

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(self.axis.size):
            i, x = self.axis[arm], self.length[arm]
            value = optimism(x * self.sums[2, i] / self.sums[0, i], x * x * self.sums[3, i], radius)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(self.axis.size):
            i, x = self.axis[arm], self.length[arm]
            z = spread * math.sqrt(self.sums[3, i]) * draws.normal(luck, i)
            value = x * (self.sums[2, i] / self.sums[0, i] + z)
            best, bound, ties = better(arm, value, best, bound, ties, draws.fork(luck))
        return best, bound, ties

    def solution(self) -> Vector:
        """Return the estimate."""
        return np.asarray(self.sums[2] / self.sums[0])


@inlined
def factor_inverse(gram: Matrix, ridge: float, lower: Matrix, root: Matrix, pivots: Vector) -> None:
    """Factor (gram + ridge * I)^-1 = U D U' from the lower triangle of ``gram``.

    With gram + ridge * I = L C L' (Cholesky without roots) U' = L^-1 and D = C^-1.
    """
    d = pivots.size
    for i in range(d):
        for j in range(i):
            s = gram[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k] / pivots[k]
            lower[i, j] = s * pivots[j]
        s = gram[i, i] + ridge
        for k in range(i):
            s -= lower[i, k] * lower[i, k] / pivots[k]
        # No pivot of a matrix above ridge * I is below ridge, but rounding may say otherwise when
        # actions are longer than sqrt(ridge) by many orders of magnitude.
        pivots[i] = 1.0 / max(s, ridge)
    for i in range(d):
        for j in range(i):
            s = -lower[i, j]
            for k in range(j + 1, i):
                s -= lower[i, k] * root[k, j]
            root[i, j] = s


@inlined
def solve(root: Matrix, pivots: Vector, side: Vector, white: Vector, out: Vector) -> None:
    """Write U D U' side into ``out``."""
    d = pivots.size
    for j in range(d):
        s = side[j]
        for i in range(j):
            s += root[j, i] * side[i]
        white[j] = s * pivots[j]
        out[j] = 0.0
    for j in range(d):
        out[j] += white[j]
        for i in range(j):
            out[i] += root[j, i] * white[j]


@inlined
def factor_sandwich(
    gram: Matrix, ridge: float, scratch: NDArray[np.float64], root: Matrix, pivots: Vector
) -> None:
    """Replace the factors of P = U D U' by those of P (gram + ridge * I) P.

    With B = sqrt(D) U' (gram + ridge * I) U sqrt(D) the product is U sqrt(D) B sqrt(D) U', so it
    is B that is factored, as T C T' with T upper triangular: U sqrt(D) T is triangular, too.
    """
    d, middle, lower = pivots.size, scratch[0], scratch[1]
    for i in range(d):
        for j in range(i + 1):
            lower[i, j] = gram[i, j]
            lower[j, i] = gram[i, j]
        lower[i, i] += ridge
    # middle = (gram + ridge I) U, then lower = U' middle; row j of `root` is column j of U.
    for i in range(d):
        for j in range(d):
            s = lower[i, j]
            for k in range(j):
                s += lower[i, k] * root[j, k]
            middle[i, j] = s
    for j in range(d):
        for i in range(j + 1):
            s = middle[i, j]
            for k in range(i):
                s += root[i, k] * middle[k, j]
            lower[i, j] = s  # upper triangle of U' (gram + ridge I) U
        lower[j, j] = max(lower[j, j], ridge)  # U has a unit diagonal, so none is below
    for i in range(d):
        for j in range(i, d):
            lower[i, j] *= math.sqrt(pivots[i] * pivots[j])
    # lower = T C T', T unit upper triangular: from the last column to the first.
    for j in range(d - 1, -1, -1):
        c = lower[j, j]
        for k in range(j + 1, d):
            c -= lower[j, k] * lower[j, k] * middle[0, k]
        c = max(c, _LEAST_PIVOT * lower[j, j])  # what rounding leaves of a number that is positive
        middle[0, j] = c
        for i in range(j):
            s = lower[i, j]
            for k in range(j + 1, d):
                s -= lower[i, k] * lower[j, k] * middle[0, k]
            lower[i, j] = s / c
    # The new U is U sqrt(D) T with its columns scaled to a unit diagonal: from the last column on,
    # since column j of it needs columns 0 to j of the old U.
    for j in range(d - 1, -1, -1):
        scale = math.sqrt(pivots[j])
        for i in range(j):
            s = root[j, i] * scale + math.sqrt(pivots[i]) * lower[i, j]
            for k in range(i + 1, j):
                s += root[k, i] * math.sqrt(pivots[k]) * lower[k, j]
            middle[1, i] = s / scale
        for i in range(j):
            root[j, i] = middle[1, i]
        middle[0, j] *= pivots[j]
    for j in range(d):
        pivots[j] = middle[0, j]
