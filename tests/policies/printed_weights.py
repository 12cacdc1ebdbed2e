"""EXP3 and its kin as their papers print them, with plain weights, and policies against that."""

# The letters of the papers, so that their lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from driftwise import Agent
from driftwise.core.base.arrays import Vector
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of
from driftwise.worlds import Sinusoid, World

# The weights after a round, from those before it, the arm drawn and its estimated reward.
Update = Callable[[Vector, int, float], Vector]


def chances(w: Vector, gamma: float) -> Vector:
    return np.asarray((1 - gamma) * w / w.sum() + gamma / len(w))


def draw(p: Vector, luck: int) -> int:
    """The first arm at which the probabilities so far exceed a uniform number."""
    return int(np.argmax(np.cumsum(p) > uniform(luck, 0)))


def _worlds() -> dict[str, Any]:
    random, t = np.random.default_rng(2), np.linspace(0, 12, 3000)
    waves = 0.5 + 0.4 * np.sin(t[:, None] + np.arange(5))
    return {
        "the paper's": Sinusoid(horizon=4000, variation=1.0, noise=0.1),
        "coins": Sinusoid(horizon=3000, variation=3.0, rewards="bernoulli"),
        "five arms": World(parameters=waves, decision_sets=np.eye(5), noise=0.5),
        "three actions in the plane": World(
            parameters=waves[:, :2], decision_sets=random.uniform(0, 1, (3, 2)), noise=0.2
        ),
    }


WORLDS = _worlds()


def assert_plays_as_printed(policy: Any, updated: Update, name: str, play_on: Any) -> None:
    """Check all arms of a run, and all probabilities every hundred rounds."""
    world, gamma = WORLDS[name], policy.mixing
    rounds = next(world.rounds(6, world.horizon))
    T, K = rounds.rewards.shape
    w, luck = np.ones(K), luck_of(6)
    arms, p = np.zeros(T, np.int64), np.zeros((T + 1, K))
    for t in range(T):
        p[t] = chances(w, gamma)
        arms[t] = i = draw(p[t], fork(luck, t))
        w = updated(w, i, rounds.rewards[t, i] / p[t, i])
    p[T] = chances(w, gamma)
    t = 0
    for stretch in play_on(policy, rounds, seed=6, size=100):
        np.testing.assert_array_equal(stretch.arms, arms[t : t + 100])
        t += len(stretch.arms)
        np.testing.assert_allclose(stretch.memory.chances, p[t], rtol=1e-9)
    assert t == world.horizon


def assert_weighs_by_the_propensity_of_its_day(
    policy: Any, updated: Update, schedule: list[list[int]]
) -> None:
    """Check all arms and propensities of 1500 rounds whose rewards come late, and out of order."""
    K, gamma = 3, policy.mixing
    rewards = np.random.default_rng(8).uniform([-0.4, -1.0, -0.7], 1.6, (len(schedule), K))
    agent, w, luck = Agent(policy, n_arms=K, seed=8), np.ones(K), luck_of(8)
    decisions, day, n_late = [], [], 0
    for t, come in enumerate(schedule):
        p = chances(w, gamma)
        decision = agent.choose()
        decisions.append(decision)
        day.append(p)
        assert decision.arm == draw(p, fork(luck, t))
        assert decision.propensity == pytest.approx(p[decision.arm], rel=1e-9)
        for s in come:
            i = decisions[s].arm
            agent.learn(decisions[s], rewards[s, i])
            w = updated(w, i, rewards[s, i] / day[s][i])
            n_late += s < t
    assert n_late > 700
    np.testing.assert_allclose(agent.memory.chances, chances(w, gamma), rtol=1e-9)
