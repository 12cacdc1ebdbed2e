"""What AdaptiveUCB on arms, told nothing, tells of itself: in units of reward, and what it then does."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import driftwise as dw
from tests.making import BEYOND_SETTINGS
from tests.policies.wavy_arms import amounts, clicks, means_of

pytestmark = BEYOND_SETTINGS


def test_what_it_tells_is_what_it_does(arrivals: Callable[[int], list[list[int]]]) -> None:
    """The winner that is told is played, late rewards or not; every reason comes up."""
    rewards, decisions, reasons = amounts(means_of(3, 400)), [], set()
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=3, is_interpreted=True)
    for come in arrivals(400):
        agent._expect_open(None)  # what the next choice tells first
        told = agent.explain()
        decisions.append(agent.choose())
        winner = told["winner"]
        reasons.add(winner["reason"])
        if winner["reason"] not in ("nothing known", "one of several equals"):
            assert winner["arm"] == decisions[-1].arm
            bound = told["actions"][winner["arm"]]["upper_bound"]
            assert bound == pytest.approx(decisions[-1].value)
        for s in come:
            agent.learn(decisions[s], float(rewards[s, decisions[s].arm]))
    assert reasons >= {
        "nothing known", "largest mean", "still uncertain", "probe: not seen for long",
    }  # fmt: skip


@pytest.mark.parametrize("unit", [1.0, -2.5, 1e6])
def test_what_it_tells_is_in_units_of_reward(unit: float) -> None:
    rewards = clicks(np.tile([0.2, 0.5, 0.7], (400, 1)))
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=3, is_interpreted=True)
    for t in range(400):
        decision = agent.choose()
        agent.learn(decision, 3.0 + unit * float(rewards[t, decision.arm]))
    told = agent.explain()
    np.testing.assert_allclose(agent.estimate, told["estimate"])
    played = 2 if unit > 0 else 0
    rate = [0.2, 0.5, 0.7][played]
    assert told["estimate"][played] == pytest.approx(3.0 + unit * rate, abs=0.15 * abs(unit))
    assert told["noise"] == pytest.approx(abs(unit) * math.sqrt(rate * (1 - rate)), rel=0.2)
    decision = agent.choose()
    winner = told["actions"][decision.arm]
    assert told["winner"]["arm"] == decision.arm
    assert winner["upper_bound"] == pytest.approx(decision.value)
