"""EXP3 against the algorithm as Auer et al. (2002) print it, with plain weights."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise import Agent, Exp3
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of
from driftwise.worlds import Sinusoid, World

PlayOn = Callable[..., Iterator[Any]]


def chances(w: Vector, gamma: float) -> Vector:
    return np.asarray((1 - gamma) * w / w.sum() + gamma / len(w))


def draw(p: Vector, luck: int) -> int:
    """The first arm at which the probabilities so far exceed a uniform number."""
    return int(np.argmax(np.cumsum(p) > uniform(luck, 0)))


def exp3(rewards: Matrix, gamma: float, seed: int) -> tuple[NDArray[np.int64], Matrix]:
    """Return the arms, and the probabilities p(t) of all rounds and of the one after them."""
    T, K = rewards.shape
    w, luck = np.ones(K), luck_of(seed)
    arms, p = np.zeros(T, np.int64), np.zeros((T + 1, K))
    for t in range(T):
        p[t] = chances(w, gamma)
        i = draw(p[t], fork(luck, t))
        x = rewards[t, i]
        w[i] *= math.exp(gamma * (x / p[t, i]) / K)
        w /= w.sum()  # only their ratios count, and long runs would overflow
        arms[t] = i
    p[T] = chances(w, gamma)
    return arms, p


def worlds() -> dict[str, Any]:
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


WORLDS = worlds()


@pytest.mark.parametrize("mixing", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("name", WORLDS)
def test_plays_exp3(name: str, mixing: float, play_on: PlayOn) -> None:
    world = WORLDS[name]
    rounds = next(world.rounds(6, world.horizon))
    wanted, p = exp3(rounds.rewards, mixing, seed=6)
    t = 0
    for stretch in play_on(Exp3(mixing), rounds, seed=6, size=100):
        np.testing.assert_array_equal(stretch.arms, wanted[t : t + 100])
        t += len(stretch.arms)
        np.testing.assert_allclose(stretch.memory.chances, p[t], rtol=1e-9)
    assert t == world.horizon


def test_a_late_reward_is_weighed_by_the_propensity_of_its_day(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    horizon, gamma, K = 1500, 0.2, 3
    rewards = np.random.default_rng(8).uniform([-0.4, -1.0, -0.7], 1.6, (horizon, K))
    agent, w, luck = Agent(Exp3(gamma), n_arms=K, seed=8), np.ones(K), luck_of(8)
    decisions, day, n_late = [], [], 0
    for t, come in enumerate(arrivals(horizon)):
        p = chances(w, gamma)
        decision = agent.choose()
        decisions.append(decision)
        day.append(p)
        assert decision.arm == draw(p, fork(luck, t))
        assert decision.propensity == pytest.approx(p[decision.arm], rel=1e-9)
        for s in come:
            i = decisions[s].arm
            agent.learn(decisions[s], rewards[s, i])
            w[i] *= math.exp(gamma * (rewards[s, i] / day[s][i]) / K)
            w /= w.sum()
            n_late += s < t
    assert n_late > 700
    np.testing.assert_allclose(agent.memory.chances, chances(w, gamma), rtol=1e-9)


def test_arms_come_as_often_as_their_chances_say() -> None:
    policy, n = Exp3(0.3), 6000
    memory = policy.start(4, 4, np.eye(4))
    policy.restart(memory, 0)
    for arm, reward in enumerate([0.5, 4.0, -2.0, 1.0]):
        choice = policy.choose(memory, np.eye(4), 0)._replace(arm=arm, propensity=0.25)
        policy.learn(memory, np.eye(4)[arm], choice, reward, 0)
    p = chances(np.exp(0.3 * np.array([0.5, 4.0, -2.0, 1.0]) / 0.25 / 4), 0.3)
    counts, luck = np.zeros(4), luck_of(1)
    for t in range(n):
        choice = policy.choose(memory, np.eye(4), fork(luck, t))
        counts[choice.arm] += 1
        assert choice.propensity == pytest.approx(p[choice.arm], rel=1e-12)
    assert (np.abs(counts - n * p) <= 4 * np.sqrt(n * p * (1 - p))).all()
