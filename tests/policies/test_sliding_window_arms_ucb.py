"""SW-UCB of Garivier and Moulines against its formula, and the sums of its window."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: E741, N803, N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.core.base.arrays import Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.models.arms.arm_window import admit, arm_window, forget_window
from driftwise.policies.sliding_window_arms_ucb import SlidingWindowArmsUCB
from driftwise.policies.ucb1 import UCB1
from tests.policies.by_index import assert_plays_by_index, assert_plays_late_rewards_by_index
from tests.policies.wavy_arms import waves

PlayOn = Callable[..., Iterator[Any]]


def indices(I: NDArray[np.int64], X: Vector, K: int, tau: int, B: float, xi: float) -> Vector:
    """X_bar + B sqrt(xi ln(min(t, tau)) / N), on the last tau plays I and rewards X."""
    t = len(I)
    I, X = I[-tau:], X[-tau:]
    found = np.full(K, math.inf)
    for i in set(I.tolist()):
        N = np.sum(i == I)
        found[i] = X[i == I].mean() + B * math.sqrt(xi * math.log(min(t, tau)) / N)
    return found


@pytest.mark.parametrize("window", [1, 2, 7, 60, 5000])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_plays_the_formula(n_arms: int, window: int, play_on: PlayOn) -> None:
    policy = SlidingWindowArmsUCB(window, 0.4, 0.7)
    index = partial(indices, K=n_arms, tau=window, B=0.4, xi=0.7)
    assert_plays_by_index(policy, index, n_arms, play_on)


def test_a_window_beyond_the_horizon_is_ucb1(play_on: PlayOn) -> None:
    rounds = next(waves(3000, 4).rounds(5, 3000))
    (windowed,) = play_on(SlidingWindowArmsUCB(3000, 0.4, 0.7), rounds, seed=5)
    (plain,) = play_on(UCB1(0.4, 0.7), rounds, seed=5)
    np.testing.assert_array_equal(windowed.arms, plain.arms)
    np.testing.assert_array_equal(windowed.memory.sums, plain.memory.sums)
    np.testing.assert_array_equal(windowed.memory.counts, plain.memory.counts)


def test_arms_that_left_the_window_are_drawn_fairly() -> None:
    policy, n = SlidingWindowArmsUCB(2), 3000
    memory = policy.start(5, 5, np.eye(5))
    policy.restart(memory, 0)
    for arm in (3, 1, 4):
        choice = policy.choose(memory, np.eye(5), 0)._replace(arm=arm)
        policy.learn(memory, np.eye(5)[arm], choice, 9.0, 0)
    counts = np.zeros(5)
    for luck in range(n):
        choice = policy.choose(memory, np.eye(5), 7919 * luck)
        assert choice.propensity == 1 / 3
        assert math.isnan(choice.value)
        counts[choice.arm] += 1
    assert counts[[1, 4]].sum() == 0  # they are in the window
    assert np.abs(counts[[0, 2, 3]] - n / 3).max() <= 4 * math.sqrt(n * 2 / 9)


def test_a_late_reward_enters_the_window_when_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    policy = SlidingWindowArmsUCB(25, 0.4, 0.7)
    index = partial(indices, K=3, tau=25, B=0.4, xi=0.7)
    assert_plays_late_rewards_by_index(policy, index, arrivals(600))


sizes = st.one_of(st.just(1.0), st.floats(-1e100, 1e100, allow_subnormal=False))


@given(
    window=st.integers(1, 12),
    plays=st.lists(st.tuples(st.integers(0, 3), sizes), min_size=1, max_size=80),
    wiped=st.integers(0, 40),
)
@settings(derandomize=True, deadline=None, max_examples=150, database=None)
def test_the_sums_are_those_of_the_window(
    window: int, plays: list[tuple[int, float]], wiped: int
) -> None:
    """Also when rewards of 1e100 have come and gone: to the last digits of what is left."""
    memory = arm_window(4, 12)
    forget_window(memory)
    for t, (arm, reward) in enumerate(plays):
        if t == wiped:
            forget_window(memory)
        admit(memory, arm, reward, window)
        recent = plays[wiped if t >= wiped else 0 : t + 1][-window:]
        for k in range(4):
            mine = [reward for arm, reward in recent if arm == k]
            assert memory.counts[k] == len(mine)
            error = abs(Fraction(memory.sums[k]) - sum(map(Fraction, mine)))
            assert error <= Fraction(2e-15) * sum(abs(Fraction(reward)) for reward in mine)


def test_a_window_may_shrink_and_grow_between_blocks(play_on: PlayOn) -> None:
    """A memory with room for ten serves every smaller window as its own would."""
    rewards = np.random.default_rng(1).normal(size=(80, 3))
    rounds = Rounds(np.eye(3)[None], np.full(1, 3), rewards, rewards)
    roomy = SlidingWindowArmsUCB(10).start(3, 3, np.eye(3))
    for window in (10, 1, 4, 9):
        policy = SlidingWindowArmsUCB(window)
        policy.restart(roomy, 0)
        for t, stretch in enumerate(play_on(policy, rounds, seed=1, size=1, is_compiled=False)):
            choice = policy.choose(roomy, np.eye(3), 0)._replace(arm=int(stretch.arms[0]))
            policy.learn(roomy, np.eye(3)[choice.arm], choice, rewards[t, choice.arm], 0)
            np.testing.assert_array_equal(roomy.sums, stretch.memory.sums)
            np.testing.assert_array_equal(roomy.counts, stretch.memory.counts)


def test_tuned() -> None:
    def window(horizon: int, n_changes: int | None, reward_range: float = 1.0) -> int:
        policy = SlidingWindowArmsUCB.tuned(
            horizon=horizon, n_arms=3, n_changes=n_changes, reward_range=reward_range
        )
        assert policy == SlidingWindowArmsUCB(policy.window, reward_range, 0.6)
        return policy.window

    assert window(10_000, 2) == math.floor(2 * math.sqrt(10_000 * math.log(10_000) / 2)) == 429
    assert window(10_000, 2, 0.5) == 214
    assert window(10_000, None) == window(10_000, 1) == 606
    assert window(10_000, 0) == 10_000
    assert [window(1, n) for n in (None, 0, 5)] == [1, 1, 1]
    assert window(100, 10**9) == 1
    assert window(5, 1, 1e9) == 5
