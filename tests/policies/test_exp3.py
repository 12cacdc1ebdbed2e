"""EXP3 against the algorithm as Auer et al. (2002) print it, with plain weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from driftwise import Exp3
from driftwise.core.base.arrays import Vector
from driftwise.core.randomness.draws import fork
from driftwise.core.randomness.seeds import luck_of
from tests.policies.printed_weights import (
    WORLDS,
    Update,
    assert_plays_as_printed,
    assert_weighs_by_the_propensity_of_its_day,
    chances,
)


def exp3(gamma: float) -> Update:
    def updated(w: Vector, i: int, xhat: float) -> Vector:
        w[i] *= math.exp(gamma * xhat / len(w))
        return np.asarray(w / w.sum())  # only their ratios count, and long runs would overflow

    return updated


@pytest.mark.parametrize("mixing", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("name", WORLDS)
def test_plays_exp3(name: str, mixing: float, play_on: Callable[..., Iterator[Any]]) -> None:
    assert_plays_as_printed(Exp3(mixing), exp3(mixing), name, play_on)


def test_a_late_reward_is_weighed_by_the_propensity_of_its_day(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    assert_weighs_by_the_propensity_of_its_day(Exp3(0.2), exp3(0.2), arrivals(1500))


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
