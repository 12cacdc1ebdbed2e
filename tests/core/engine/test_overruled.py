"""An agent whose choice was overruled learns, and counts as in flight, what was played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.randomness import draws
from tests.core.encoded import SHOP, offers
from tests.core.in_flight import Fewest

ROWS = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])


def agents(policy: Any, count: int) -> list[dw.Agent]:
    return [dw.Agent(policy, dimension=2, seed=4, is_interpreted=True) for _ in range(count)]


@pytest.mark.parametrize(
    "policy",
    [
        dw.AdaptiveUCB(),
        dw.LinUCB(noise=0.1),
        dw.DiscountedLinTS(discount=0.9, noise=0.1),
        dw.Exploring(dw.AdaptiveUCB()),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_a_twin_that_notes_what_was_played_is_the_same_to_the_bit(policy: Any) -> None:
    agent, twin = agents(policy, 2)
    waiting = []
    for round_ in range(60):
        made = agent.choose(ROWS)
        if round_ % 3 == 0:
            arm = int(draws.uniform(round_, 0) * 3)
            made = agent.played(made, arm, ROWS[arm], 0.1)
        twin.note(made)
        waiting.append(made)
        if round_ % 4 == 3:
            for one in (waiting.pop(0), waiting.pop()):
                agent.learn(one, one.action[0])
                twin.learn(one, one.action[0])
        if round_ % 7 == 6:
            given_up = waiting.pop(0)
            agent.give_up(given_up)
            twin.give_up(given_up)
    assert twin.digest == agent.digest
    assert twin.choose(ROWS).luck == agent.choose(ROWS).luck


def test_what_was_played_is_in_flight_and_not_what_was_chosen() -> None:
    chosen, overruled = (dw.Agent(Fewest(), n_arms=3, is_interpreted=True) for _ in "ab")
    for agent in (chosen, overruled):
        made = agent.choose()
        if agent is overruled:
            other = (made.arm + 1) % 3
            agent.played(made, other, np.eye(3)[other], 1.0)
        agent.choose()
    assert chosen.digest != overruled.digest


def test_what_was_played_must_be_an_action_of_the_agent() -> None:
    (agent,) = agents(dw.AdaptiveUCB(), 1)
    with pytest.raises(ValueError, match="dimensions"):
        agent.played(agent.choose(ROWS), 1, [1.0], 1.0)


def test_an_action_with_a_name_keeps_it() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1), encoder=SHOP, is_interpreted=True)
    context, actions = offers(np.random.default_rng(1), ("blue", "red"))
    made = agent.choose(context=context, actions=actions)
    name = next(name for name in actions if name != made.name)
    arm = list(actions).index(name)
    other = agent.played(made, arm, actions[name], 0.1, context=context, name=name)
    assert (other.name, other.propensity) == (name, 0.1)
    assert other.action.tolist() == SHOP.rows(context, actions)[arm].tolist()
    agent.forget(name)
    before = agent.digest
    agent.learn(other, 1.0)  # too late: its place is free
    assert agent.digest == before
    with pytest.raises(ValueError, match="action must be one of"):
        agent.played(made, arm, actions[name], 0.1, context=context, name=name)
    with pytest.raises(TypeError, match="name must be given"):
        agent.played(made, arm, actions[name], 0.1, context=context)
