"""D-UCB of Garivier and Moulines against its formula, with all weights recomputed."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: E741, N803, N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.core.base.arrays import Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.policies.discounted_arms_ucb import DiscountedArmsUCB
from driftwise.policies.ucb1 import UCB1
from tests.policies.by_index import assert_plays_by_index, assert_plays_late_rewards_by_index
from tests.policies.near_ties import NEAR
from tests.policies.wavy_arms import waves

PlayOn = Callable[..., Iterator[Any]]


def near(bounds: Vector) -> float:
    """Return how close is near: of an arm that was long forgotten the index is huge."""
    return float(NEAR * (1 + abs(bounds.max())))


def indices(I: NDArray[np.int64], X: Vector, K: int, gamma: float, B: float, xi: float) -> Vector:
    """X_bar + 2 B sqrt(xi ln n / N), where the play s of t weighs gamma^(t-s)."""
    weights = gamma ** np.arange(len(I))[::-1]
    found = np.full(K, math.inf)
    for i in set(I.tolist()):
        N = weights[i == I].sum()
        mean = (weights * X)[i == I].sum() / N
        found[i] = mean + 2 * B * math.sqrt(xi * math.log(weights.sum()) / N)
    return found


@pytest.mark.parametrize("discount", [0.5, 0.9, 0.995, 1.0])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_plays_the_formula(n_arms: int, discount: float, play_on: PlayOn) -> None:
    policy = DiscountedArmsUCB(discount, 0.3, 0.7)
    index = partial(indices, K=n_arms, gamma=discount, B=0.3, xi=0.7)
    assert_plays_by_index(policy, index, n_arms, play_on, near)


def test_without_a_discount_it_is_ucb1(play_on: PlayOn) -> None:
    """To the bit: four times the weight under the root is twice the width."""
    rounds = next(waves(3000, 4).rounds(5, 3000))
    (faded,) = play_on(DiscountedArmsUCB(1.0, 0.4, 0.7), rounds, seed=5)
    (plain,) = play_on(UCB1(0.4, 4 * 0.7), rounds, seed=5)
    np.testing.assert_array_equal(faded.arms, plain.arms)
    np.testing.assert_array_equal(faded.memory.sums, plain.memory.sums)
    np.testing.assert_array_equal(faded.memory.counts, plain.memory.counts)


def test_a_late_reward_has_its_full_weight_when_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    policy = DiscountedArmsUCB(0.95, 0.4, 0.7)
    index = partial(indices, K=3, gamma=0.95, B=0.4, xi=0.7)
    assert_plays_late_rewards_by_index(policy, index, arrivals(600), near)


def test_a_weight_that_is_no_number_any_more_counts_as_none() -> None:
    policy = DiscountedArmsUCB(0.5, 1.0, 0.0)
    memory = policy.start(2, 2, np.eye(2))
    policy.restart(memory, 0)
    choice = policy.choose(memory, np.eye(2), 0)
    policy.learn(memory, np.eye(2)[0], choice._replace(arm=0), 5.0, 0)
    for _ in range(1200):
        policy.learn(memory, np.eye(2)[1], choice._replace(arm=1), 9.0, 0)
    assert memory.counts[0] == 0.0
    choice = policy.choose(memory, np.eye(2), 0)
    assert (choice.arm, choice.propensity) == (0, 1.0)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 6),
    discount=st.floats(0.01, 1.0),
    size=st.sampled_from([1e-100, 1.0, 1e100]),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_means_stay_within_the_rewards(
    play_on: PlayOn, seed: int, n_arms: int, discount: float, size: float
) -> None:
    rewards = size * np.random.default_rng(seed).uniform(-1, 1, (150, n_arms))
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    policy = DiscountedArmsUCB(discount, size)
    for stretch in play_on(policy, rounds, seed=seed, size=10, is_compiled=False):
        counts, sums = stretch.memory.counts, stretch.memory.sums
        assert np.isfinite(sums).all()
        assert (np.abs(sums) <= size * counts * (1 + 1e-12)).all()
        n = 1 / (1 - discount) if discount < 1 else math.inf
        assert 1.0 <= counts.sum() <= n * (1 + 1e-12)


def test_tuned() -> None:
    def discount(horizon: int, n_changes: int | None, reward_range: float = 1.0) -> float:
        policy = DiscountedArmsUCB.tuned(
            horizon=horizon, n_arms=3, n_changes=n_changes, reward_range=reward_range
        )
        assert policy == DiscountedArmsUCB(policy.discount, reward_range, 0.6)
        return policy.discount

    assert discount(10_000, 4) == pytest.approx(1 - 1 / 4 * math.sqrt(4 / 10_000))
    assert discount(10_000, 4, 0.5) == pytest.approx(0.99)
    assert discount(10_000, None) == discount(10_000, 1) == pytest.approx(0.9975)
    assert discount(10_000, 0) == 1.0
    assert discount(10_000, 4, 0.0) == discount(3, 10**9) == 0.5
    assert discount(1, 1, 0.5) == 0.5
    assert discount(1, 1, 0.51) == pytest.approx(1 - 1 / 2.04)
