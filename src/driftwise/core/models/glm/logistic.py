"""Logistic regression on remembered rounds, by a few damped Newton steps from the last estimate.

The estimate maximises the penalised quasi-likelihood: with weights g^age and
mu(z) = 1 / (1 + exp(-z)), it is the one root of

    sum of g^age (y - mu(x'theta)) x = ridge * theta,

which exists and is finite whatever the rewards, also for those that some plane separates.

A full Newton step may overshoot, and from there the next one farther; a search along it would cost
more passes over the rounds. Neither is needed: |mu''| <= mu', so along a step v the curvature grows
by no more than exp(b) for b = max |x'v| over the rounds (Bach, 2010), and the bound on the loss
that this gives is least after the share ln(1 + b) / b of the step. That always gains, and tends to
the full step as b tends to zero, so the last steps double the digits.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable, inlined
from ...compiler.elementary import exp, log1p
from ...linalg.kernels import score
from ...randomness.ties import better
from ..ridge.ellipsoid import optimism
from ..ridge.window import COUNT, REWARD, SLOT

__all__ = ["LogisticFit", "begin_logistic", "mean_of", "most_promising", "slope_of"]

_ROUNDING = 2.0**-52
_LARGEST = 1e100  # coordinate of a step: products with any action stay finite
_SETTLED = 1e-6  # a step that moves no x'theta by more: what is left is about its square


def begin_logistic(dimension: int) -> LogisticFit:
    """Return a fit with nothing in it yet."""
    d = dimension
    return LogisticFit(np.zeros(d), np.zeros(d), np.zeros(d), np.zeros((d, d)))


@inlined
def mean_of(value: float) -> float:
    """Return mu(z) = 1 / (1 + exp(-z)), for any z.

    Examples
    --------
    >>> mean_of(0.0), mean_of(-1e9), mean_of(1e9)
    (0.5, 0.0, 1.0)
    """
    small = exp(-abs(value))  # never above 1, so nothing overflows
    return (1.0 if value >= 0.0 else small) / (1.0 + small)


@inlined
def slope_of(value: float) -> float:
    """Return mu'(z) = mu(z) (1 - mu(z)), with all its digits also where mu(z) is nearly 1.

    Examples
    --------
    >>> slope_of(0.0), round(slope_of(40.0) / slope_of(-40.0), 12)
    (0.25, 1.0)
    """
    small = exp(-abs(value))
    return small / ((1.0 + small) * (1.0 + small))


@inlined
def most_promising(
    root: Matrix, pivots: Vector, estimate: Vector, actions: Matrix, radius: float, luck: int
) -> tuple[int, float, int]:
    """Return the arm with the largest mu(x'estimate) + radius * width, that sum, how many tie."""
    best, bound, ties = 0, -math.inf, 0
    for arm in range(actions.shape[0]):
        z, square = score(root, pivots, estimate, actions, arm)
        value = optimism(mean_of(z), square, radius)
        best, bound, ties = better(arm, value, best, bound, ties, luck)
    return best, bound, ties


@compilable
class LogisticFit(NamedTuple):
    """An estimate, and room to improve it."""

    estimate: Vector  # (d,)
    gradient: Vector  # (d,), of the quasi-likelihood; then the Newton step
    pivots: Vector  # (d,), scratch
    hessian: Matrix  # (d, d), lower triangle, without the ridge; then its factor

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior; in Python only. All but the estimate is scratch space."""
        self.estimate[columns] = 0.0

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        self.estimate[columns] = factor * former.estimate

    def start_over(self) -> None:
        """Return to the estimate without any rounds."""
        for i in range(self.estimate.size):
            self.estimate[i] = 0.0

    def approach(
        self,
        history: Matrix,  # (at least room, .): reward first, action last; the slots are a ring
        clock: NDArray[np.int64],  # how many rounds there are, slot of the next
        room: int,  # slots in use
        discount: float,
        ridge: float,
        newton_steps: int,
    ) -> None:
        """Take up to ``newton_steps`` steps towards the root; O(steps (n d^2 + d^3))."""
        for _ in range(newton_steps):
            self.differentiate(history, clock, room, discount, ridge)
            solve_in_place(self.hessian, ridge, self.gradient, self.pivots)
            longest = 0.0
            for i in range(self.gradient.size):
                longest = max(longest, abs(self.gradient[i]))
            # Only a reward far outside [0, 1] gives such a step, and less of it gains, too.
            if longest > _LARGEST:
                for i in range(self.gradient.size):
                    self.gradient[i] *= _LARGEST / longest
            change = self.farthest(history, clock)
            share = log1p(change) / change if change > 0.0 else 1.0
            for i in range(self.gradient.size):
                self.estimate[i] += share * self.gradient[i]
            if change < _SETTLED:
                break

    def differentiate(
        self, history: Matrix, clock: NDArray[np.int64], room: int, discount: float, ridge: float
    ) -> None:
        """Write the gradient and the curvature at the estimate, from the newest round back."""
        estimate, gradient, hessian = self.estimate, self.gradient, self.hessian
        d = estimate.size
        first = history.shape[1] - d
        for i in range(d):
            gradient[i] = -ridge * estimate[i]
            for j in range(i + 1):
                hessian[i, j] = 0.0
        slot, weight = clock[SLOT], 1.0
        for _ in range(clock[COUNT]):
            slot = slot - 1 if slot > 0 else room - 1
            action = history[slot, first:]
            z = 0.0
            for i in range(d):
                z += action[i] * estimate[i]
            small = exp(-abs(z))  # `mean_of` and `slope_of`, with one exponential for both
            mean = (1.0 if z >= 0.0 else small) / (1.0 + small)
            pull = weight * (history[slot, REWARD] - mean)
            curvature = weight * (small / ((1.0 + small) * (1.0 + small)))
            for i in range(d):
                x = action[i]
                gradient[i] += pull * x
                x *= curvature
                for j in range(i + 1):
                    hessian[i, j] += x * action[j]
            weight *= discount

    def farthest(self, history: Matrix, clock: NDArray[np.int64]) -> float:
        """Return by how much the step would move x'theta for the round where it moves most."""
        step = self.gradient
        first = history.shape[1] - step.size
        most = 0.0
        for slot in range(clock[COUNT]):  # they fill the ring from its first slot on
            z = 0.0
            for i in range(step.size):
                z += history[slot, first + i] * step[i]
            most = max(most, abs(z))
        return most


@inlined
def solve_in_place(gram: Matrix, ridge: float, side: Vector, pivots: Vector) -> None:
    """Replace ``side`` by (gram + ridge * I)^-1 side; uses up the lower triangle of ``gram``.

    Cholesky without roots, L C L'. No pivot is less than the ridge, since gram is a sum of squares;
    where rounding says otherwise it is put right, which keeps the step a step uphill. Nor may one
    be less than what rounding leaves of its diagonal: divided by less, errors would grow from row
    to row until they overflow.
    """
    d = side.size
    for i in range(d):
        for j in range(i):
            s = gram[i, j]
            for k in range(j):
                s -= gram[i, k] * gram[j, k] * pivots[k]
            gram[i, j] = s / pivots[j]
        s = gram[i, i] + ridge
        for k in range(i):
            s -= gram[i, k] * gram[i, k] * pivots[k]
        pivots[i] = max(s, ridge, d * _ROUNDING * gram[i, i])
    for i in range(d):
        for k in range(i):
            side[i] -= gram[i, k] * side[k]
    for i in range(d - 1, -1, -1):
        side[i] /= pivots[i]
        for k in range(i + 1, d):
            side[i] -= gram[k, i] * side[k]
