"""Faded regression: its factors, its lanes, and what happens to them in long or extreme runs."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from driftwise.core.linalg.lanes import (
    WIDTHS,
    eliminate,
    fade_lanes,
    narrowest_around,
    padded,
    sum_products,
    widest_within,
)
from driftwise.core.linalg.triangles import factor
from driftwise.core.models.discounted.fading import FadingDense, begin_fading

Array = NDArray[np.float64]


def dense(d: int, ridge: float = 0.7) -> FadingDense:
    memory = begin_fading(0, d, None)
    assert isinstance(memory, FadingDense)
    memory.clear(ridge)
    return memory


def direct(
    actions: Array, rewards: Array, discount: float, ridge: float
) -> tuple[Array, Array, Array]:
    """V, W and the sum of g^age x y, from scratch."""
    weights = discount ** np.arange(len(actions) - 1.0, -1.0, -1.0)
    eye = ridge * np.eye(actions.shape[1])
    v = eye + (actions.T * weights) @ actions
    w = eye + (actions.T * weights**2) @ actions
    return v, w, actions.T @ (weights * rewards)


@pytest.mark.parametrize("d", [1, 3, 4, 8, 11])
@pytest.mark.parametrize("sandwich", [0, 1, 2])
def test_means_and_widths_are_those_of_a_direct_solve(d: int, sandwich: int) -> None:
    rng = np.random.default_rng(d)
    actions, rewards = rng.standard_normal((30, d)), rng.standard_normal(30)
    memory = dense(d)
    for x, y in zip(actions, rewards, strict=True):
        memory.fade(x, 0, float(y), 0.9, 0.7, sandwich)
    v, w, moment = direct(actions, rewards, 0.9, 0.7)
    inverse = np.linalg.inv(v)
    shape = inverse @ w @ inverse if sandwich else inverse
    estimate = inverse @ moment
    np.testing.assert_allclose(memory.solution(), estimate, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(memory.error_shape(), shape, rtol=1e-9, atol=1e-13)
    for n_arms in (1, 4, 5, 12, 13, 24, 29, 53):  # whole lanes or not, one block of arms or several
        offer = rng.standard_normal((n_arms, d))
        squares = np.einsum("ki,ij,kj->k", offer, shape, offer)
        np.testing.assert_allclose(memory.squared_widths(offer), squares, rtol=1e-10)
        bounds = offer @ estimate + 0.5 * np.sqrt(squares)
        arm, value, ties = memory.optimistic(offer, 0.5, 3)
        assert (arm, ties) == (bounds.argmax(), 1)
        assert value == pytest.approx(bounds.max(), rel=1e-10)


def test_what_was_in_memory_before_does_not_matter() -> None:
    target = np.full(8, np.nan)
    left, right = np.arange(16.0).reshape(2, 8), np.ones((2, 8))
    sum_products(target, 4, left, right, 2)
    assert target[4:].tolist() == [16.0, 18.0, 20.0, 22.0]


def test_equals_share_the_choice_across_blocks() -> None:
    memory = dense(2)
    memory.fade(np.array([1.0, 0.5]), 0, 1.0, 0.9, 0.7, 1)
    offer = np.tile([0.1, 0.1], (30, 1))
    offer[[3, 20, 28]] = [1.0, 1.0]
    chosen = [memory.optimistic(offer, 1.0, luck)[::2] for luck in range(3000)]
    assert {ties for _, ties in chosen} == {3}
    arms, counts = np.unique([arm for arm, _ in chosen], return_counts=True)
    assert arms.tolist() == [3, 20, 28]
    assert np.abs(counts - 1000).max() < 4.5 * np.sqrt(3000 * 2 / 9)


@pytest.mark.parametrize("d", [1, 3, 6])
def test_draws_have_the_distribution_they_should(d: int) -> None:
    rng = np.random.default_rng(d)
    actions, rewards = rng.standard_normal((20, d)), rng.standard_normal(20)
    memory = dense(d)
    for x, y in zip(actions, rewards, strict=True):
        memory.fade(x, 0, float(y), 0.8, 0.7, 2)
    v, w, moment = direct(actions, rewards, 0.8, 0.7)
    inverse, n = np.linalg.inv(v), 8000
    drawn = np.array([memory.draw(0.5, luck, 0) for luck in range(n)])
    covariance = 0.25 * inverse @ w @ inverse
    white = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - inverse @ moment).T)
    assert np.abs(white.mean(axis=1)).max() < 4.5 / np.sqrt(n)
    assert np.abs(np.cov(white) - np.eye(d)).max() < 4.5 * np.sqrt(2 / n)


def test_what_was_long_ago_leaves_no_trace() -> None:
    """Nothing is ever taken out, so errors fade like rounds: any run ends as its last rounds."""
    rng = np.random.default_rng(0)
    actions, rewards = rng.standard_normal((3000, 3)), rng.standard_normal(3000)
    actions[:2000] *= 10.0 ** rng.uniform(-3, 3, (2000, 1))
    memory = dense(3)
    for x, y in zip(actions, rewards, strict=True):
        memory.fade(x, 0, float(y), 0.9, 0.7, 1)
    v, w, moment = direct(actions[-700:], rewards[-700:], 0.9, 0.7)
    inverse = np.linalg.inv(v)
    np.testing.assert_allclose(memory.solution(), inverse @ moment, rtol=1e-10)
    np.testing.assert_allclose(memory.error_shape(), inverse @ w @ inverse, rtol=1e-10)


@pytest.mark.parametrize("sandwich", [0, 1, 2])
@pytest.mark.parametrize("size", [1e-100, 1e-30, 1e6, 1e40])
def test_actions_of_any_length_leave_everything_finite(size: float, sandwich: int) -> None:
    rng = np.random.default_rng(1)
    memory = dense(5)
    for t in range(60):
        x = rng.standard_normal(5) * (size if t % 7 == 3 else 1.0)
        memory.fade(x, 0, 1.0, 0.9, 0.7, sandwich)
        assert all(np.isfinite(array).all() for array in memory)
        offer = rng.standard_normal((4, 5))
        assert np.isfinite(memory.optimistic(offer, 1.0, t)[1])
        if sandwich == 2:
            assert np.isfinite(memory.draw(1.0, t, 0)).all()


def test_a_giant_action_is_known_exactly_enough() -> None:
    """1e6 times longer than the others: Gram matrices keep four digits of the others, no more."""
    rng = np.random.default_rng(2)
    actions, rewards = rng.standard_normal((40, 3)), rng.standard_normal(40)
    actions[20] *= 1e6
    memory = dense(3)
    for x, y in zip(actions, rewards, strict=True):
        memory.fade(x, 0, float(y), 0.9, 0.7, 1)
    v, _, moment = direct(actions, rewards, 0.9, 0.7)
    np.testing.assert_allclose(memory.solution(), np.linalg.solve(v, moment), rtol=1e-3, atol=1e-3)


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def run_lanes(a: Array, b: Array, c: Array, v: Array) -> None:
    for first in range(0, a.shape[1], 4):
        fade_lanes(a, 1, first, 0.9, 1.7, v)
    first = 0
    for count in WIDTHS:
        eliminate(b, a, 0.3, 2, first, count, c[:, 1], 0, 5, 1, a)
        eliminate(b, b, -1.1, 3, first, count, c[1], 4, 1, -1, a)
        eliminate(b, a, 2.0, 4, first, count, c[1], 2, 2, 1, a)
        first += count
    for first in range(0, a.shape[1], 4):
        sum_products(v, first, a, b, 5)


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def run_factor(gram: Array, scratch: Array, unit: Array, pivots: Array) -> None:
    factor(gram, 0.7, scratch, unit, pivots)


def test_lanes_give_the_same_bits_interpreted_and_compiled() -> None:
    rng = np.random.default_rng(3)
    n = sum(WIDTHS)
    slow = [rng.standard_normal((5, n)) for _ in range(3)] + [rng.standard_normal(n)]
    fast = [array.copy() for array in slow]
    run_lanes.py_func(*slow)
    run_lanes(*fast)
    for one, other in zip(slow, fast, strict=True):
        assert one.tobytes() == other.tobytes()


def test_columns_are_taken_in_widths_that_exist() -> None:
    for count in range(1, 200):
        around = narrowest_around(count)
        assert around == min((each for each in WIDTHS if each >= count), default=max(WIDTHS))
        if count >= min(WIDTHS):
            assert widest_within(count) == max(each for each in WIDTHS if each <= count)


@pytest.mark.parametrize("d", [7, 45])  # whole lanes or not; all widths
def test_factors_multiply_to_the_matrix(d: int) -> None:
    rng = np.random.default_rng(4)
    n = padded(d + 1)
    x = np.zeros((3 * d, n))
    x[:, : d + 1] = rng.standard_normal((3 * d, d + 1))
    gram = (x.T @ x)[:d]
    results = []
    for run in (run_factor, run_factor.py_func):
        scratch, unit, pivots = np.zeros((d, n)), np.zeros((d, n)), np.zeros(d)
        run(gram, scratch, unit, pivots)
        results.append((unit.tobytes(), pivots.tobytes()))
    assert results[0] == results[1]
    r = np.triu(unit[:, :d], 1) + np.eye(d)
    np.testing.assert_allclose(
        (r.T / pivots) @ r, gram[:, :d] + 0.7 * np.eye(d), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose((r.T / pivots) @ unit[:, d], gram[:, d], rtol=1e-12, atol=1e-12)
