"""An agent whose declaration grows goes on with all that it has learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.contract.records import arrays_in
from driftwise.features import Constant, Encoder, Number, PerAction
from tests.core.agents import bits
from tests.core.encoded import SHOP, moved, offers
from tests.core.hostile import POLICIES
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

CHANGING = [name for name, policy in POLICIES.items() if policy.card.plays == "actions"]
AS_COVARIANCE = ("LinUCB", "LinTS", "AdaptiveUCB")
WIDER = Encoder(
    context={"night": Number(0, 1), "one": Constant(alone=False), "load": Number(0, 1)},
    action={"brand": Number(0, 1), "price": Number(5, 20)},
    per_action=PerAction(["context.one", "context.load"], names=["blue", "red"], places=5),
    blocks=9,
)
SAME = Encoder(
    context={"one": Constant(alone=False), "load": Number(0, 1)},
    action={"price": Number(5, 20)},
    per_action=PerAction(["context.one", "context.load"], names=["blue", "red"], places=3),
    blocks=9,
)


@pytest.mark.parametrize("name", CHANGING)
@pytest.mark.parametrize("encoder", [SHOP, SAME], ids=["longer rows", "rows of the same length"])
def test_a_wider_agent_goes_on_with_all_that_was_learnt(name: str, encoder: Encoder) -> None:
    agent = dw.Agent(POLICIES[name], encoder=encoder, is_interpreted=True)
    rng = np.random.default_rng(2)
    for _ in range(40):
        context, actions = offers(rng)
        agent.learn(agent.choose(context=context, actions=actions), float(rng.random()))
    before = bits(agent)
    wider = agent.extended(WIDER)
    columns, factor = encoder.extension(WIDER)
    assert bits(agent) == before
    assert wider.n_choices == agent.n_choices
    assert wider._dictionaries.roster.as_dict()["names"]["green"] == 2  # type: ignore[union-attr]  # has one
    # Where rows become shorter, a ridge that is added to sums of rows weighs more.
    if hasattr(agent.policy, "estimate_in") and (name in AS_COVARIANCE or factor == 1.0):
        assert wider.estimate[columns] == pytest.approx(factor * agent.estimate, rel=1e-6, abs=1e-9)
        new = np.setdiff1d(np.arange(WIDER.dimension), columns)
        assert not wider.estimate[new].any()
    if factor == 1.0 and hasattr(agent.policy, "belief_in"):
        told = {"night": 0.5, "load": 0.3}  # 0.5 is 0 in a row
        actions = {"red": {"price": 9.0}, "green": {"price": 6.0}}
        means = [[each["mean"] for each in agent.explain(context=told, actions=actions)["actions"]]]
        for each in actions.values():
            each["brand"] = 0.5
        means += [[e["mean"] for e in wider.explain(context=told, actions=actions)["actions"]]]
        assert means[0] == pytest.approx(means[1], rel=1e-6, abs=1e-9)
    context = {"night": 1.0, "load": 0.3}
    decision = wider.choose(context=context, actions={"blue": {"price": 9.0, "brand": 1.0}})
    wider.learn(decision, 0.5)
    assert all(np.isfinite(array).all() for array in arrays_in(wider.memory))


@pytest.mark.parametrize("name", ["SlidingWindowUCB", "LinUCB", "DiscountedLinUCB", "RestartUCB"])
def test_it_is_as_if_the_new_fields_had_always_been_zero(name: str) -> None:
    """With rows of the same length: all that follows is the same, too."""
    agent = dw.Agent(POLICIES[name], encoder=SAME, is_interpreted=True)
    always = dw.Agent(POLICIES[name], encoder=WIDER, is_interpreted=True)
    rng = np.random.default_rng(3)
    for _ in range(50):
        context, actions = offers(rng)
        picked, reward = str(rng.choice(list(actions))), float(rng.random())
        agent.observe(actions[picked], reward, context=context, name=picked)
        longer = actions[picked] | {"brand": 0.5}
        always.observe(longer, reward, context=context | {"night": 0.5}, name=picked)
    wider = agent.extended(WIDER)
    for each in (wider, always):  # the radius is written anew with the next reward
        given: Any = {"context": {"night": 0.9, "load": 0.1}, "name": "new"}
        each.observe({"price": 7.0, "brand": 0.2}, 0.5, **given)
    ours, theirs = wider.memory, always.memory
    assert wider.estimate == pytest.approx(always.estimate, rel=1e-8, abs=1e-10)
    assert ours.regression.error_shape() == pytest.approx(
        theirs.regression.error_shape(), rel=1e-8, abs=1e-10
    )
    assert ours.radius == pytest.approx(theirs.radius)


def test_history_and_who_was_forgotten_go_on() -> None:
    agent = dw.Agent(POLICIES["LinUCB"], encoder=SHOP, history=3, is_interpreted=True)
    context, actions = offers(np.random.default_rng(4))
    agent.learn(agent.choose(context=context, actions=actions), 0.5)
    agent.forget("blue")
    wider, told = agent.extended(WIDER), {"red": {"price": 9.0, "brand": 1.0}}
    decision = wider.choose(context={"night": 1.0, "load": 0.3}, actions=told)
    assert decision.forgotten == (("blue", 0, 1),)
    assert wider.history().number.tolist() == [1, 2]
    assert agent.history().number.tolist() == [1]


def test_an_encoder_that_says_less_is_refused() -> None:
    agent = moved(dw.LinUCB(noise=0.1))
    with pytest.raises(ValueError, match=r"context\.one must stay in a declaration that goes on"):
        agent.extended(Encoder(action={"price": Number(5, 20)}))
    with pytest.raises(TypeError, match="extended is for agents with an encoder"):
        dw.Agent(dw.LinUCB(noise=0.1), dimension=2).extended(SHOP)
