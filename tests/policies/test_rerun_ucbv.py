"""Rerun-UCB-V against UCB-V on the rewards of each batch, with all moments recomputed."""

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
from driftwise.policies.rerun_ucbv import RerunUCBV
from tests.policies.by_index import assert_plays_by_index, assert_plays_late_rewards_by_index

PlayOn = Callable[..., Iterator[Any]]


def ucbv(arms: NDArray[np.int64], rewards: Vector, n_arms: int, b: float, zeta: float) -> Vector:
    """mean + sqrt(2 var zeta ln n / N) + 3 b zeta ln n / N; infinite without rewards."""
    found = np.full(n_arms, math.inf)
    for k in set(arms.tolist()):
        mine = rewards[arms == k]
        log_n = zeta * math.log(len(arms))
        found[k] = mine.mean() + math.sqrt(2 * mine.var() * log_n / len(mine))
        found[k] += 3 * b * log_n / len(mine)
    return found


@pytest.mark.parametrize(
    ("restart_every", "optimism"), [(1, 1.0), (2, 1.0), (150, 1.2), (1500, 1.0), (9999, 1.0)]
)
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_plays_ucbv_in_batches(
    n_arms: int, restart_every: int, optimism: float, play_on: PlayOn
) -> None:
    """With one batch for all rounds it is UCB-V."""

    def index(arms: NDArray[np.int64], rewards: Vector) -> Vector:
        first = len(arms) - len(arms) % restart_every
        return ucbv(arms[first:], rewards[first:], n_arms, 0.2, optimism)

    policy = RerunUCBV(restart_every, 0.2, optimism)
    assert_plays_by_index(policy, index, n_arms, play_on)


def test_a_late_reward_enters_the_batch_in_which_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    def index(arms: NDArray[np.int64], came: Vector) -> Vector:
        first = len(arms) - len(arms) % 70
        return ucbv(arms[first:], came[first:], 3, 0.2, 1.0)

    assert_plays_late_rewards_by_index(RerunUCBV(70, 0.2), index, arrivals(600))


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 5),
    restart_every=st.integers(1, 200),
    origin=st.sampled_from([0.0, 1e6, -1e99]),
    size=st.sampled_from([1e-3, 1.0, 1e100]),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_the_variance_is_right_far_from_zero(
    play_on: PlayOn, seed: int, n_arms: int, restart_every: int, origin: float, size: float
) -> None:
    rewards = origin + size * np.random.default_rng(seed).uniform(-1, 1, (150, n_arms))
    rewards = np.clip(rewards, -1e100, 1e100)
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    (stretch,) = play_on(RerunUCBV(restart_every), rounds, seed=seed, is_compiled=False)
    recent = np.arange(150 - 150 % restart_every, 150)
    arms = stretch.arms[recent]
    for k in range(n_arms):
        mine = rewards[recent, arms.astype(int)][arms == k]
        memory = stretch.memory
        assert memory.counts[k] == len(mine)
        if len(mine):
            scale = np.abs(mine).max()
            assert memory.averages[k] == pytest.approx(mine.mean(), abs=1e-13 * scale)
            variance = memory.deviations[k] / memory.counts[k]
            assert variance >= 0
            # The variance of rounded numbers is not known better than this.
            slack = 1e-12 * mine.var() + 1e-13 * scale * mine.std() + (1e-14 * scale) ** 2
            assert variance == pytest.approx(mine.var(), abs=slack)


def test_tuned() -> None:
    def length(horizon: int, n_arms: int, noise: float, variation: float | None) -> int:
        policy = RerunUCBV.tuned(
            horizon=horizon, n_arms=n_arms, noise=noise, variation=variation, reward_range=0.3
        )
        assert policy == RerunUCBV(policy.restart_every, 0.3, 1.0)
        return policy.restart_every

    def both_cases(horizon: int, n_arms: int, noise: float, variation: float) -> int:
        total: float = horizon * n_arms * noise**2
        if n_arms * horizon * variation <= total**2:
            ideal: float = (n_arms * total * horizon / variation**2) ** (1 / 3)
            return math.ceil(ideal)
        return math.ceil(math.sqrt(n_arms * horizon / variation))

    cases = [(30_000, 2, 0.1, 1.0), (30_000, 2, 0.01, 1.0), (5000, 7, 0.5, 3.0), (900, 3, 0.1, 9.0)]
    for case in cases:
        assert length(*case) == both_cases(*case)
    assert length(30_000, 2, 0.1, None) == length(30_000, 2, 0.1, 1.0) == 331
    assert length(30_000, 2, 0.1, 0.0) == length(30_000, 2, 0.1, 1e-300) == 30_000
    assert length(30_000, 2, 0.1, 1e60) == length(1, 2, 0.1, 1.0) == 1
    assert RerunUCBV.tuned(horizon=100, n_arms=2) == RerunUCBV.tuned(
        horizon=100, n_arms=2, noise=0.5, variation=1.0
    )
