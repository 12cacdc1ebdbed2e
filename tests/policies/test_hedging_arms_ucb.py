"""The d-armed SW-UCB of "Hedging the Drift" against its formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.core.base.arrays import Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.policies.hedging_arms_ucb import HedgingArmsUCB
from tests.policies.by_index import assert_plays_by_index

PlayOn = Callable[..., Iterator[Any]]


def indices(
    arms: NDArray[np.int64], rewards: Vector, n_arms: int, window: int, noise: float, log: float
) -> Vector:
    """mean + R sqrt(2 log / N) on the last rewards; infinite for an arm that is not there."""
    arms, rewards = arms[-window:], rewards[-window:]
    found = np.full(n_arms, math.inf)
    for k in set(arms.tolist()):
        mine = rewards[arms == k]
        found[k] = mine.mean() + noise * math.sqrt(2 * log / len(mine))
    return found


def assert_plays(policy: HedgingArmsUCB, log: float, n_arms: int, play_on: PlayOn) -> None:
    def index(arms: NDArray[np.int64], rewards: Vector) -> Vector:
        return indices(arms, rewards, n_arms, policy.window, policy.noise, log)

    assert_plays_by_index(policy, index, n_arms, play_on)


@pytest.mark.parametrize("window", [1, 7, 60, 1500, 9999])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_plays_the_formula(n_arms: int, window: int, play_on: PlayOn) -> None:
    assert_plays(HedgingArmsUCB(window, 0.2, 0.03), math.log(2 * n_arms / 0.03), n_arms, play_on)


def test_tuned_has_the_index_as_it_is_printed(play_on: PlayOn) -> None:
    """R sqrt(2 ln(2 d T^2) / N)."""
    policy = HedgingArmsUCB.tuned(horizon=1500, n_arms=4, noise=0.3, variation=5.0)
    assert_plays(policy, math.log(2 * 4 * 1500**2), 4, play_on)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 6),
    window=st.integers(1, 40),
    order=st.randoms(use_true_random=False),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_names_of_arms_do_not_matter(
    play_on: PlayOn, seed: int, n_arms: int, window: int, order: Any
) -> None:
    """Once all arms are in a window that never loses one, other names give other numbers only."""
    names = list(range(n_arms))
    order.shuffle(names)
    rewards = np.random.default_rng(seed).normal(size=(n_arms, n_arms + 60))
    policy = HedgingArmsUCB(n_arms + 60, 0.3)
    memories = [policy.start(n_arms, n_arms, np.eye(n_arms)) for _ in range(2)]
    for memory in memories:
        policy.restart(memory, 0)
    dummy = policy.choose(memories[0], np.eye(n_arms), 0)
    for k in range(n_arms):
        policy.learn(memories[0], np.eye(n_arms)[k], dummy._replace(arm=k), rewards[k, k], 0)
    for k in range(n_arms):
        renamed = dummy._replace(arm=names[k])
        policy.learn(memories[1], np.eye(n_arms)[names[k]], renamed, rewards[k, k], 0)
    for t in range(60):
        one = policy.choose(memories[0], np.eye(n_arms), t)
        other = policy.choose(memories[1], np.eye(n_arms), t)
        assert other == (names[one.arm], one.propensity, one.value)
        policy.learn(memories[0], np.eye(n_arms)[0], one, rewards[one.arm, n_arms + t], 0)
        policy.learn(memories[1], np.eye(n_arms)[0], other, rewards[one.arm, n_arms + t], 0)


def test_what_left_the_window_leaves_no_trace(play_on: PlayOn) -> None:
    rewards = np.random.default_rng(3).normal(size=(300, 3))
    rewards[20:24] = [1e100, -1e100, 1e90]
    rounds = Rounds(np.eye(3)[None], np.full(1, 3), rewards, rewards)
    (stretch,) = play_on(HedgingArmsUCB(50, 0.1), rounds, seed=3, is_compiled=False)
    recent = np.arange(250, 300)
    for k in range(3):
        mine = rewards[recent, stretch.arms[recent]][stretch.arms[recent] == k]
        assert stretch.memory.sums[k] == pytest.approx(mine.sum(), abs=1e-13)


def test_tuned() -> None:
    def window(horizon: int, n_arms: int, variation: float | None) -> int:
        policy = HedgingArmsUCB.tuned(
            horizon=horizon, n_arms=n_arms, noise=0.2, variation=variation
        )
        assert policy == HedgingArmsUCB(policy.window, 0.2, policy.confidence)
        assert policy.confidence == pytest.approx(horizon**-2)
        return policy.window

    assert window(30_000, 2, 1.0) == math.floor(2 ** (1 / 3) * 30_000 ** (2 / 3)) == 1216
    assert window(1000, 8, 1.0) == 200
    assert window(1000, 8, 8.0) == 50
    assert window(1000, 8, None) == 200
    assert window(1000, 8, 0.0) == window(1000, 8, 1e-300) == 1000
    assert window(1000, 8, 1e50) == window(1, 8, 1.0) == 1


def test_a_confidence_close_to_zero_is_finite() -> None:
    policy = HedgingArmsUCB(3, 1.0, 1e-307)
    memory = policy.start(9, 9, np.eye(9))
    policy.restart(memory, 0)
    choice = policy.choose(memory, np.eye(9), 0)
    for k in range(9):
        policy.learn(memory, np.eye(9)[k], choice._replace(arm=k), 0.0, 0)
    memory.counts[:] = 1.0
    wanted = math.sqrt(2 * (math.log(18) + 307 * math.log(10)))
    assert policy.choose(memory, np.eye(9), 0).value == pytest.approx(wanted)
