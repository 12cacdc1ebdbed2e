"""Rexp3 against the algorithm as Besbes, Gur and Zeevi (2014) print it, with plain weights."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise import Agent, Exp3
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork
from driftwise.core.randomness.seeds import luck_of
from driftwise.policies.rexp3 import Rexp3
from tests.policies.printed_weights import chances, draw
from tests.policies.wavy_arms import waves

PlayOn = Callable[..., Iterator[Any]]


def rexp3(rewards: Matrix, gamma: float, delta: int, seed: int) -> NDArray[np.int64]:
    T, K = rewards.shape
    arms, luck = np.zeros(T, np.int64), luck_of(seed)
    for first in range(0, T, delta):  # a batch
        w = np.ones(K)
        for t in range(first, min(first + delta, T)):
            p = chances(w, gamma)
            arms[t] = k = draw(p, fork(luck, t))
            w[k] *= math.exp(gamma * (rewards[t, k] / p[k]) / K)
    return arms


@pytest.mark.parametrize("restart_every", [1, 2, 90, 10_000])
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_plays_rexp3(n_arms: int, restart_every: int, play_on: PlayOn) -> None:
    rounds = next(waves(3000, n_arms).rounds(3, 3000))
    policy = Rexp3(0.2, restart_every)
    (stretch,) = play_on(policy, rounds, seed=3)
    np.testing.assert_array_equal(stretch.arms, rexp3(rounds.rewards, 0.2, restart_every, 3))


def test_one_batch_is_exp3(play_on: PlayOn) -> None:
    rounds = next(waves(2000, 4).rounds(5, 2000))
    (batch,) = play_on(Rexp3(0.1, 2001), rounds, seed=5)
    (plain,) = play_on(Exp3(0.1), rounds, seed=5)
    np.testing.assert_array_equal(batch.arms, plain.arms)
    np.testing.assert_array_equal(batch.memory.chances, plain.memory.chances)


def test_a_late_reward_enters_the_batch_in_which_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    horizon, gamma, K, delta = 900, 0.2, 3, 40
    rewards = np.random.default_rng(8).uniform(-0.4, 1.6, (horizon, K))
    agent = Agent(Rexp3(gamma, delta), n_arms=K, seed=8, is_interpreted=True)
    decisions: list[Any] = []
    day: list[Vector] = []
    w, n = np.ones(K), 0
    for t, come in enumerate(arrivals(horizon)):
        p = chances(w, gamma)
        decisions.append(agent.choose())
        day.append(p)
        assert decisions[t].arm == draw(p, fork(luck_of(8), t))
        assert decisions[t].propensity == pytest.approx(p[decisions[t].arm])
        for s in come:
            i = decisions[s].arm
            agent.learn(decisions[s], rewards[s, i])
            w[i] *= math.exp(gamma * (rewards[s, i] / day[s][i]) / K)
            n += 1
            if n % delta == 0:
                w = np.ones(K)
    assert n > 800


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 6),
    mixing=st.floats(0.01, 1.0),
    restart_every=st.integers(1, 50),
    size=st.floats(-1e100, 1e100),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_chances_are_probabilities_and_equal_after_a_batch(
    play_on: PlayOn, seed: int, n_arms: int, mixing: float, restart_every: int, size: float
) -> None:
    rewards = size * np.random.default_rng(seed).uniform(-1, 1, (100, n_arms))
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    policy = Rexp3(mixing, restart_every)
    played = play_on(policy, rounds, seed=seed, size=restart_every, is_compiled=False)
    for stretch in played:
        p = stretch.memory.chances
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        if len(stretch.arms) == restart_every:
            assert (p == p[0]).all()
            assert stretch.memory.rounds[0] == 0


@pytest.mark.parametrize(
    ("horizon", "variation", "restart_every", "mixing"),
    [
        (30_000, 1.0, 1077, 0.02737),
        (30_000, 30_000 ** (1 / 3), 109, 0.08603),
        (120_000, 1.0, 2713, 0.01724),
        (240_000, 1.0, 4307, 0.01369),
        (240_000, 240_000 ** (1 / 3), 275, 0.05416),
    ],
)
def test_tuned(horizon: int, variation: float, restart_every: int, mixing: float) -> None:
    policy = Rexp3.tuned(horizon=horizon, n_arms=2, variation=variation)
    assert policy.restart_every == restart_every
    assert policy.mixing == pytest.approx(mixing, abs=5e-6)


def test_tuned_at_the_edges() -> None:
    known = {"horizon": 500, "n_arms": 3}
    assert Rexp3.tuned(**known) == Rexp3.tuned(**known, variation=1.0)
    assert Rexp3.tuned(**known, variation=0.0) == Rexp3(Exp3.tuned(**known).mixing, 500)
    assert Rexp3.tuned(**known, variation=1e-300).restart_every == 500
    assert Rexp3.tuned(**known, variation=1e50).restart_every == 1
    assert Rexp3.tuned(horizon=500, n_arms=1) == Rexp3(1.0, 500)
    assert Rexp3.tuned(horizon=1, n_arms=2).restart_every == 1
