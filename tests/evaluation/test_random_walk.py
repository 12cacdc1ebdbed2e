"""The random walk: against the joint law of all parameters, solved as one large Gaussian."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.moving_logs import Numbers, linear_log
from driftwise.evaluation.random_walk import (
    Drawn,
    Seen,
    draw_path,
    drawn_from,
    fitted,
    mean_path,
)

N, D = 12, 2


def seen(seed: int) -> Seen:
    random = np.random.default_rng(seed)
    is_seen = random.random(N) < 0.8
    return Seen(random.standard_normal((N, D)), random.standard_normal(N), is_seen)


def joint(given: Seen, ratio: float, prior: float) -> tuple[Numbers, Numbers, Numbers]:
    """Return mean and covariance of all parameters given the rewards, and the rewards' own covariance."""
    times = np.minimum.outer(np.arange(N), np.arange(N))
    before = np.kron(prior + ratio * times, np.eye(D))
    rows = np.zeros((N, N * D))
    for t in range(N):
        rows[t, t * D : (t + 1) * D] = given.rows[t]
    rows, rewards = rows[given.is_seen], given.rewards[given.is_seen]
    spread = rows @ before @ rows.T + np.eye(len(rows))
    gain = before @ rows.T @ np.linalg.inv(spread)
    left = np.asarray(before - gain @ rows @ before, np.float64)
    return (gain @ rewards).reshape(N, D), left, spread


@pytest.mark.parametrize("ratio", [0.0, 0.01, 3.0])
def test_the_mean_path_is_that_of_the_joint_law(ratio: float) -> None:
    given = seen(1)
    walks = fitted(given)
    mean, _, _ = joint(given, ratio, walks.prior)
    np.testing.assert_allclose(mean_path(given, walks, ratio), mean, rtol=1e-9, atol=1e-12)


def test_weights_are_those_of_the_rewards_with_the_noise_integrated_out() -> None:
    """Flat in the logarithm of s², the likelihood is |S|^-1/2 (r' S^-1 r)^-n/2."""
    given = seen(2)
    walks = fitted(given)
    rewards = given.rewards[given.is_seen]
    logs = []
    for ratio, squares in zip(walks.ratios, walks.squares, strict=True):
        spread = joint(given, ratio, walks.prior)[2]
        form = rewards @ np.linalg.solve(spread, rewards)
        assert squares == pytest.approx(form)
        logs.append(-0.5 * np.linalg.slogdet(spread)[1] - 0.5 * len(rewards) * math.log(form))
    expected = np.exp(np.array(logs) - max(logs))
    np.testing.assert_allclose(walks.weights, expected / expected.sum(), rtol=1e-8)


def test_paths_have_the_law_of_the_posterior() -> None:
    """4,000 paths: means and covariances within five of their standard errors."""
    given, which = seen(3), Drawn(0.05, 0.7)
    walks = fitted(given)
    mean, covariance, _ = joint(given, which.ratio, walks.prior)
    random = np.random.default_rng(0)
    paths = np.array([draw_path(given, walks, which, random).ravel() for _ in range(4000)])
    covariance = which.variance * covariance
    error = np.sqrt(np.diag(covariance) / 4000)
    assert (np.abs(paths.mean(axis=0) - mean.ravel()) <= 5.0 * error).all()
    sizes = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(np.cov(paths.T) - covariance) <= 5.0 * math.sqrt(2.0 / 4000) * sizes).all()


def test_the_speed_of_a_walk_is_found() -> None:
    for kind, is_still in (("stationary", True), ("walk", False)):
        moving = linear_log(0, kind)
        events = moving.events
        given = Seen(events.rows_of(events.chosen), events.reward, np.ones(len(events), np.bool_))
        walks = fitted(given)
        still = float(walks.weights[walks.ratios <= 4e-6].sum())
        assert (still > 0.9) is is_still
        which = drawn_from(walks, np.random.default_rng(0))
        assert math.sqrt(which.variance) == pytest.approx(0.5, rel=0.05)
