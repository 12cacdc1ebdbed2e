"""A fingerprint says what differs."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.contract.fingerprint import difference, fingerprint, require_fingerprint
from driftwise.core.contract.policy import Choice

BASE = dw.SlidingWindowUCB(window=20, noise=0.1)
BOB = dw.BanditOverBandit(BASE, [5, 9], 10, 0.5, 10.0)
CORRAL = dw.Corral((BASE, dw.Exp3(mixing=0.1)), 0.1, 0.1, 1.0)
MANY = list(range(1, 200))
ORACLE = dw.OracleRestart(MANY, 0.1)


@pytest.mark.parametrize(
    ("theirs", "ours", "message"),
    [
        (BASE, BASE, ""),
        (
            BASE,
            BASE._replace(parameter_norm=2.0),
            "decision was made with parameter_norm=1.0, this agent has 2.0",
        ),
        (BASE, dw.Exp3(mixing=0.1), "decision was made by SlidingWindowUCB, this agent has Exp3"),
        (
            BOB,
            BOB._replace(base=BASE._replace(ridge=2.0)),
            "decision was made with base.ridge=1.0, this agent has 2.0",
        ),
        (
            BOB,
            BOB._replace(settings=[5, 8]),
            "decision was made with settings=[5, 9], this agent has [5, 8]",
        ),
        (
            BOB,
            BOB._replace(base=dw.DiscountedLinUCB(0.9, 0.1), settings=[0.5, 0.9]),
            "decision was made with base=SlidingWindowUCB, this agent has DiscountedLinUCB; "
            "decision was made with settings=[5, 9], this agent has [0.5, 0.9]",
        ),
        (
            CORRAL,
            CORRAL._replace(bases=(BASE, dw.Exp3(mixing=0.2))),
            "decision was made with bases.1.mixing=0.1, this agent has 0.2",
        ),
        (
            BASE,
            BASE._replace(window=3, noise=0.0, ridge=2.0, confidence=0.5, action_norm=9.0),
            "decision was made with action_norm=1.0, this agent has 9.0; "
            "decision was made with confidence=0.01, this agent has 0.5; "
            "decision was made with noise=0.1, this agent has 0.0; and 2 more",
        ),
    ],
)
def test_what_differs_is_said(theirs: Any, ours: Any, message: str) -> None:
    assert difference(fingerprint(theirs), ours) == message
    made = dw.Agent(theirs, n_arms=2, is_interpreted=True).choose()
    stored = dw.Decision.from_dict(json.loads(json.dumps(made.as_dict())))
    assert stored.policy == made.policy
    agent = dw.Agent(ours, n_arms=2, is_interpreted=True)
    if not message:
        agent.learn(stored, 1.0)
        return
    with pytest.raises(TypeError) as caught:
        agent.learn(stored, 1.0)
    assert str(caught.value) == f"decision must come from an agent with this policy: {message}"


def test_a_long_setting_is_told_by_a_digest() -> None:
    record = dw.Agent(ORACLE, n_arms=2, is_interpreted=True).choose().as_dict()
    assert len(json.dumps(record)) < 700
    told = difference(fingerprint(ORACLE), dw.OracleRestart([*MANY[:-1], 300], 0.1))
    assert told.startswith("decision was made with change_points='199 num")
    assert difference(fingerprint(ORACLE), dw.OracleRestart([1, 2], 0.1)).endswith("has [1, 2]")


def test_numbers_are_the_same_however_they_were_written() -> None:
    """A database may order keys in its own way, and write 1.0 as 1."""
    agent = dw.Agent(BASE, n_arms=2, is_interpreted=True)
    record: Any = agent.choose().as_dict()
    fields = record["policy"]["fields"]
    record["policy"]["fields"] = dict(reversed(fields.items())) | {"ridge": 1}
    agent.learn(dw.Decision.from_dict(record), 1.0)


@pytest.mark.parametrize(
    "policy",
    ["", "x", "{", "{}", '{"class": 3}', '{"fields": {"a\\nb": 1}}', '{"fields": [1]}',
     '{"tuple": 3}', '{"array": [1]}', '{"class": "SlidingWindowUCB", "fields": {"window": {}}}',
     {}, {"class": [], "fields": {"x": [[[]]]}}, {"fields": {"window": {"tuple": [1]}}}, "[" * 9000,
     "{" * 9000, '{"a":' * 9000, 7, None, [], {"a": {1, 2}}, {1: 2, "1": 3}],
)  # fmt: skip
def test_a_damaged_fingerprint_is_refused_in_one_sentence(policy: Any) -> None:
    agent = dw.Agent(BASE, n_arms=2, is_interpreted=True)
    made = agent.choose()
    with pytest.raises((TypeError, ValueError), match=r"^(decision|policy) must ") as caught:
        agent.learn(dw.Decision.from_dict(made.as_dict() | {"policy": policy}), 1.0)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_decision_is_built_from_stored_parts() -> None:
    agent, twin = (dw.Agent(BASE, dimension=2, seed=5, is_interpreted=True) for _ in range(2))
    for i in range(9):
        made = agent.choose(np.eye(2))
        assert twin.choose(np.eye(2)).arm == made.arm
        given: list[Any] = [made.policy, BASE, json.loads(made.policy)]
        stored = dw.Decision.from_parts(
            policy=given[i % 3],
            luck=made.luck,
            action=made.action.tolist(),
            arm=made.arm,
            propensity=made.propensity,
            value=made.value,
        )
        assert stored.policy == made.policy
        assert stored.choice == made.choice
        for each in (agent, twin):
            each.learn(stored if each is twin else made, 0.1 * i)
    assert twin.digest == agent.digest


def test_parts_are_judged() -> None:
    made = dw.Agent(BASE, dimension=2, is_interpreted=True).choose(np.eye(2))
    parts: dict[str, Any] = {"policy": BASE, "luck": made.luck, "action": made.action}
    unknown = dw.Decision.from_parts(**parts, arm=1)
    assert math.isnan(unknown.propensity)
    assert math.isnan(unknown.value)
    assert dw.Decision.from_parts(**parts, choice=Choice(1, 1.0, 2.0)).value == 2.0
    for wrong, message in (
        ({}, "exactly one of arm and choice must be given"),
        ({"arm": 1, "choice": made.choice}, "exactly one of arm and choice must be given"),
        ({"arm": "1"}, "arm must be"),
        ({"arm": -1}, "arm must be at least 0"),
        ({"arm": 1, "propensity": 2.0}, "propensity must be in"),
        ({"arm": 1, "value": "x"}, "value must be a number"),
        ({"arm": 1, "luck": -1}, "luck must be"),
        ({"arm": 1, "action": [math.nan, 0.0]}, "action must be finite"),
        ({"arm": 1, "policy": 3}, "policy must be a fingerprint or settings, got 3"),
        ({"choice": (1, 1.0, 2.0)}, "choice must begin with"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            dw.Decision.from_parts(**parts | wrong)


def test_a_fingerprint_is_short_to_compare() -> None:
    """In `Agent.learn` nothing is parsed: the text of an agent's own decisions is the agent's."""
    agent = dw.Agent(BOB, n_arms=2, is_interpreted=True)
    assert agent.choose().policy is agent.choose().policy
    assert require_fingerprint(agent.choose().policy) == agent.choose().policy


@pytest.mark.parametrize("text", ["{", "{" * 5000, '{"class":' * 2000])
def test_a_damaged_fingerprint_is_refused_in_a_sentence(text: str) -> None:
    agent = dw.Agent(dw.UCB1(), n_arms=2, is_interpreted=True)
    with pytest.raises(TypeError, match="which is not a fingerprint"):
        agent.learn(agent.choose()._replace(policy=text), 0.5)
