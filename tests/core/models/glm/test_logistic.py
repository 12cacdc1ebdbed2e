"""The logistic link, and Newton steps that reach the root of the score equation from anywhere."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit

from driftwise.core.models.glm.logistic import (
    LogisticFit,
    begin_logistic,
    mean_of,
    slope_of,
    solve_in_place,
)

Array = NDArray[np.float64]
bounded = settings(derandomize=True, deadline=None, max_examples=40, database=None)


@pytest.mark.parametrize("z", [-1e300, -800.0, -40.0, -1.5, -1e-9, 0.0, 0.3, 36.0, 700.0, 1e300])
def test_the_link_and_its_slope(z: float) -> None:
    assert mean_of(z) == pytest.approx(expit(z), rel=1e-14, abs=0.0)
    assert slope_of(z) == pytest.approx(expit(z) * expit(-z), rel=1e-14, abs=0.0)


@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 6), ridge=st.floats(1e-3, 1e3))
@bounded
def test_solving_in_place(seed: int, dimension: int, ridge: float) -> None:
    rng = np.random.default_rng(seed)
    x, side = rng.standard_normal((4, dimension)), rng.standard_normal(dimension)
    gram = x.T @ x
    wanted = np.linalg.solve(gram + ridge * np.eye(dimension), side)
    got = side.copy()
    solve_in_place(np.tril(gram), ridge, got, np.zeros(dimension))
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_solving_where_rounding_has_eaten_the_ridge() -> None:
    """One action of length 1e40: what is left of the second pivot is rounding, or nothing."""
    x = 1e40 * np.array([1.0, 2.0])
    side = np.array([1.0, 1.0])
    solve_in_place(np.outer(x, x), 1.0, side, np.zeros(2))
    assert np.isfinite(side).all()
    assert side.sum() >= 0.0  # uphill


class Rounds:
    """Random rounds in a ring that has gone around, and the same in order of age."""

    def __init__(self, seed: int, dimension: int, *, reward_size: float = 1.0) -> None:
        rng = np.random.default_rng(seed)
        self.room, played = int(rng.integers(1, 20)), int(rng.integers(1, 40))
        self.count = min(self.room, played)
        self.history = np.full((self.room + 3, 2 + dimension), np.nan)  # more than is in use
        rows = rng.standard_normal((played, 2 + dimension))
        rows[:, 0] = (rng.random(played) < 0.3) * reward_size
        for t, row in enumerate(rows):
            self.history[t % self.room] = row
        self.clock = np.array([self.count, played % self.room])
        newest_first = rows[::-1][: self.count]
        self.rewards, self.actions = newest_first[:, 0], newest_first[:, 2:]

    def score(self, theta: Array, discount: float, ridge: float) -> Array:
        weights = discount ** np.arange(self.count)
        errors = weights * (self.rewards - expit(self.actions @ theta))
        return np.asarray(self.actions.T @ errors - ridge * theta)

    def loss(self, theta: Array, discount: float, ridge: float) -> float:
        z = self.actions @ theta
        losses = np.logaddexp(0.0, z) - self.rewards * z
        weights = discount ** np.arange(self.count)
        return float(weights @ losses + 0.5 * ridge * theta @ theta)

    def fitted(self, start: Array, discount: float, ridge: float, newton_steps: int) -> LogisticFit:
        fit = begin_logistic(len(start))
        fit.estimate[:] = start
        fit.approach(self.history, self.clock, self.room, discount, ridge, newton_steps)
        return fit


@given(
    seed=st.integers(0, 10**6),
    dimension=st.integers(1, 5),
    discount=st.sampled_from([1.0, 0.9, 0.3]),
    ridge=st.floats(1e-2, 10.0),
    far=st.floats(0.0, 30.0),
)
@bounded
def test_many_steps_reach_the_root_from_anywhere(
    seed: int, dimension: int, discount: float, ridge: float, far: float
) -> None:
    rounds = Rounds(seed, dimension)
    start = far * np.random.default_rng(seed + 1).standard_normal(dimension)
    fit = rounds.fitted(start, discount, ridge, 300)
    score = rounds.score(fit.estimate, discount, ridge)
    assert np.abs(score).max() <= 1e-9 * (1.0 + ridge * np.abs(fit.estimate).max())


@given(
    seed=st.integers(0, 10**6),
    discount=st.sampled_from([1.0, 0.8]),
    ridge=st.floats(1e-3, 10.0),
    far=st.floats(0.0, 30.0),
    reward_size=st.sampled_from([1.0, -1.0, 20.0]),
)
@bounded
def test_every_step_gains(
    seed: int, discount: float, ridge: float, far: float, reward_size: float
) -> None:
    rounds = Rounds(seed, 3, reward_size=reward_size)
    theta = far * np.random.default_rng(seed + 1).standard_normal(3)
    for _ in range(8):
        after = rounds.fitted(theta, discount, ridge, 1).estimate
        before = rounds.loss(theta, discount, ridge)
        assert rounds.loss(after, discount, ridge) <= before + 1e-12 * (1.0 + abs(before))
        theta = after


def test_where_full_newton_steps_diverge() -> None:
    """From 5 they go to -53, and then to and fro between -250 and 250."""
    ridge, history, clock = 2e-3, np.array([[0.5, 1.0]]), np.array([1, 0])
    theta = 5.0
    for _ in range(2):
        theta += (0.5 - expit(theta) - ridge * theta) / (expit(theta) * expit(-theta) + ridge)
    assert abs(theta) > 100.0
    fit = begin_logistic(1)
    fit.estimate[0] = 5.0
    fit.approach(history, clock, 1, 1.0, ridge, 30)
    assert fit.estimate[0] == pytest.approx(0.0, abs=1e-9)


def test_rounds_that_a_plane_separates_have_a_finite_estimate() -> None:
    """All clicks on one side: the likelihood alone has no maximum, the penalty gives it one."""
    x = np.linspace(-1.0, 1.0, 20)
    history = np.stack([(x > 0).astype(float), x], axis=1)
    clock = np.array([20, 0])
    for ridge in (1.0, 1e-3, 1e-6):
        fit = begin_logistic(1)
        fit.approach(history, clock, 20, 1.0, ridge, 200)
        score = x @ (history[:, 0] - expit(x * fit.estimate)) - ridge * fit.estimate
        assert score == pytest.approx(0.0, abs=1e-9)
        assert fit.estimate[0] < math.log(1e3 / ridge) / x[x > 0].min()


def test_what_no_round_speaks_of_returns_to_zero_at_once() -> None:
    fit = begin_logistic(2)
    fit.estimate[:] = [0.0, 7.0]
    fit.approach(np.array([[0.5, 1.0, 0.0]]), np.array([1, 0]), 1, 1.0, 0.1, 1)
    assert fit.estimate.tolist() == [0.0, 0.0]


def test_a_step_that_would_overflow_is_shortened() -> None:
    """Far out the link is flat, and the step is that of the penalty alone: 1e230 here."""
    fit = begin_logistic(1)
    fit.estimate[0] = 1e-90
    fit.approach(np.array([[1e100, 1e100]]), np.array([1, 0]), 1, 1.0, 1e-30, 3)
    assert 1e-90 <= fit.estimate[0] < 1e-89
