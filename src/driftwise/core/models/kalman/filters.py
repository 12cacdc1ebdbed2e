"""A bank of Kalman filters that see the same actions, and the optimism of their mixture.

Each has a mean m_j and a covariance P_j of the unknown parameter. With the weights w_j of a
`driftwise.core.models.kalman.mixture.Mixture`, the mixture has the mean and the covariance

    m = sum w_j m_j,    C = sum w_j (P_j + (m_j - m)(m_j - m)').

Beside it lies U of `driftwise.core.models.kalman.probe`. What went unseen may have jumped: by delta along
z = U x / x'U x, which moves the reward by delta. Given the reward, a filter to which that is certain
has its mean moved by the expected delta along g = z - P_j x / s_j, and its covariance by the variance
of delta times g g', against one to which it is out of the question.

Costs of one round, in multiplications, with M filters:

=============  ====================================  ============  =============
layout         decision sets                         promising     learning
=============  ====================================  ============  =============
`FilterDense`  any                                   K d^2         3.5 M d^2
`FilterAxes`   the same set, each row on one axis    4 K           5 M d
=============  ====================================  ============  =============

The filters are the last axis everywhere: neighbours in memory, of which several go through a round
side by side (`driftwise.core.models.kalman.filter_steps`). Of P_j the lower triangle is kept: it cannot lose its
symmetry. Errors of rounding in P_j - P_j x x'P_j / s_j are multiplied by (I - K x') on both sides, as
in the form of Joseph, so they fade as P_j shrinks.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.abreast import FOUR, abreast, column, each, same
from ...compiler.compiled import compilable, inlined
from ...linalg.unit_rows import axes_of
from ...randomness.ties import better
from .axis_filters import FilterAxes
from .filter_steps import ALONG, HEADING, MEAN, follow, foresee, mix
from .probe import age, promise, refresh

__all__ = ["FilterDense", "begin_dense", "begin_filters"]

SPREAD, STALENESS = range(2)  # of `FilterDense.shapes`
CENTRE, ACTION, AIM, WATCHED = range(4)  # rows of `FilterDense.vectors`

Four = tuple[float, ...]


def begin_filters(
    n_filters: int, n_arms: int, dimension: int, fixed: Matrix | None
) -> FilterAxes | FilterDense:
    """Return the cheapest bank for these decision sets, with nothing in it yet."""
    m, d = n_filters, dimension
    on_axes = None if fixed is None else axes_of(fixed)
    if on_axes is not None:
        return FilterAxes(*on_axes, np.zeros((2, d, m)), np.zeros((3, d)), np.zeros(4))
    return begin_dense(m, d)


def begin_dense(n_filters: int, dimension: int) -> FilterDense:
    """Return a bank for any decision sets, with nothing in it yet."""
    m, d = n_filters, dimension
    return FilterDense(
        np.zeros((3, d, m)), np.zeros((d, d, m)), np.zeros((2, d, d)), np.zeros((4, d))
    )


@compilable
class FilterDense(NamedTuple):
    """For any decision sets."""

    moments: NDArray[np.float64]  # (3, d, M): m_j; P_j x, then P_j x / sqrt(s_j); g_j
    spreads: NDArray[np.float64]  # (d, d, M), lower triangles: P_j
    shapes: NDArray[np.float64]  # (2, d, d): the lower triangle of C; U
    vectors: Matrix  # (4, d): the mean of the mixture; x; z; an action that is watched

    def know_nothing(self, variance: float, rate: float, mixture: Any) -> None:
        """Return to the prior N(0, variance I), and let the first round begin."""
        d, n = self.moments.shape[1], self.moments.shape[2]
        for i in range(d):
            self.vectors[ACTION, i] = 0.0
            self.vectors[AIM, i] = 0.0
            self.vectors[WATCHED, i] = 0.0
            for j in range(n):
                self.moments[MEAN, i, j] = 0.0
                self.moments[ALONG, i, j] = 0.0
                self.moments[HEADING, i, j] = 0.0
            for k in range(d):
                self.shapes[SPREAD, i, k] = 0.0
                self.shapes[STALENESS, i, k] = 0.0
                for j in range(n):
                    self.spreads[i, k, j] = variance if i == k else 0.0
        self.advance(rate, mixture)

    def predict(
        self, action: Vector, arm: int, reward: float, longest: float, mixture: Any
    ) -> None:
        """Write what each filter says of the reward: its variance and its error."""
        x, n_filters = self.vectors[ACTION], self.moments.shape[2]
        shrink = shrinkage(action, longest)
        for i in range(x.size):
            x[i] = shrink * action[i]
        y = shrink * reward
        abreast(foresee, n_filters, self.moments, self.spreads, x, y, mixture.table)

    def within(self, x: Vector, reward: float, farthest: float) -> float:
        """Return the reward of an action, no farther from its mean than ``farthest`` for a length of 1."""
        mean, square = 0.0, 0.0
        for i in range(x.size):
            mean += x[i] * self.vectors[CENTRE, i]
            square += x[i] * x[i]
        farthest *= max(math.sqrt(square), 1.0)
        return float(min(max(reward, mean - farthest), mean + farthest))

    def see(self, ratio: float) -> tuple[float, float]:
        """Let the probe know which action was played.

        Return how long it had gone unseen, u, and how far a step of length 1 along z moves its
        reward, squared.
        """
        x, along = self.vectors[ACTION], self.vectors[AIM]
        staleness = refresh(self.shapes[STALENESS], x, ratio, along)
        moved, square = 0.0, 0.0
        for i in range(x.size):
            moved += x[i] * along[i]
            square += along[i] * along[i]
        for i in range(x.size):
            along[i] = along[i] / moved if moved > 0.0 else 0.0
        return staleness, moved * moved / square if square > 0.0 else 0.0

    def watch(self) -> None:
        """Keep an eye on the newest action."""
        for i in range(self.vectors.shape[1]):
            self.vectors[WATCHED, i] = self.vectors[ACTION, i]

    def outlook(self) -> tuple[float, float]:
        """Return the mean and the variance of the action that is watched, by the mixture."""
        return self.outlook_of(self.vectors[WATCHED])

    def outlook_of(self, x: Vector) -> tuple[float, float]:
        """Return the mean and the variance of an action, by the mixture."""
        shape, mean, square = self.shapes[SPREAD], 0.0, 0.0
        for i in range(x.size):
            s = 0.0
            for k in range(i):
                s += shape[i, k] * x[k]
            square += x[i] * (2.0 * s + shape[i, i] * x[i])
            mean += x[i] * self.vectors[CENTRE, i]
        return mean, max(square, 0.0)  # rounding may say otherwise

    def correct(self, rate: float, mixture: Any) -> None:
        """Move all filters towards the reward, and let the next round begin."""
        abreast(follow, self.moments.shape[2], self.moments, self.vectors[AIM], mixture.table)
        self.advance(rate, mixture)

    def rest(self, rate: float, mixture: Any) -> None:
        """Let a round pass without a reward: what the last one has shown is not taken off again."""
        for i in range(self.moments.shape[1]):
            for j in range(self.moments.shape[2]):
                self.moments[ALONG, i, j] = 0.0
                self.moments[HEADING, i, j] = 0.0
        self.advance(rate, mixture)

    def advance(self, rate: float, mixture: Any) -> None:
        """Take v v' off every P_j, add what a jump leaves open, and let it grow; mix the filters."""
        age(self.shapes[STALENESS], rate)
        mix(self.moments, self.spreads, self.vectors[CENTRE], self.shapes[SPREAD], mixture.table)

    def promising(
        self, actions: Matrix, width: float, parameter_norm: float, luck: int
    ) -> tuple[int, float, int]:
        """Return the arm that promises most, what it promises, and how many tie."""
        best, bound, ties = 0, -math.inf, 0
        n_arms = actions.shape[0]
        for first in range(0, n_arms, 4):
            means, squares, stales, lengths = self.survey(actions, first)
            for k in range(min(4, n_arms - first)):
                length, spread = lengths[k], width * math.sqrt(max(squares[k], 0.0))
                stale = max(stales[k], 0.0) / length if length > 0.0 else 0.0  # rounding, as above
                most = parameter_norm * math.sqrt(length)
                value = promise(means[k], spread, stale, most)
                best, bound, ties = better(first + k, value, best, bound, ties, luck)
        return best, bound, ties

    def survey(self, actions: Matrix, first: int) -> tuple[Four, Four, Four, Four]:
        """Return x'm, x'C x, x'U x and x'x for four actions, the last of them again if there are fewer.

        Side by side: one action's sums are chains, in which each addition waits for the last.
        """
        centre, shape, ages = self.vectors[CENTRE], self.shapes[SPREAD], self.shapes[STALENESS]
        none = same(0.0, FOUR)
        mean, square, unseen, length = none, none, none, none
        for i in range(centre.size):
            x, s, u = column(actions, first, i), none, none
            for k in range(i):
                other = column(actions, first, k)
                s = s + shape[i, k] * other
                u = u + ages[i, k] * other
            square = square + x * (2.0 * s + shape[i, i] * x)
            unseen = unseen + x * (2.0 * u + ages[i, i] * x)
            mean = mean + x * centre[i]
            length = length + x * x
        return each(mean), each(square), each(unseen), each(length)

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior; in Python only."""
        for mine, empty, axes in (
            (self.moments, unlearnt.moments, 1),
            (self.vectors, unlearnt.vectors, 1),
            (self.spreads, unlearnt.spreads, 0),
            (self.spreads, unlearnt.spreads, 1),
            (self.shapes, unlearnt.shapes, 1),
            (self.shapes, unlearnt.shapes, 2),
        ):
            np.moveaxis(mine, axes, 0)[columns] = np.moveaxis(empty, axes, 0)[columns]

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only.

        How long a direction went unseen is not a matter of how long actions are.
        """
        former = former._whole()
        pairs, upper = np.ix_(columns, columns), np.triu_indices(self.vectors.shape[1], 1)
        self.moments[:, columns] = factor * former.moments
        self.vectors[:, columns] = former.vectors
        self.vectors[CENTRE, columns] *= factor
        self.spreads[pairs] = factor * factor * mirrored(former.spreads)
        self.shapes[SPREAD][pairs] = factor * factor * mirrored(former.shapes[SPREAD])
        self.shapes[STALENESS][pairs] = former.shapes[STALENESS]
        self.spreads[upper] = 0.0
        self.shapes[SPREAD][upper] = 0.0

    def _whole(self) -> FilterDense:
        """Return the bank of all coordinates; in Python only."""
        return self

    def solution(self) -> Vector:
        """Return a copy of the mean of the mixture."""
        return np.array(self.vectors[CENTRE])

    def covariances(self) -> tuple[Matrix, Matrix]:
        """Return copies of C and U; runs in Python only."""
        lower = self.shapes[SPREAD]
        return np.asarray(lower + np.tril(lower, -1).T), self.shapes[STALENESS].copy()


def mirrored(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return symmetric matrices of which only the lower triangles were kept; in Python only."""
    whole, (i, k) = lower.copy(), np.triu_indices(len(lower), 1)
    whole[i, k] = lower[k, i]
    return whole


@inlined
def shrinkage(action: Vector, longest: float) -> float:
    """Return by what to multiply an action so that it is not longer than ``longest``.

    With its reward multiplied by the same it says the same of the parameter, and P_j keeps digits.
    """
    square = 0.0
    for i in range(action.size):
        square += action[i] * action[i]
    return longest / math.sqrt(square) if square > longest * longest else 1.0
