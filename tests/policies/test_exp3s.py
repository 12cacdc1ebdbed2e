"""EXP3.S against the algorithm as Auer et al. (2002) print it, with plain weights."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from driftwise import Exp3, Exp3S
from driftwise.core.base.arrays import Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork
from driftwise.core.randomness.seeds import luck_of
from tests.policies.printed_weights import (
    WORLDS,
    Update,
    assert_plays_as_printed,
    assert_weighs_by_the_propensity_of_its_day,
    chances,
    draw,
)

PlayOn = Callable[..., Iterator[Any]]


def exp3s(gamma: float, alpha: float) -> Update:
    def updated(w: Vector, i: int, estimated_reward: float) -> Vector:
        K, xhat = len(w), np.zeros(len(w))
        xhat[i] = estimated_reward
        w = w * np.exp(gamma * xhat / K) + math.e * alpha / K * w.sum()
        return np.asarray(w / w.sum())  # only their ratios count, and long runs would overflow

    return updated


@pytest.mark.parametrize(("mixing", "sharing"), [(0.05, 1 / 3000), (0.3, 0.05)])
@pytest.mark.parametrize("name", WORLDS)
def test_plays_exp3s(name: str, mixing: float, sharing: float, play_on: PlayOn) -> None:
    assert_plays_as_printed(Exp3S(mixing, sharing), exp3s(mixing, sharing), name, play_on)


def test_a_late_reward_is_weighed_by_the_propensity_of_its_day(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    assert_weighs_by_the_propensity_of_its_day(Exp3S(0.2, 0.01), exp3s(0.2, 0.01), arrivals(1500))


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
