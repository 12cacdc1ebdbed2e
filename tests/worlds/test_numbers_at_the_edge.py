"""Worlds hold to the bounds of what agents take: every reward that they can draw is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.base.validation import LARGEST_ACTION, LARGEST_PARAMETER, LARGEST_REWARD
from driftwise.core.contract.rounds import Rounds

LAWS = ["gaussian", "heavy-tailed", "heteroscedastic", "outliers"]


def world(
    *, action: float = 1.0, parameter: float = 1.0, noise: float = 0.1, rewards: Any = "gaussian"
) -> dw.worlds.World:
    return dw.worlds.World(
        parameters=np.full((300, 2), parameter),
        decision_sets=np.array([[action, action], [0.0, -action]]),
        noise=noise,
        rewards=rewards,
    )


@pytest.mark.parametrize("rewards", LAWS)
def test_the_largest_world_draws_rewards_that_an_agent_takes(rewards: str) -> None:
    largest = world(
        action=LARGEST_ACTION, parameter=LARGEST_PARAMETER, noise=LARGEST_PARAMETER, rewards=rewards
    )
    dw.checks.check_world(largest)
    run = dw.simulate(dw.LinUCB(noise=0.1), largest)
    assert np.isfinite([run.total_regret, run.total_reward]).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: world(action=1e31), "decision_sets must not exceed 1e+30 in magnitude, got 1e+31"),
        (lambda: world(parameter=1e61), "parameters must not exceed 1e+60 in magnitude, got 1e+61"),
        (lambda: world(noise=1e61), "noise must not exceed 1e+60 in magnitude, got 1e+61"),
        (
            lambda: dw.worlds.LowerBoundBall(horizon=9, dimension=2, variation=0.0, noise=1e61),
            "noise must not exceed 1e+60 in magnitude, got 1e+61",
        ),
        (
            lambda: dw.worlds.Recorded(decision_sets=[[1e31]], rewards=[[1.0]]),
            "decision_sets must not exceed 1e+30 in magnitude, got 1e+31",
        ),
        (
            lambda: dw.worlds.Recorded(decision_sets=[[1.0]], rewards=[[1e101]]),
            "rewards must not exceed 1e+100 in magnitude, got 1e+101",
        ),
        (
            lambda: dw.worlds.Stationary(horizon=9, parameter=[1.0], decision_set=[[1e31]]),
            "decision_set must not exceed 1e+30 in magnitude, got 1e+31",
        ),
    ],
)
def test_what_is_larger_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # compared in full below
        make()
    assert str(caught.value) == message


class Plain:
    """A world of a person who builds on nothing."""

    horizon, n_arms, dimension, decision_set = 600, 1, 1, None

    def __init__(self, action: float, reward: float) -> None:
        self._action, self._reward = action, reward

    def rounds(self, seed: int, size: int) -> Any:
        for first in range(0, self.horizon, size):
            n = min(size, self.horizon - first)
            rewards = np.full((n, 1), self._reward)
            yield Rounds(np.full((n, 1, 1), self._action), np.ones(n, np.int64), rewards, rewards)


def test_the_checks_know_the_bounds() -> None:
    dw.checks.check_world(Plain(LARGEST_ACTION, LARGEST_REWARD))
    with pytest.raises(
        AssertionError, match=r"actions must not exceed 1e\+30 in magnitude, got 1e\+31"
    ):
        dw.checks.check_world(Plain(1e31, 1.0))
    with pytest.raises(
        AssertionError, match=r"means must not exceed 1e\+100 in magnitude, got 1e\+101"
    ):
        dw.checks.check_world(Plain(1.0, 1e101))
