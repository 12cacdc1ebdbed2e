"""A record of a decision is judged where it enters."""

import copy
import json
import math
from typing import Any

import pytest

import driftwise as dw
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

BASE = dw.SlidingWindowUCB(window=20, noise=0.1)
BOB = dw.BanditOverBandit(BASE, [5, 9], 10, 0.5, 10.0)


def record(policy: Any = BASE) -> Any:
    decision = dw.Agent(policy, n_arms=2, is_interpreted=True).choose()
    return json.loads(json.dumps(decision.as_dict()))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["policy"], 7, "policy must be a fingerprint or settings, got 7"),
        (["luck"], "1", "luck must be an integer in [0, 2**63), got '1'"),
        (["luck"], 2**63, "luck must be an integer in [0, 2**63)"),
        (["action"], "x", "action must be an array of numbers, got 'x'"),
        (["action"], [["1"]], "action must be an array of numbers, got [['1']]"),
        (["choice"], None, "choice must begin with ('arm', 'propensity', 'value'), got nan"),
        (["choice"], {}, "a record must have a class and fields, got {}"),
        (
            ["choice"],
            {"class": "Agent", "fields": {}},
            "must be a policy or",
        ),
        (["choice", "fields"], {}, "Choice must have the fields ('arm', 'propensity', 'value')"),
        (["choice", "fields", "more"], 1, "Choice must have the fields"),
        (["choice", "fields", "arm"], "1", "arm must be an integer, got '1'"),
        (["choice", "fields", "arm"], 1.0, "arm must be an integer, got 1.0"),
        (["choice", "fields", "arm"], -1, "arm must be at least 0, got -1"),
        (["choice", "fields", "propensity"], "x", "propensity must be a number, got 'x'"),
        (["choice", "fields", "propensity"], 1.5, "propensity must be in (0, 1], got 1.5"),
        (["choice", "fields", "value"], "x", "value must be a number, got 'x'"),
    ],
)
def test_a_damaged_record_is_refused(place: list[str], value: Any, message: str) -> None:
    data = record()
    inner = data
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    with pytest.raises((TypeError, ValueError)) as caught:
        dw.Decision.from_dict(data)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["policy", "luck", "action", "choice"])
def test_a_record_must_be_complete(name: str) -> None:
    data = record()
    del data[name]
    others: list[Any] = [data, {}, [], None]
    for damaged in others:
        with pytest.raises(ValueError, match="decision must have policy, luck, action and choice"):
            dw.Decision.from_dict(damaged)


def test_what_a_policy_adds_is_judged_too() -> None:
    good = record(BOB)
    for name, message in (
        ("block", "block must be an integer"),
        ("chance", "chance must be a number"),
    ):
        bad = copy.deepcopy(good)
        bad["choice"]["fields"][name] = "x"
        with pytest.raises(TypeError, match=message):
            dw.Decision.from_dict(bad)
    good["choice"]["fields"]["base"]["fields"]["value"] = "x"
    with pytest.raises(TypeError, match="value must be a number, got 'x'"):
        dw.Decision.from_dict(good)


@pytest.mark.parametrize("place", ["policy", "luck", "action", "choice"])
def test_a_record_is_not_deep(place: str) -> None:
    """A RecursionError would come of reading it, or of telling what is wrong with it."""
    for is_tuple in (False, True):
        data: Any = record()
        deep: Any = 1
        for _ in range(5000):
            deep = {"tuple": [deep]} if is_tuple else [deep]
        data[place] = deep
        with pytest.raises(ValueError, match="decision must be nested at most 32 deep, got more"):
            dw.Decision.from_dict(data)
        with pytest.raises(ValueError, match="decision must be nested at most 32 deep, got more"):
            dw.Decision.from_dict(deep)


CORRAL = dw.Corral((BASE, dw.Exp3(mixing=0.1)), 0.1, 0.1, 1.0)
MASTER = dw.Master(BASE, 1.0, 0.0, 1.0, 4)
CHOICE = {"class": "Choice", "fields": {"arm": 0}}
WRONG = [3, "x", [], [1, 2, 3], {"tuple": []}, {"tuple": [1, 2]}, None, CHOICE]


@pytest.mark.parametrize(("policy", "field"), [(BOB, "base"), (CORRAL, "bases"), (MASTER, "base")])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_damaged_choice_inside_a_choice_is_refused(policy: Any, field: str, wrong: Any) -> None:
    agent = dw.Agent(policy, n_arms=2, is_interpreted=True)
    data = json.loads(json.dumps(agent.choose().as_dict()))
    data["choice"]["fields"][field] = wrong
    with pytest.raises((TypeError, ValueError), match="must"):
        agent.learn(dw.Decision.from_dict(data), 1.0)


def test_a_number_is_of_its_type_however_it_was_written() -> None:
    """A database or another language may write 1.0 as 1, and nan not at all."""
    data = record()
    data["choice"]["fields"] |= {"propensity": 1, "value": None}
    decision = dw.Decision.from_dict(data | {"written": "on a Monday"})
    assert type(decision.propensity) is float
    assert type(decision.choice.propensity) is float
    assert math.isnan(decision.value)


def test_a_decision_at_a_glance() -> None:
    """The settings of its policy, and a long action, are for programs."""
    made = dw.Agent(dw.LinUCB(noise=0.1), decision_set=[[0.25] * 50], is_interpreted=True).choose()
    text = repr(made)
    assert text == (
        f"Decision(arm=0, action=[0.25, 0.25, 0.25, ..., 0.25, 0.25, 0.25], propensity=1.0, "
        f"value={made.value}, luck={made.luck}, policy=LinUCB)"
    )
    page = made._repr_html_()
    assert page.startswith("<div><b>Decision</b><table>")
    assert str(made.luck) in page
    assert repr(made._replace(policy="0123456789abcdef")).endswith("policy='0123456789abcdef')")


@pytest.mark.parametrize("policy", [BASE, BOB, dw.LinTS(noise=0.1)])
def test_a_decision_equals_what_was_stored_of_it(policy: Any) -> None:
    agent = dw.Agent(policy, dimension=2, seed=1, is_interpreted=True)
    decision, later = (agent.choose([[1.0, 0.0], [0.6, 0.8]]) for _ in range(2))
    again = dw.Decision.from_dict(json.loads(json.dumps(decision.as_dict())))
    assert again == decision
    assert {decision: 1}[again] == 1
    assert decision != later, "its luck is another"
    assert decision != again._replace(action=decision.action + 1e-12)
    assert decision != tuple(decision)
