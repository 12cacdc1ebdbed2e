"""SW-UCB against Algorithm 1 of the paper, written for reading and recomputed in every round."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise import Agent, SlidingWindowUCB
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork
from driftwise.core.randomness.seeds import luck_of
from driftwise.worlds import Sinusoid, World
from tests.making import BEYOND_SETTINGS
from tests.policies.near_ties import is_near_tie
from tests.policies.offers import offer
from tests.policies.winding import general, winding

pytestmark = BEYOND_SETTINGS

PlayOn = Callable[..., Iterator[Any]]


class AlgorithmOne:
    """Algorithm 1: all sums are recomputed, from the observations, in every round."""

    def __init__(self, policy: SlidingWindowUCB, horizon: int, dimension: int) -> None:
        self.w, self.R, self.L, self.S, self.lam, self.delta = policy
        self.d = dimension
        self.X = np.zeros((horizon, dimension))
        self.Y = np.zeros(horizon)
        self.n = 0  # observations so far

    def estimate(self) -> Vector:
        return self.solved(self.recent(self.X).T @ self.recent(self.Y))

    def upper_bounds(self, decision_set: Matrix) -> Vector:
        ratio = (1 + self.w * self.L**2 / self.lam) / self.delta
        beta = self.R * math.sqrt(self.d * math.log(ratio)) + math.sqrt(self.lam) * self.S
        norms = np.sqrt(np.sum(decision_set * self.solved(decision_set.T).T, axis=1))
        return np.asarray(decision_set @ self.estimate() + norms * beta)

    def observe(self, x: Vector, y: float) -> None:
        self.X[self.n], self.Y[self.n] = x, y
        self.n += 1

    def solved(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return V^-1 b."""
        X = self.recent(self.X)
        V = self.lam * np.eye(self.d) + X.T @ X
        return np.asarray(np.linalg.solve(V, b), dtype=np.float64)

    def recent(self, observations: NDArray[np.float64]) -> NDArray[np.float64]:
        return observations[max(0, self.n - self.w) : self.n]


def on_axes(horizon: int) -> World:
    """Actions of many lengths along three axes, some of them along the same one."""
    lengths, axes = np.array([0.9, -1.2, 0.4, 0.0, 1.7, -0.3]), [0, 1, 1, 2, 2, 0]
    sets = lengths[:, None] * np.eye(3)[axes]
    return World(parameters=winding(horizon), decision_sets=sets, noise=0.3)


WORLDS = {
    "the paper's": Sinusoid(horizon=2000, variation=2.0, noise=0.1),
    "on axes": on_axes(1000),
    "fixed": general(1500, seed=11, is_fixed=True),
    "changing": general(1500, seed=11, is_fixed=False),
}


@pytest.mark.parametrize("window", [1, 2, 7, 100, 5000])
@pytest.mark.parametrize("name", WORLDS)
def test_plays_algorithm_1(name: str, window: int, play_on: PlayOn) -> None:
    world = WORLDS[name]
    rounds = next(world.rounds(3, world.horizon))
    # Nothing is 1, so that each setting counts.
    policy = SlidingWindowUCB(window, 0.2, 1.7, 0.6, 0.5, 0.03)
    twin = AlgorithmOne(policy, world.horizon, world.dimension)
    near_ties, t = 0, 0
    for stretch in play_on(policy, rounds, seed=3, size=50):
        for arm in stretch.arms:
            near_ties += is_near_tie(twin.upper_bounds(offer(rounds, t)), arm)
            twin.observe(offer(rounds, t)[arm], rounds.rewards[t, arm])
            t += 1
        wanted = twin.estimate()
        error = np.linalg.norm(policy.estimate_in(stretch.memory) - wanted)
        assert error <= 1e-8 * np.linalg.norm(wanted)
        choice = policy.choose(stretch.memory, offer(rounds, t - 1), 0)
        assert choice.value == pytest.approx(
            twin.upper_bounds(offer(rounds, t - 1)).max(), rel=1e-8
        )
    assert t == world.horizon
    # All arms of the paper's world are alike in the first round, and hardly ever again.
    assert near_ties <= 2
    assert (near_ties >= 1) == (name == "the paper's")


def test_a_late_reward_enters_the_window_when_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    world = general(1200, seed=11, is_fixed=False)
    rounds = next(world.rounds(4, world.horizon))
    policy = SlidingWindowUCB(20, 0.2, 1.7, 0.6, 0.5, 0.03)
    agent = Agent(policy, dimension=3, seed=4)
    twin = AlgorithmOne(policy, world.horizon, world.dimension)
    decisions, near_ties, n_late = [], 0, 0
    for t, come in enumerate(arrivals(world.horizon)):
        decision = agent.choose(offer(rounds, t))
        agent.give_up(decision)  # nothing is in flight: see test_flight.py for that
        decisions.append(decision)
        near_ties += is_near_tie(twin.upper_bounds(offer(rounds, t)), decision.arm)
        for s in come:
            reward = rounds.rewards[s, decisions[s].arm]
            agent.learn(decisions[s], reward)
            twin.observe(decisions[s].action, reward)
            n_late += s < t
        np.testing.assert_allclose(agent.estimate, twin.estimate(), rtol=1e-8, atol=1e-8)
    assert near_ties == 0
    assert n_late > 500


# Which arms share the largest bound before anything is known, and so with what probability.
TIES = {
    "two basis vectors": (np.eye(2), [0, 1]),
    "five basis vectors": (np.eye(5), [0, 1, 2, 3, 4]),
    "the same action six times": (np.tile([0.3, -0.4], (6, 1)), [0, 1, 2, 3, 4, 5]),
    "opposite actions": (np.array([[0.6, 0.8], [0.1, 0.2], [-0.6, -0.8]]), [0, 2]),
    "the longest are equal": (
        np.array([[1, 1], [2, 2], [0, 1], [2, 2], [2, -2], [0, 0]]),
        [1, 3, 4],
    ),
    "a single longest": (np.array([[1.0, 1.0], [2.0, 2.0]]), [1]),
}


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("name", TIES)
def test_ties_are_broken_fairly(name: str, is_fixed: bool) -> None:
    decision_set, best = TIES[name][0].astype(np.float64), TIES[name][1]
    policy = SlidingWindowUCB(window=10, noise=0.1)
    n_arms, dimension = decision_set.shape
    memory = policy.start(n_arms, dimension, decision_set if is_fixed else None)
    policy.restart(memory, 0)
    n, counts = 1500, np.zeros(len(decision_set))
    for seed in range(n):
        choice = policy.choose(memory, decision_set, fork(luck_of(seed), 0))
        assert choice.propensity == 1 / len(best)
        counts[choice.arm] += 1
    assert counts[best].sum() == n
    p = 1 / len(best)
    assert np.abs(counts[best] - n * p).max() <= 4 * math.sqrt(n * p * (1 - p))


@pytest.mark.parametrize("is_fixed", [True, False])
def test_actions_that_stay_alike_are_played_equally_often(is_fixed: bool, play_on: PlayOn) -> None:
    n, k = 4000, 5
    actions = np.tile([0.3, -0.4, 0.5], (1 if is_fixed else n, k, 1))
    rewards = np.tile(np.random.default_rng(1).normal(size=(n, 1)), k)
    rounds = Rounds(actions, np.full(len(actions), k), rewards, rewards)
    (stretch,) = play_on(SlidingWindowUCB(window=30, noise=0.1), rounds, seed=2)
    counts = np.bincount(stretch.arms, minlength=k)
    assert np.abs(counts - n / k).max() <= 4 * math.sqrt(n / k * (1 - 1 / k))
    # Nor does an arm depend on the one before it.
    pairs = np.bincount(stretch.arms[1:] * k + stretch.arms[:-1], minlength=k * k)
    assert np.abs(pairs - n / k**2).max() <= 4.5 * math.sqrt(n / k**2)
