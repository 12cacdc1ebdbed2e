"""Epsilon-greedy against its description, with all averages recomputed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise import Agent
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of
from driftwise.policies.epsilon_greedy import EpsilonGreedy
from tests.policies.wavy_arms import waves

PlayOn = Callable[..., Iterator[Any]]


def estimate(rewards: list[float], step: float) -> float:
    """The mean, or with a step s the sum of s (1-s)^i y over the last i, the first one the rest."""
    if not rewards:
        return math.inf
    if step == 0:
        return float(np.mean(rewards))
    weights = step * (1 - step) ** np.arange(len(rewards))[::-1]
    weights[0] = (1 - step) ** (len(rewards) - 1)
    return float(weights @ rewards)


@pytest.mark.parametrize(("mixing", "step"), [(0.1, 0.0), (0.3, 0.05), (1.0, 0.0), (0.02, 1.0)])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_plays_as_described(n_arms: int, mixing: float, step: float) -> None:
    rounds = next(waves(1500, n_arms).rounds(3, 1500))
    policy = EpsilonGreedy(mixing, step)
    agent = Agent(policy, n_arms=n_arms, seed=3, is_interpreted=True)
    seen: list[list[float]] = [[] for _ in range(n_arms)]
    for t in range(1500):
        decision = agent.choose()
        found = np.array([estimate(each, step) for each in seen])
        best = np.flatnonzero(found == found.max())
        luck = fork(luck_of(3), t)
        if uniform(luck, 0) < mixing:
            assert decision.arm == math.floor(uniform(luck, 1) * n_arms)
        else:
            assert decision.arm in best
        wanted = mixing / n_arms + (1 - mixing) / len(best) * (decision.arm in best)
        assert decision.propensity == pytest.approx(wanted)
        if seen[decision.arm]:
            assert decision.value == pytest.approx(found[decision.arm])
        else:
            assert math.isnan(decision.value)
        reward = rounds.rewards[t, decision.arm]
        agent.learn(decision, reward)
        seen[decision.arm].append(reward)


def test_a_late_reward_counts_when_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    rewards = np.random.default_rng(4).normal([0.2, 0.5, 0.4], 0.5, (600, 3))
    agent = Agent(EpsilonGreedy(0.3, 0.1), n_arms=3, seed=4, is_interpreted=True)
    decisions: list[Any] = []
    seen: list[list[float]] = [[], [], []]
    for come in arrivals(600):
        decisions.append(agent.choose())
        for s in come:
            arm = decisions[s].arm
            agent.learn(decisions[s], rewards[s, arm])
            seen[arm].append(rewards[s, arm])
        counted = [estimate(each, 0.1) if each else 0.0 for each in seen]
        np.testing.assert_allclose(agent.memory.averages, counted, atol=1e-12)
    assert sum(map(len, seen)) > 500


def test_arms_come_as_often_as_their_propensity_says() -> None:
    policy, n = EpsilonGreedy(0.4), 5000
    memory = policy.start(4, 4, np.eye(4))
    policy.restart(memory, 0)
    memory.counts[:] = 1.0
    memory.averages[:] = [0.5, 0.7, 0.7, 0.1]
    counts, chance = np.zeros(4), np.array([0.1, 0.4, 0.4, 0.1])
    for t in range(n):
        choice = policy.choose(memory, np.eye(4), fork(luck_of(1), t))
        assert choice.propensity == pytest.approx(chance[choice.arm])
        counts[choice.arm] += 1
    assert (np.abs(counts - n * chance) <= 4 * np.sqrt(n * chance * (1 - chance))).all()


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 6),
    mixing=st.floats(0.01, 1.0),
    step=st.floats(0.0, 1.0),
    size=st.sampled_from([1e-100, 1.0, 1e100]),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_estimates_stay_within_the_rewards(
    play_on: PlayOn, seed: int, n_arms: int, mixing: float, step: float, size: float
) -> None:
    rewards = size * np.random.default_rng(seed).uniform(-1, 1, (120, n_arms))
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    policy = EpsilonGreedy(mixing, step)
    (stretch,) = play_on(policy, rounds, seed=seed, is_compiled=False)
    for k in range(n_arms):
        mine = rewards[np.arange(120), stretch.arms][stretch.arms == k]
        assert stretch.memory.counts[k] == len(mine)
        if len(mine):
            slack = 1e-12 * size
            assert mine.min() - slack <= stretch.memory.averages[k] <= mine.max() + slack


def test_tuned() -> None:
    policy = EpsilonGreedy.tuned(horizon=10_000, n_arms=3)
    assert policy == EpsilonGreedy((3 * math.log(10_000) / 10_000) ** (1 / 3), 0.0)
    assert EpsilonGreedy.tuned(horizon=10, n_arms=50).mixing == 1.0
    assert EpsilonGreedy.tuned(horizon=1, n_arms=2).mixing == 1.0
