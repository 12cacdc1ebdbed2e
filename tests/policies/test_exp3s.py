"""EXP3.S against the algorithm as Auer et al. (2002) print it, with plain weights."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise import Agent, Exp3, Exp3S
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of
from driftwise.worlds import Sinusoid, World

PlayOn = Callable[..., Iterator[Any]]


def chances(w: Vector, gamma: float) -> Vector:
    return np.asarray((1 - gamma) * w / w.sum() + gamma / len(w))


def draw(p: Vector, luck: int) -> int:
    """The first arm at which the probabilities so far exceed a uniform number."""
    return int(np.argmax(np.cumsum(p) > uniform(luck, 0)))


def updated(w: Vector, i: int, estimated_reward: float, gamma: float, alpha: float) -> Vector:
    K, xhat = len(w), np.zeros(len(w))
    xhat[i] = estimated_reward
    w = w * np.exp(gamma * xhat / K) + math.e * alpha / K * w.sum()
    return np.asarray(w / w.sum())  # only their ratios count, and long runs would overflow


def exp3s(
    rewards: Matrix, gamma: float, alpha: float, seed: int
) -> tuple[NDArray[np.int64], Matrix]:
    """Return the arms, and the probabilities p(t) of all rounds and of the one after them."""
    T, K = rewards.shape
    w, luck = np.ones(K), luck_of(seed)
    arms, p = np.zeros(T, np.int64), np.zeros((T + 1, K))
    for t in range(T):
        p[t] = chances(w, gamma)
        i = draw(p[t], fork(luck, t))
        w = updated(w, i, rewards[t, i] / p[t, i], gamma, alpha)
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


@pytest.mark.parametrize(("mixing", "sharing"), [(0.05, 1 / 3000), (0.3, 0.05)])
@pytest.mark.parametrize("name", WORLDS)
def test_plays_exp3s(name: str, mixing: float, sharing: float, play_on: PlayOn) -> None:
    world = WORLDS[name]
    rounds = next(world.rounds(6, world.horizon))
    wanted, p = exp3s(rounds.rewards, mixing, sharing, seed=6)
    t = 0
    for stretch in play_on(Exp3S(mixing, sharing), rounds, seed=6, size=100):
        np.testing.assert_array_equal(stretch.arms, wanted[t : t + 100])
        t += len(stretch.arms)
        np.testing.assert_allclose(stretch.memory.chances, p[t], rtol=1e-9)
    assert t == world.horizon


def test_a_late_reward_is_weighed_by_the_propensity_of_its_day(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    horizon, gamma, alpha, K = 1500, 0.2, 0.01, 3
    rewards = np.random.default_rng(8).uniform([-0.4, -1.0, -0.7], 1.6, (horizon, K))
    agent, w, luck = Agent(Exp3S(gamma, alpha), n_arms=K, seed=8), np.ones(K), luck_of(8)
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
            w = updated(w, i, rewards[s, i] / day[s][i], gamma, alpha)
            n_late += s < t
    assert n_late > 700
    np.testing.assert_allclose(agent.memory.chances, chances(w, gamma), rtol=1e-9)


@pytest.mark.parametrize(
    ("size", "alpha"), [(50.0, 0.01), (250.0, 0.01), (250.0, 1e-60), (5000.0, 0.01)]
)
def test_rewards_far_outside_the_unit_interval(size: float, alpha: float, play_on: PlayOn) -> None:
    """The same algorithm, on logarithms of weights: they differ by more than a float can hold."""
    T, K, gamma, luck = 2000, 3, 0.2, luck_of(2)
    rewards = np.random.default_rng(2).uniform(-size, 1.2 * size, (T, K))
    log_w, p = np.zeros(K), np.zeros((T, K))
    for t in range(T):
        p[t] = chances(np.exp(log_w - log_w.max()), gamma)
        i = draw(p[t], fork(luck, t))
        shared = math.log(math.e * alpha / K) + np.logaddexp.reduce(log_w)
        log_w[i] += gamma * (rewards[t, i] / p[t, i]) / K
        log_w = np.logaddexp(log_w, shared)
        log_w -= log_w.max()
    rounds = Rounds(np.eye(K)[None], np.full(1, K), rewards, rewards)
    stretches = play_on(Exp3S(gamma, alpha), rounds, seed=2, size=1)
    for t, stretch in zip(range(1, T), stretches, strict=False):
        np.testing.assert_allclose(stretch.memory.chances, p[t], rtol=1e-6, err_msg=f"round {t}")


@pytest.mark.parametrize("is_compiled", [True, False])
def test_the_smallest_share_is_still_a_share(is_compiled: bool, play_on: PlayOn) -> None:
    """Divided by the number of arms it is 0, whose logarithm Python refuses."""
    rewards = np.full((20, 3), 1e6)
    rounds = Rounds(np.eye(3)[None], np.full(1, 3), rewards, rewards)
    (stretch,) = play_on(Exp3S(0.1, 5e-324), rounds, seed=2, is_compiled=is_compiled)
    assert np.isfinite(stretch.memory.log_weights).all()


def test_without_sharing_it_is_exp3(play_on: PlayOn) -> None:
    rounds = next(WORLDS["five arms"].rounds(1, 3000))
    (plain,) = play_on(Exp3(0.1), rounds, seed=1)
    (sharing,) = play_on(Exp3S(0.1, 1e-300), rounds, seed=1)
    np.testing.assert_array_equal(plain.arms, sharing.arms)
    np.testing.assert_allclose(plain.memory.chances, sharing.memory.chances, rtol=1e-9)


def test_sharing_lets_an_arm_catch_up(play_on: PlayOn) -> None:
    """After a long time of one best arm, another takes over: EXP3 stays, EXP3.S moves."""
    means = np.repeat([[0.9, 0.1], [0.1, 0.9]], [6000, 1500], axis=0)
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), means, means)
    (plain,) = play_on(Exp3(0.1), rounds, seed=3)
    (sharing,) = play_on(Exp3S(0.1, 1e-3), rounds, seed=3)
    assert plain.memory.chances[1] < 0.1
    assert sharing.memory.chances[1] > 0.9
