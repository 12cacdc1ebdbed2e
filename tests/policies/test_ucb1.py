"""UCB1 against its formula, with all means recomputed in every round."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise import Agent, simulate
from driftwise.core.base.arrays import Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.policies.ucb1 import UCB1
from driftwise.worlds import Sinusoid
from tests.policies.near_ties import is_near_tie
from tests.policies.wavy_arms import waves

PlayOn = Callable[..., Iterator[Any]]


def indices(arms: list[int], rewards: list[float], n_arms: int, b: float, alpha: float) -> Vector:
    """mean + b sqrt(alpha ln n / N), infinite for an arm without rewards."""
    found = np.full(n_arms, math.inf)
    for k in set(arms):
        mine = [y for arm, y in zip(arms, rewards, strict=True) if arm == k]
        found[k] = np.mean(mine) + b * math.sqrt(alpha * math.log(len(arms)) / len(mine))
    return found


@pytest.mark.parametrize(("reward_range", "optimism"), [(1.0, 2.0), (0.3, 0.5), (0.0, 1.0)])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_plays_ucb1(n_arms: int, reward_range: float, optimism: float, play_on: PlayOn) -> None:
    rounds = next(waves(800, n_arms).rounds(3, 800))
    policy = UCB1(reward_range, optimism)
    arms: list[int] = []
    rewards: list[float] = []
    n_close = 0
    (stretch,) = play_on(policy, rounds, seed=3, is_compiled=False)
    for arm in stretch.arms.tolist():
        n_close += is_near_tie(indices(arms, rewards, n_arms, reward_range, optimism), arm)
        rewards.append(rounds.rewards[len(arms), arm])
        arms.append(arm)
    assert len(arms) == 800
    assert n_close == n_arms - 1  # arms without rewards, while there are two of them


def test_a_late_reward_counts_when_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    rewards = np.random.default_rng(4).normal([0.2, 0.5, 0.4], 0.5, (600, 3))
    agent = Agent(UCB1(0.7), n_arms=3, seed=4, is_interpreted=True)
    decisions: list[Any] = []
    seen: tuple[list[int], list[float]] = [], []
    for come in arrivals(600):
        decision = agent.choose()
        agent.give_up(decision)  # nothing is in flight: see test_flight_of_arms.py for that
        bounds = indices(*seen, 3, 0.7, 2.0)
        is_near_tie(bounds, decision.arm)
        if math.isinf(bounds.max()):
            assert math.isnan(decision.value)
        else:
            assert decision.value == pytest.approx(bounds.max())
        decisions.append(decision)
        for s in come:
            reward = rewards[s, decisions[s].arm]
            agent.learn(decisions[s], reward)
            seen[0].append(decisions[s].arm)
            seen[1].append(reward)
    assert len(seen[0]) > 500


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 6),
    shift=st.integers(-8, 8),
    unit=st.integers(-12, 12).map(lambda n: 2.0**n),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_neither_unit_nor_origin_of_rewards_matters(
    play_on: PlayOn, seed: int, n_arms: int, shift: int, unit: float
) -> None:
    # Multiples of 1/8 and powers of two, so that not even rounding of sums differs.
    rewards = np.random.default_rng(seed).integers(-16, 16, (120, n_arms)) / 8
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    other = rounds._replace(rewards=unit * (rewards + shift))
    (plain,) = play_on(UCB1(0.5), rounds, seed=seed, is_compiled=False)
    (moved,) = play_on(UCB1(0.5 * unit), other, seed=seed, is_compiled=False)
    wanted = unit * (plain.memory.sums + shift * plain.memory.counts)
    if shift == 0:
        np.testing.assert_array_equal(plain.arms, moved.arms)
        np.testing.assert_array_equal(moved.memory.sums, wanted)
    else:
        # Means may round differently, so near ties may fall otherwise from some round on.
        n = int(np.argmin(np.append(plain.arms == moved.arms, False)))
        history = plain.arms[:n].tolist()
        found = indices(history, rewards[np.arange(n), history].tolist(), n_arms, 0.5, 2.0)
        assert n == 120 or (found >= found.max() - 1e-6).sum() > 1


def test_nothing_changed() -> None:
    world = Sinusoid(horizon=3000, variation=1.0, noise=0.1)
    run = simulate(UCB1(0.2), world, seed=0)
    assert run.total_regret == pytest.approx(145.0303642699802, rel=1e-9), run.total_regret


def test_tuned() -> None:
    assert UCB1.tuned(horizon=100, n_arms=3) == UCB1(1.0, 2.0)
    assert UCB1.tuned(horizon=1, n_arms=1, reward_range=0.2) == UCB1(0.2, 2.0)
