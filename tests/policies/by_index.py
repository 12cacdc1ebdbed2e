"""A policy that plays arms against its index, recomputed from all plays so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftwise import Agent, Decision
from driftwise.core.base.arrays import Vector
from tests.policies.near_ties import NEAR, is_near_tie
from tests.policies.wavy_arms import waves

# The indices of all arms, from the arms played so far and their rewards, in the order of arrival.
Index = Callable[[NDArray[np.int64], Vector], Vector]


def always_near(bounds: Vector) -> float:
    return NEAR


def assert_plays_by_index(
    policy: Any,
    index: Index,
    n_arms: int,
    play_on: Any,
    near: Callable[[Vector], float] = always_near,
) -> None:
    """Check 1500 rounds, arm by arm."""
    rounds = next(waves(1500, n_arms).rounds(3, 1500))
    arms, rewards, n_close = np.zeros(1500, np.int64), np.zeros(1500), 0
    (stretch,) = play_on(policy, rounds, seed=3, is_compiled=False)
    for t in range(1500):
        arms[t] = stretch.arms[t]
        bounds = index(arms[:t], rewards[:t])
        n_close += is_near_tie(bounds, arms[t], near(bounds)) and not math.isinf(bounds.max())
        rewards[t] = rounds.rewards[t, arms[t]]
    assert n_close == 0


def assert_plays_late_rewards_by_index(
    policy: Any,
    index: Index,
    schedule: list[list[int]],
    near: Callable[[Vector], float] = always_near,
) -> None:
    """Check that a reward counts when it comes, with three arms."""
    rewards = np.random.default_rng(4).normal([0.2, 0.5, 0.4], 0.5, (len(schedule), 3))
    for decision, arms, came in play_late(policy, schedule, rewards):
        bounds = index(np.array(arms, np.int64), np.array(came))
        is_near_tie(bounds, decision.arm, near(bounds))


def play_late(
    policy: Any, schedule: list[list[int]], rewards: NDArray[np.float64]
) -> Iterator[tuple[Decision, list[int], list[float]]]:
    """Yield every decision, with the arms and rewards that were learnt before it."""
    agent = Agent(policy, n_arms=rewards.shape[1], seed=4, is_interpreted=True)
    decisions, arms, came = list[Decision](), list[int](), list[float]()
    for due in schedule:
        decision = agent.choose()
        agent.give_up(decision)  # nothing is in flight: see test_flight_of_arms.py for that
        yield decision, arms, came
        decisions.append(decision)
        for s in due:
            agent.learn(decisions[s], rewards[s, decisions[s].arm])
            arms.append(decisions[s].arm)
            came.append(rewards[s, decisions[s].arm])
    assert len(arms) > 500
