"""Dictionaries in, names out: an agent with an encoder decides as one that is given the rows."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from tests.core.agents import bits
from tests.core.encoded import SHOP, WORDS, lived, offers

POLICIES: list[Any] = [
    dw.SlidingWindowUCB(window=15, noise=0.1),
    dw.Exploring(dw.AdaptiveUCB(), share=0.2),
    dw.BanditOverBandit.tuned(horizon=100, dimension=SHOP.dimension, noise=0.1),
]


def agent_of(policy: Any = POLICIES[0], encoder: Any = SHOP) -> dw.Agent:
    return dw.Agent(policy, encoder=encoder, is_interpreted=True)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_it_decides_as_an_agent_that_is_given_the_rows(policy: Any) -> None:
    by_name, by_row = agent_of(policy), dw.Agent(policy, dimension=8, is_interpreted=True)
    roster, rng = SHOP.roster(), np.random.default_rng(1)
    roster.admit(["blue", "red", "green"])
    for _ in range(30):
        context, actions = offers(rng)
        decision = by_name.choose(context=context, actions=actions)
        plain = by_row.choose(SHOP.rows(context, actions, roster))
        assert decision.name == ["blue", "red", "green"][plain.arm]
        assert decision._replace(action=plain.action, name=None, place=None) == plain
        assert decision.action.tolist() == plain.action.tolist()
        reward = float(rng.random())
        by_name.learn(decision, reward)
        by_row.learn(plain, reward)
    assert by_name.digest == by_row.digest


def test_a_list_has_no_names() -> None:
    agent = agent_of(encoder=WORDS)
    decision = agent.choose(actions=[{"colour": "blue"}, {"colour": "red"}])
    assert (decision.name, decision.place) == (None, None)
    assert "name" not in decision.as_dict()


def test_a_decision_keeps_its_name_in_a_record() -> None:
    agent = agent_of()
    context, actions = offers(np.random.default_rng(0))
    decision = agent.choose(context=context, actions=actions)
    record = json.loads(json.dumps(decision.as_dict()))
    again = dw.Decision.from_dict(record)
    assert (again.name, again.place) == (decision.name, decision.place)
    agent.learn(again, 1.0)
    del record["name"], record["place"]  # as an earlier version would have written it
    assert dw.Decision.from_dict(record).name is None


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"name": 3}, "name must be a string, got 3"),
        ({"place": [1]}, r"place must be two integers of at least 0, got \[1\]"),
        ({"place": [0, -1]}, r"place must be two integers of at least 0, got \[0, -1\]"),
        ({"place": "ab"}, "place must be two integers of at least 0, got 'ab'"),
    ],
)
def test_a_damaged_record_is_refused(damage: dict[str, Any], message: str) -> None:
    context, actions = offers(np.random.default_rng(0))
    record = agent_of().choose(context=context, actions=actions).as_dict()
    with pytest.raises((TypeError, ValueError), match=message):
        dw.Decision.from_dict(record | damage)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"actions": [{"colour": "green"}]}, "colour must be one of"),
        ({"actions": [{"colour": "blue"}, {"shape": 1}]}, "action must have the field 'colour'"),
        ({"actions": []}, "actions must have at least one action, got none"),
        ({}, "actions must be given to an agent with an encoder, got none"),
        ({"decision_set": np.eye(2)}, "decision_set must be left out with an encoder, got one"),
        ({"actions": {7: {"colour": "blue"}}}, "names of actions must be strings, got 7"),
    ],
)
def test_bad_offers_change_nothing(given: dict[str, Any], message: str) -> None:
    agent = agent_of(encoder=WORDS)
    before = agent.to_bytes()
    with pytest.raises((TypeError, ValueError), match=message):
        agent.choose(**given)
    assert agent.to_bytes() == before


def test_a_new_name_gets_no_place_by_a_bad_offer() -> None:
    agent = agent_of()
    before = agent.to_bytes()
    with pytest.raises(TypeError, match=r"price must be a number.*in action 'green'"):
        agent.choose(context={"load": 0.5}, actions={"green": {"price": "dear"}})
    crowd = {name: {"price": 9.0} for name in "abcd"}
    with pytest.raises(ValueError, match="places must be at least 6 for these names, got 3"):
        agent.choose(context={"load": 0.5}, actions=crowd)
    assert agent.to_bytes() == before


def test_dictionaries_need_an_encoder() -> None:
    agent = dw.Agent(POLICIES[0], dimension=2)
    with pytest.raises(TypeError, match="context and actions must be left out without an encoder"):
        agent.choose(context={}, actions=[{}])
    with pytest.raises(TypeError, match="with an encoder, dimension, n_arms and decision_set must"):
        dw.Agent(POLICIES[0], dimension=2, encoder=WORDS)
    with pytest.raises(TypeError, match=r"encoder must be one of driftwise\.features, got 'text'"):
        dw.Agent(POLICIES[0], encoder="text")  # type: ignore[arg-type]  # on purpose


@pytest.mark.parametrize("way", ["file", "pickle", "copy"])
def test_it_continues_with_encoder_and_places(way: str) -> None:
    agent = agent_of()
    lived(agent)
    ways: dict[str, Any] = {
        "file": lambda: dw.Agent.from_bytes(agent.to_bytes()),
        "pickle": lambda: pickle.loads(pickle.dumps(agent)),
        "copy": lambda: copy.deepcopy(agent),
    }
    twin = ways[way]()
    assert twin.encoder == agent.encoder
    context, actions = offers(np.random.default_rng(5), ("green", "red"))
    ours, theirs = (each.choose(context=context, actions=actions) for each in (agent, twin))
    assert (ours.name, ours.place, ours.luck) == (theirs.name, theirs.place, theirs.luck)
    agent.learn(ours, 0.5)
    assert bits(twin) != bits(agent)
    twin.learn(ours, 0.5)
    assert bits(twin) == bits(agent)


@pytest.mark.parametrize(
    "damage",
    [
        {"encoder": "[action.price]\nkind = 3"},
        {"encoder": WORDS.to_toml(), "roster": None},
        {"encoder": 5},
        {"roster": None},
        {"roster": {"names": {}, "free": [0], "tenures": [0]}},
        {"roster": {"names": {"blue": 7}, "free": [0, 1], "tenures": [0, 0, 0]}},
    ],
)
def test_a_damaged_file_is_refused(damage: dict[str, Any]) -> None:
    from tests.core.hostile import members_of, packed

    members = members_of(agent_of().to_bytes())
    header = json.loads(str(members["header"])) | damage
    content = packed(members | {"header": np.array(json.dumps(header))})
    with pytest.raises(ValueError, match="content must hold an agent that is undamaged"):
        dw.Agent.from_bytes(content)


def test_explaining_spends_no_place() -> None:
    agent = agent_of()
    before = agent.to_bytes()
    told = agent.explain(context={"load": 0.2}, actions={"green": {"price": 9}})
    assert len(told["actions"]) == 1
    assert agent.to_bytes() == before
