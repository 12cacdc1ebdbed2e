r"""Rewards whose parameter walks at random: which walk the log speaks for, its mean path, and paths drawn.

.. math:: \theta_{t+1} = \theta_t + N(0, \rho s^2 I), \quad r_t = x_t'\theta_t + N(0, s^2), \quad
          \theta_1 \sim N(0, \kappa s^2 I).

Everything scales with s², so a Kalman filter needs ρ alone, and s² given ρ has an inverse gamma law.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.arrays import Matrix, Vector
from ..core.base.waiting import watched
from ..core.compiler.borrowing import borrowed
from ..core.compiler.compiled import compiled

__all__ = ["Drawn", "Seen", "Walks", "draw_path", "drawn_from", "fitted", "mean_path"]

Bools = NDArray[np.bool]

_SHORTEST = 4.0  # of the memories that a walk on the grid may have, in events
_DIFFUSE = 4.0  # prior variance of a reward, in units of its mean square


class Seen(NamedTuple):
    """What was chosen and what came of it."""

    rows: Matrix  # (n, d)
    rewards: Vector  # (n,)
    is_seen: Bools  # (n,), whether there is a reward


class Walks(NamedTuple):
    """How well walks of different speed explain what was seen."""

    prior: float  # kappa
    ratios: Vector  # (m,): rho; the first one is 0, a world that stands still
    weights: Vector  # (m,): their posterior probabilities, alike before
    squares: Vector  # (m,): the sum of squared errors, each over its variance in units of s^2
    n_rewards: int
    evidence: (
        float  # the logarithm of how well they all explain it, up to a constant of the rewards
    )

    @property
    def best(self) -> float:
        """The ratio that explains most."""
        return float(self.ratios[self.weights.argmax()])


class Drawn(NamedTuple):
    """Which walk to draw a path of."""

    ratio: float
    variance: float  # s^2


def fitted(seen: Seen) -> Walks:
    """Weigh walks on a grid of speeds; s² is integrated out under a prior flat in its logarithm."""
    rows, rewards, is_seen = seen
    n, dimension = rows.shape
    count = int(is_seen.sum())
    length = max(float((rows * rows).sum(axis=1).mean()), np.finfo(float).tiny)
    square = float((rewards[is_seen] ** 2).mean()) or 1.0
    # A first guess of the noise, from all of the log at once, for the prior only.
    error = rewards[is_seen] - _least_squares(rows[is_seen], rewards[is_seen])
    noise = max(float((error * error).mean()), 1e-6 * square)
    prior = _DIFFUSE * square / (noise * length)
    memories = _SHORTEST * 2.0 ** (np.arange(2 * math.ceil(math.log2(max(n, 2))) + 1) / 2.0)
    ratios = np.concatenate([[0.0], 1.0 / (memories * memories * length / dimension)[::-1]])
    logs, squares = np.zeros(len(ratios)), np.zeros(len(ratios))
    gains, variances = np.zeros((n, dimension)), np.zeros(n)
    for j, ratio in enumerate(watched(ratios, "Fitting walks", total=len(ratios))):
        kalman(rows, is_seen, float(ratio), prior, gains, variances)
        errors = np.zeros(n)
        forward(rows, rewards, is_seen, gains, errors)
        squares[j] = (errors * errors / variances).sum()
        logs[j] = -0.5 * np.log(variances).sum() - 0.5 * count * math.log(max(squares[j], 1e-300))
    weights = np.exp(logs - logs.max())
    evidence = float(logs.max() + np.log(weights.mean()))
    return Walks(prior, ratios, weights / weights.sum(), squares, count, evidence)


def _least_squares(rows: Matrix, rewards: Vector) -> Vector:
    return np.asarray(rows @ np.linalg.lstsq(rows, rewards, rcond=None)[0])


def drawn_from(walks: Walks, random: np.random.Generator) -> Drawn:
    """Draw a speed by its weight, and the noise by its law given that."""
    j = int(random.choice(len(walks.ratios), p=walks.weights))
    return Drawn(
        float(walks.ratios[j]), float(walks.squares[j] / random.chisquare(walks.n_rewards))
    )


def mean_path(seen: Seen, walks: Walks, ratio: float) -> Matrix:
    """Return the posterior mean of the parameter in every event, (n, d)."""
    n, dimension = seen.rows.shape
    gains, variances = np.zeros((n, dimension)), np.zeros(n)
    kalman(seen.rows, seen.is_seen, ratio, walks.prior, gains, variances)
    return _smoothed(seen, seen.rewards, walks, ratio, gains, variances)


def draw_path(seen: Seen, walks: Walks, which: Drawn, random: np.random.Generator) -> Matrix:
    """Return a path drawn from the posterior of the parameter, (n, d).

    A walk and rewards drawn from the prior, and the mean path given what was seen minus those
    rewards: their sum has the law of the posterior, since for Gaussians what is left of a walk after
    its mean path does not depend on the rewards (Durbin and Koopman, 2002).
    """
    n, dimension = seen.rows.shape
    noise = math.sqrt(which.variance)
    steps = random.standard_normal((n, dimension)) * (noise * math.sqrt(which.ratio))
    steps[0] = random.standard_normal(dimension) * (noise * math.sqrt(walks.prior))
    walk = np.cumsum(steps, axis=0)
    rewards = (seen.rows * walk).sum(axis=1) + noise * random.standard_normal(n)
    gains, variances = np.zeros((n, dimension)), np.zeros(n)
    kalman(seen.rows, seen.is_seen, which.ratio, walks.prior, gains, variances)
    return walk + _smoothed(seen, seen.rewards - rewards, walks, which.ratio, gains, variances)


def _smoothed(
    seen: Seen, rewards: Vector, walks: Walks, ratio: float, gains: Matrix, variances: Vector
) -> Matrix:
    errors, path = np.zeros(len(rewards)), np.zeros(seen.rows.shape)
    forward(seen.rows, rewards, seen.is_seen, gains, errors)
    backward(seen.rows, gains, variances, errors, ratio, walks.prior, path)
    return path


@compiled
def kalman(
    rows: Matrix, is_seen: Bools, ratio: float, prior: float, gains: Matrix, variances: Vector
) -> None:
    """Write the gains of the filter, and the variances of its errors in units of s²."""
    rows, is_seen = borrowed(rows), borrowed(is_seen)
    gains, variances = borrowed(gains), borrowed(variances)
    n, d = rows.shape
    spread = np.zeros((d, d))
    for i in range(d):
        spread[i, i] = prior
    for t in range(n):
        variances[t] = 1.0
        for i in range(d):
            gains[t, i] = 0.0
        if is_seen[t]:
            for i in range(d):
                total = 0.0
                for k in range(d):
                    total += spread[i, k] * rows[t, k]
                gains[t, i] = total
                variances[t] += rows[t, i] * total
            for i in range(d):
                for k in range(i + 1):
                    spread[i, k] -= gains[t, i] * gains[t, k] / variances[t]
                    spread[k, i] = spread[i, k]
            for i in range(d):
                gains[t, i] /= variances[t]
        for i in range(d):
            spread[i, i] += ratio


@compiled
def forward(
    rows: Matrix, rewards: Vector, is_seen: Bools, gains: Matrix, errors: Vector
) -> None:  # fmt: skip
    """Write the errors of forecasts one event ahead."""
    rows, rewards, is_seen = borrowed(rows), borrowed(rewards), borrowed(is_seen)
    gains, errors = borrowed(gains), borrowed(errors)
    n, d = rows.shape
    estimate = np.zeros(d)
    for t in range(n):
        errors[t] = 0.0
        if is_seen[t]:
            predicted = 0.0
            for i in range(d):
                predicted += rows[t, i] * estimate[i]
            errors[t] = rewards[t] - predicted
            for i in range(d):
                estimate[i] += gains[t, i] * errors[t]


@compiled
def backward(
    rows: Matrix, gains: Matrix, variances: Vector, errors: Vector, ratio: float, prior: float,
    path: Matrix,
) -> None:  # fmt: skip
    """Write the mean path: steps of a walk are in proportion to what later errors ask for.

    With u_n = 0 and u_{t-1} = x_t e_t / f_t + u_t - x_t (gain_t' u_t) it is theta_1 = kappa u_0 and
    theta_{t+1} = theta_t + rho u_t (de Jong, 1988; Koopman, 1993): no covariance is kept.
    """
    rows, gains, variances = borrowed(rows), borrowed(gains), borrowed(variances)
    errors, path = borrowed(errors), borrowed(path)
    n, d = rows.shape
    asked = np.zeros(d)
    for t in range(n - 1, -1, -1):
        for i in range(d):
            path[t, i] = asked[i]  # u_t, for now
        along = 0.0
        for i in range(d):
            along += gains[t, i] * asked[i]
        for i in range(d):
            asked[i] += rows[t, i] * (errors[t] / variances[t] - along)
    here = np.zeros(d)
    for i in range(d):
        here[i] = prior * asked[i]
    for t in range(n):
        for i in range(d):
            step = ratio * path[t, i]
            path[t, i] = here[i]
            here[i] += step
