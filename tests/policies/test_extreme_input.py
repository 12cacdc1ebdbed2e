"""Extreme but legal input: nothing becomes infinite or NaN, and what was extreme is forgotten."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise import BanditOverBandit, DiscountedLinUCB, Exp3, Exp3S, SlidingWindowUCB, WeightedUCB
from driftwise.core.base.arrays import Matrix
from driftwise.core.base.validation import LARGEST_ACTION
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds

PlayOn = Callable[..., Iterator[Any]]


def rounds_of(actions: Matrix, rewards: NDArray[np.float64]) -> Rounds:
    """Rounds with one decision set, (K, d), or with one for each round, (T, K, d)."""
    sets = np.array(actions, dtype=np.float64, ndmin=3)
    return Rounds(sets, np.full(len(sets), sets.shape[1]), rewards, rewards)


def assert_finite(memory: Any) -> None:
    for array in arrays_in(memory):
        assert np.isfinite(array).all()


def policies(window: int) -> list[Any]:
    base = SlidingWindowUCB(window, 0.1)
    return [base, BanditOverBandit(base, np.array([1, 5, window]), 20, 0.2, 50.0)]


@pytest.mark.parametrize("size", [1e50, -1e50, 1e100])
@pytest.mark.parametrize("is_fixed", [True, False])
def test_enormous_rewards_come_and_go(size: float, is_fixed: bool, play_on: PlayOn) -> None:
    random = np.random.default_rng(3)
    n, window = 600, 40
    rewards = random.normal(size=(n, 4))
    rewards[100:105] = size
    rewards[200:420:10] *= size
    actions = np.eye(4) if is_fixed else random.normal(size=(n, 4, 3))
    rounds = rounds_of(actions, rewards)
    for policy in policies(window):
        arms: list[int] = []
        for stretch in play_on(policy, rounds, seed=3, size=20):
            arms.extend(stretch.arms)
            assert_finite(stretch.memory)
        if isinstance(policy, BanditOverBandit):
            assert stretch.memory.chances.sum() == pytest.approx(1.0)
            continue
        recent = np.arange(n - window, n)
        x = rounds.actions[recent * (not is_fixed), np.array(arms)[recent]]
        gram = np.eye(x.shape[1]) + x.T @ x
        wanted = np.linalg.solve(gram, x.T @ rewards[recent, np.array(arms)[recent]])
        np.testing.assert_allclose(policy.estimate_in(stretch.memory), wanted, rtol=1e-8, atol=1e-9)


DECISION_SETS = {
    "one arm": np.eye(3)[:1],
    "one dimension": np.array([[0.5], [-1.0], [0.0]]),
    "one arm, one dimension": np.ones((1, 1)),
    "nothing but zero": np.zeros((3, 2)),
    "zero among others": np.array([[0.0, 0.0], [0.6, 0.8], [0.3, 0.1]]),
    "all the same": np.tile([0.6, -0.8], (5, 1)),
    "nearly the same": np.array([[0.6, 0.8], [0.6 + 1e-12, 0.8], [0.6, 0.8 + 1e-12]]),
    "tiny": 1e-100 * np.array([[1.0, 2.0], [2.0, -1.0]]),
    "huge": LARGEST_ACTION / 2.0 * np.array([[1.0, 2.0], [2.0, -1.0]]),
    "tiny and huge": np.array([[1e-30, 0.0], [1e30, 1e30], [0.0, 1.0]]),
}


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("name", DECISION_SETS)
def test_odd_decision_sets(name: str, is_fixed: bool, play_on: PlayOn) -> None:
    actions, n = DECISION_SETS[name], 150
    rewards = np.random.default_rng(4).normal(size=(n, len(actions)))
    rounds = rounds_of(actions if is_fixed else np.tile(actions, (n, 1, 1)), rewards)
    is_compiled = not is_fixed  # the interpreter gives the same bits, and compiles no layouts
    for policy in policies(30):
        for stretch in play_on(policy, rounds, seed=4, size=10, is_compiled=is_compiled):
            assert_finite(stretch.memory)
            assert 0 <= stretch.arms.min() <= stretch.arms.max() < len(actions)


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("name", DECISION_SETS)
def test_odd_decision_sets_with_a_discount(name: str, is_fixed: bool, play_on: PlayOn) -> None:
    actions, n = DECISION_SETS[name], 60
    rewards = np.random.default_rng(4).normal(size=(n, len(actions)))
    rounds = rounds_of(actions if is_fixed else np.tile(actions, (n, 1, 1)), rewards)
    for policy in (DiscountedLinUCB(discount=0.9, noise=0.1), WeightedUCB(discount=0.9, noise=0.1)):
        for stretch in play_on(policy, rounds, seed=4, size=10, is_compiled=False):
            assert_finite(stretch.memory)


@pytest.mark.parametrize(
    "policy",
    [
        SlidingWindowUCB(window=50, noise=0.0),
        SlidingWindowUCB(window=50, noise=0.0, ridge=1e-6),
        SlidingWindowUCB(window=50, noise=1e50),
        SlidingWindowUCB(window=100_000, noise=0.1, ridge=1e-6),
        SlidingWindowUCB(window=1, noise=0.1, ridge=1e-6),
        SlidingWindowUCB(window=50, noise=0.1, ridge=1e12),
        SlidingWindowUCB(window=50, noise=0.1, parameter_norm=1e-50),
        SlidingWindowUCB(window=50, noise=0.1, confidence=1.0),
        BanditOverBandit(SlidingWindowUCB(9, 0.0, ridge=1e-6), np.array([1, 900]), 1, 1.0, 1e-9),
        BanditOverBandit(SlidingWindowUCB(9, 0.1), np.array([3]), 1000, 0.01, 1e50),
    ],
    ids=repr,
)
def test_odd_settings(policy: Any, play_on: PlayOn) -> None:
    random = np.random.default_rng(5)
    rounds = rounds_of(random.normal(size=(400, 5, 3)), random.normal(size=(400, 5)))
    for stretch in play_on(policy, rounds, seed=5, size=20):
        assert_finite(stretch.memory)


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize(
    ("window", "action_norm", "ridge", "confidence"),
    [(100, 1.0, 1.0, 1e-307), (100, 1e10, 1e-30, 0.1), (10**9, 1e100, 1e-30, 1e-300)],
)
def test_the_radius_is_finite_for_all_settings(
    window: int, action_norm: float, ridge: float, confidence: float, noise: float
) -> None:
    policy = SlidingWindowUCB(window, noise, action_norm, 1.0, ridge, confidence)
    memory = policy._replace(window=1).start(2, 2, np.eye(2))
    policy.restart(memory, 0)
    # ln((1 + w L^2 / lambda) / delta), where the ratio itself is too large for a float
    growth = math.log(window) + 2 * math.log(action_norm) - math.log(ridge)
    spread = np.logaddexp(0.0, growth) - math.log(confidence)
    wanted = noise * math.sqrt(2 * spread) + math.sqrt(ridge)
    assert memory.radius[0] == pytest.approx(wanted, rel=1e-12)


REWARDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]] = {
    "thousands": lambda random, shape: 1e3 * random.normal(size=shape),
    "always -1e50": lambda random, shape: np.full(shape, -1e50),
    "always 1e50": lambda random, shape: np.full(shape, 1e50),
    "1e50, either sign": lambda random, shape: 1e50 * random.choice([-1.0, 1.0], size=shape),
    "of every size": lambda random, shape: (
        random.choice([-1.0, 1.0], size=shape) * 10.0 ** random.uniform(-50, 99, size=shape)
    ),
    "calm, then wild": lambda random, shape: (
        random.uniform(size=shape) * np.where(np.arange(shape[0]) % 1000 == 999, 1e6, 1.0)[:, None]
    ),
    "nothing": lambda random, shape: np.zeros(shape),
}


@pytest.mark.parametrize(("n_arms", "horizon"), [(1, 1000), (3, 100_000)])
@pytest.mark.parametrize("name", REWARDS)
@pytest.mark.parametrize(
    "policy", [Exp3(0.1), Exp3S(0.1, 1e-5), Exp3S(0.001, 0.5), Exp3S(1.0, 1.0)], ids=repr
)
def test_weights_stay_probabilities(
    policy: Any, name: str, n_arms: int, horizon: int, play_on: PlayOn
) -> None:
    rewards = REWARDS[name](np.random.default_rng(6), (horizon, n_arms))
    for stretch in play_on(policy, rounds_of(np.eye(n_arms), rewards), seed=6, size=5000):
        assert_finite(stretch.memory)
        chances = stretch.memory.chances
        assert chances.sum() == pytest.approx(1.0, abs=1e-12)
        assert chances.min() >= policy.mixing / n_arms * (1 - 1e-12)


@pytest.mark.parametrize("size", [1e4, 1e50])
def test_exp3s_gives_every_arm_its_share_after_an_enormous_reward(size: float) -> None:
    """Two enormous rewards in a row, of different arms: the second arm must take over."""
    policy = Exp3S(0.1, 0.001)
    memory = policy.start(2, 2, np.eye(2))
    policy.restart(memory, 0)
    for arm in (0, 1):
        choice = policy.choose(memory, np.eye(2), 0)
        choice = choice._replace(arm=arm, propensity=memory.chances[arm])
        policy.learn(memory, np.eye(2)[arm], choice, size, 0)
    # After arm 0, arm 1 has nothing but its share, e^-power alpha e / 2 of the whole; its reward
    # comes with a propensity of 0.05 rather than 0.5, so its power is ten times as large.
    np.testing.assert_allclose(memory.chances, [0.05, 0.95], rtol=1e-9)
