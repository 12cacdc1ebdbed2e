"""How far each of several Kalman filters is believed: weights, noise, and the pace of the world.

Filter j takes it that the unknown parameter moves by N(0, kappa_j R_j^2 I) in every round, and that
an action which went unseen may have jumped. What is kept here is one number per filter, the same
whatever the dimension; means and covariances are in `driftwise.core.models.kalman.filters`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.abreast import Width, abreast, larger, put, roots, smaller, take
from ...compiler.compiled import compilable, inlined
from ...compiler.elementary import exponentials, log, logarithms

__all__ = [
    "BROADEN", "DRIFT", "ERROR", "GROWTH", "KEEP", "LEAP", "LOG_MEMORY", "LOG_WEIGHT", "MEMORY", "NOISE", "PULL",
    "REACH", "ROUNDS", "VARIANCE", "WEIGHT", "Mixture", "begin_mixture", "normalise", "steady_gain", "weigh",
]  # fmt: skip

# Rows of a mixture's table.
DRIFT = 0  # kappa_j: the step of the parameter in one round over the noise, squared
LOG_MEMORY = 1  # ln of the rounds that count for this filter in the long run
NOISE = 2  # R_j^2
WEIGHT = 3  # w_j; they sum to 1
LOG_WEIGHT = 4  # the same up to a common term: the largest is 0
VARIANCE = 5  # x'P_j x, of the newest action; from the filters
ERROR = 6  # y - x'm_j; from the filters
PULL = 7  # the error over s_j = R_j^2 + x'P_j x; for the filters
REACH = 8  # 1 / sqrt(s_j); for the filters
GROWTH = 9  # q_j, by which P_j grows before the next round; for the filters
KEEP = 10  # 1 - q_j / S^2, of what it keeps; for the filters
LEAP = 11  # how far the action is held to have jumped; for the filters
BROADEN = 12  # the variance that the chance of a jump leaves; for the filters
_ROWS = 13

# Cells of its tally.
ROUNDS = 0  # rewards so far, t
MEMORY = 1  # ln of the effective memory, in rounds
_CELLS = 2

_FOREVER = 690.0  # ln of more rounds than there will ever be
_NOTHING = 1e-30  # a variance over that of a reward which only rounding can leave


@compilable
class Mixture(NamedTuple):
    """What is believed of the filters."""

    table: Matrix  # (13, filters), see above
    tally: Vector  # (2,), see above

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.tally[..., ROUNDS], 0, MOST)]

    def believe_nothing(self, settings: Any, bound: float, length: float) -> None:
        """Give all filters the same weight."""
        n = self.table.shape[1]
        noise = settings.first_noise * bound * length
        for j in range(n):
            self.table[NOISE, j] = noise * noise
            self.table[WEIGHT, j] = 1.0 / n
            for row in range(LOG_WEIGHT, _ROWS):
                self.table[row, j] = 0.0
        for i in range(self.tally.size):
            self.tally[i] = 0.0
        self.plan_growth(bound, length)

    def reweigh(
        self, settings: Any, bound: float, length: float, least: float, staleness: float, most: float
    ) -> None:  # fmt: skip
        """Weigh the filters by how well they predicted the newest reward; estimate the noise.

        Before it, the filters write VARIANCE and ERROR; after it, they read PULL to BROADEN.
        ``staleness`` is u of the action. With v = u / (1 + u), it is taken to have jumped with
        probability doubt v^3, from where a filter has it, so far that its variance is v of ``most``,
        if it is not more anyway. Each filter has two laws of the reward, then, and goes on with the
        mean and the variance of their mixture. No noise is held to be below ``least``.
        """
        table, tally = self.table, self.tally
        n, t = table.shape[1], tally[ROUNDS]
        sharing = min(settings.sharing, 1.0 / (t + settings.sharing_delay))
        unseen = staleness / (1.0 + staleness)
        doubt = settings.doubt * unseen * unseen * unseen
        abreast(weigh, n, table, settings, t, sharing, doubt, unseen * most, least * least)
        normalise(table)
        self.count_round()
        self.plan_growth(bound, length)

    def count_round(self) -> None:
        """Count a reward, and work out the effective memory by the weights of now."""
        table, rounds = self.table, self.tally[ROUNDS] + 1.0
        self.tally[ROUNDS] = rounds
        remembered, all_rounds = 0.0, log(rounds)
        for j in range(table.shape[1]):
            remembered += table[WEIGHT, j] * min(table[LOG_MEMORY, j], all_rounds)
        self.tally[MEMORY] = remembered

    def plan_growth(self, bound: float, length: float) -> None:
        """Write by how much each filter's covariance grows before the next round."""
        per_length = 1.0 / (length * length)
        most = bound * bound
        for j in range(self.table.shape[1]):
            growth = self.table[DRIFT, j] * self.table[NOISE, j] * per_length
            growth = min(growth, most)
            self.table[GROWTH, j] = growth
            self.table[KEEP, j] = 1.0 - growth / most

    def mean_noise(self) -> float:
        """Return the squared scale of the noise, on the average of the filters."""
        total = 0.0
        for j in range(self.table.shape[1]):
            total += self.table[WEIGHT, j] * self.table[NOISE, j]
        return total


def begin_mixture(slowest: float, fastest: float, ratio: float) -> Mixture:
    """Return a mixture of a filter without drift and of one for each kappa of a geometric grid."""
    # Rounding must not cost the last one.
    steps = int(log(fastest / slowest) / log(ratio) + 1e-9)
    drifts = [0.0, slowest]  # by products: what a power gives differs by machine
    for _ in range(steps):
        drifts.append(drifts[-1] * ratio)
    table = np.zeros((_ROWS, len(drifts)))
    table[DRIFT] = drifts
    table[LOG_MEMORY] = [_FOREVER, *(-log(steady_gain(drift)) for drift in drifts[1:])]
    return Mixture(table, np.zeros(_CELLS))


def steady_gain(drift: float) -> float:
    """Return the share of a surprise that a Kalman filter believes in the long run.

    For a random walk with steps of variance kappa R^2, seen in every round with noise R^2, it
    is g = (sqrt(kappa^2 + 4 kappa) - kappa) / 2. A reward of n rounds ago then counts
    g (1 - g)^n: as in a memory of 1 / g rounds.

    Examples
    --------
    >>> [round(1.0 / steady_gain(drift), 1) for drift in (4.0**-10, 0.0625, 1.0, 16.0)]
    [1024.5, 4.5, 1.6, 1.1]
    """
    # The same as in the docstring, without its difference of nearly equal numbers.
    return 2.0 * drift / (math.sqrt(drift * drift + 4.0 * drift) + drift) if drift > 0.0 else 0.0


@inlined
def weigh(
    first: int, width: Width, table: Matrix, settings: Any,
    t: float, sharing: float, doubt: float, farthest: float, least: float,
) -> None:  # fmt: skip
    """Do what `Mixture.reweigh` says for some filters; their weights are not normalised yet."""
    share, rounds = sharing / table.shape[1], min(t + 2.0, settings.noise_memory)
    noise, variance = take(table[NOISE], first, width), take(table[VARIANCE], first, width)
    error = take(table[ERROR], first, width)
    jump = larger(farthest - variance, 0.0)
    s = noise + variance
    wide = s + jump
    square = error * error
    surprise = smaller(square / s, settings.error_cap)
    # How much better the reward agrees with a jump than without.
    better = exponentials(0.5 * (surprise - smaller(square / wide, settings.error_cap)))
    with_jump = doubt * roots(s / wide) * better
    likely = 1.0 - doubt + with_jump
    jumped = with_jump / likely
    # Where rounding has left no variance, P x is rounding, too: moving along it would make it grow.
    is_open = smaller(variance / s / _NOTHING, 1.0)
    put(table[PULL], first, is_open * (error / s))
    put(table[REACH], first, is_open / roots(s))
    part = jump / wide
    put(table[LEAP], first, jumped * part * error)
    broaden = jumped * s * part * (1.0 + (1.0 - jumped) * part * surprise)
    put(table[BROADEN], first, broaden)
    known = ((1.0 - sharing) * take(table[WEIGHT], first, width) + share) * likely
    # One logarithm for all: ln(known) - ln(s) / 2.
    put(table[LOG_WEIGHT], first, 0.5 * (logarithms(known * known / s) - surprise))
    seen = (1.0 - jumped) * noise_in(square, noise, s, settings.noise_cap)
    seen = seen + jumped * noise_in(square, noise, wide, settings.noise_cap)
    put(table[NOISE], first, larger(noise + (seen - noise) / rounds, least))


@inlined
def noise_in(square: Vector, noise: Vector, variance: Vector, cap: float) -> Vector:
    """Return what a squared error says of the noise, given that the estimate was wrong, too.

    ``variance`` is that of the error, of which ``noise`` is a part.
    """
    part = noise / variance
    return smaller(square, cap * variance) * part * part + (variance - noise) * part


@inlined
def normalise(table: Matrix) -> None:
    """Turn log-weights into weights that sum to 1; shift them so that the largest is 0."""
    n, peak, total = table.shape[1], table[LOG_WEIGHT, 0], 0.0
    for j in range(1, n):
        peak = max(peak, table[LOG_WEIGHT, j])
    abreast(unfold, n, table, peak)
    for j in range(n):
        total += table[WEIGHT, j]
    for j in range(n):
        table[WEIGHT, j] /= total


@inlined
def unfold(first: int, width: Width, table: Matrix, peak: float) -> None:
    """Write the weights of some filters, of which the largest would be 1."""
    shifted = take(table[LOG_WEIGHT], first, width) - peak
    put(table[LOG_WEIGHT], first, shifted)
    put(table[WEIGHT], first, exponentials(shifted))
