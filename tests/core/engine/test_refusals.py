"""What an agent refuses: a bad start, offer, reward or decision, none of which changes anything."""

import math
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from tests.core.agents import bits, played
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)
PAIR = np.array([[1.0, 0.0], [0.6, 0.8]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of dimension, n_arms and decision_set must be given, got 0"),
        ({"dimension": 2, "n_arms": 2}, "exactly one of dimension, n_arms and decision_set"),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
        ({"dimension": 2.0}, "dimension must be an integer, got 2.0"),
        ({"n_arms": 0}, "n_arms must be at least 1, got 0"),
        ({"decision_set": [[math.nan]]}, "decision_set must be finite, got nan at index (0, 0)"),
        ({"decision_set": [1.0]}, "decision_set must have shape (any, any), got (1,)"),
        ({"dimension": 2, "seed": -1}, "seed must be at least 0, got -1"),
        ({"dimension": 2, "is_interpreted": 1}, "is_interpreted must be True or False, got 1"),
    ],
)
def test_a_bad_start_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        dw.Agent(POLICY, **arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda agent: agent(POLICY, dimensions=2),
            "Agent() got an unexpected keyword argument 'dimensions'; did you mean 'dimension'?",
        ),
        (lambda agent: agent(POLICY, 2), "Agent() too many positional arguments"),
        (lambda agent: agent(dimension=2), "Agent() missing a required argument: 'policy'"),
        (
            lambda _: dw.SlidingWindowUCB(windw=20, noise=0.1),  # type: ignore[call-arg]  # misspelt
            "SlidingWindowUCB() got an unexpected keyword argument 'windw'; did you mean 'window'?",
        ),
    ],
)
def test_a_wrong_call_names_the_class_that_was_called(call: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call(dw.Agent)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("offer", "message"),
    [
        ([[math.nan, 0.0]], "decision_set must be finite, got nan at index (0, 0)"),
        ([[0.0, 0.0], [0.0, math.inf]], "decision_set must be finite, got inf at index (1, 1)"),
        ([[0.0, 1e101]], "decision_set must not exceed 1e+30 in magnitude, got 1e+101"),
        ([[1.0, 2.0, 3.0]], "decision_set must have shape (any, 2), got (1, 3)"),
        ([1.0, 2.0], "decision_set must have shape (any, 2), got (2,)"),
        (np.zeros((0, 2)), "decision_set must have at least one action, got none"),
        ([], "decision_set must have shape (any, 2), got (0,)"),
        ([["a", "b"]], "decision_set must be an array of numbers, got [['a', 'b']]"),
        ([["1", "2"]], "decision_set must be an array of numbers, got [['1', '2']]"),
        (None, "decision_set must be given, since it may change; got None"),
    ],
)
def test_a_bad_decision_set_changes_nothing(offer: Any, message: str) -> None:
    agent = played(dw.Agent(POLICY, dimension=2))
    before, choices = bits(agent), agent.n_choices
    with pytest.raises((TypeError, ValueError)) as caught:
        agent.choose(offer)
    assert message in str(caught.value)
    assert (bits(agent), agent.n_choices) == (before, choices)


def test_arms_take_no_decision_set() -> None:
    with pytest.raises(ValueError, match="the one given at the start, or left out, got another"):
        dw.Agent(POLICY, n_arms=3).choose([[1.0, 0.0]])


@pytest.mark.parametrize(
    ("reward", "message"),
    [
        (math.nan, "reward must be a finite number, got nan"),
        (math.inf, "reward must be a finite number, got inf"),
        (None, "reward must be a number, got None"),
        ("1.0", "reward must be a number, got '1.0'"),
        ([1.0, 2.0], "reward must be a number, got [1.0, 2.0]"),
        (1e200, "reward must not exceed 1e+100 in magnitude, got 1e+200"),
    ],
)
def test_a_bad_reward_changes_nothing(reward: Any, message: str) -> None:
    agent = played(dw.Agent(POLICY, dimension=2))
    decision = agent.choose(PAIR)
    before = bits(agent)
    with pytest.raises((TypeError, ValueError)) as caught:
        agent.learn(decision, reward)
    assert str(caught.value) == message
    assert bits(agent) == before
    agent.learn(decision, 0.5)  # nothing is lost: the decision is still good
    assert bits(agent) != before


@pytest.mark.parametrize("start", [{"decision_set": PAIR}, {"n_arms": 2}])
def test_a_record_with_another_arms_action_changes_nothing(start: dict[str, Any]) -> None:
    """A layout that keeps scores per arm would learn from the row, another one from the action."""
    agent = dw.Agent(POLICY, **start, is_interpreted=True)
    decision, before = agent.choose(), bits(agent)
    for action in (decision.action + 1.0, decision.action[::-1].copy(), np.zeros(2)):
        with pytest.raises(ValueError, match=f"decision must have row {decision.arm} of the"):
            agent.learn(decision._replace(action=action), 1.0)
    assert bits(agent) == before
    agent.learn(decision._replace(action=decision.action * 1.0), 1.0)


def test_the_sign_of_a_zero_is_no_difference() -> None:
    agent = dw.Agent(POLICY, decision_set=[[-0.0, 1.0]], is_interpreted=True)
    agent.learn(agent.choose()._replace(action=np.array([0.0, 1.0])), 1.0)


MASKED = np.ma.array(PAIR, mask=[[False, False], [True, False]])


@pytest.mark.parametrize("offer", [MASKED, list(MASKED), MASKED.astype(np.float32)])
def test_a_masked_decision_set_is_refused(offer: Any) -> None:
    agent = dw.Agent(POLICY, dimension=2, is_interpreted=True)
    message = "decision_set must have no masked entries, got 1"
    with pytest.raises(ValueError, match=message):
        agent.choose(offer)
    with pytest.raises(ValueError, match=message):
        agent.explain(offer)
    with pytest.raises(ValueError, match=message):
        dw.Agent(POLICY, decision_set=offer)
    assert agent.choose(np.ma.array(PAIR)).arm in (0, 1)  # nothing is masked in it


def test_a_masked_reward_is_refused() -> None:
    agent = dw.Agent(POLICY, n_arms=2, is_interpreted=True)
    number: Any = np.ma.array(0.5)
    rewards: list[Any] = [np.ma.masked, np.ma.array(0.5, mask=True)]
    for reward in rewards:
        with pytest.raises(ValueError, match="reward must not be masked, got masked"):
            agent.learn(agent.choose(), reward)
    agent.learn(agent.choose(), number)


def test_a_foreign_decision_changes_nothing() -> None:
    agent = dw.Agent(POLICY, n_arms=2)
    before = bits(agent)
    wider = dw.Agent(POLICY, n_arms=9, seed=3)
    retuned = dw.Agent(POLICY._replace(window=21), n_arms=2)
    exp3 = dw.Agent(dw.Exp3(mixing=0.1), n_arms=2)
    for decision, message in (
        (wider.choose(), "decision must be among 2 arms in 2 dimensions"),
        (retuned.choose(), "decision must come from an agent with this policy"),
        (exp3.choose(), "decision must come from an agent with this policy"),
        (1, "decision must come from an agent with this policy, got 1"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            agent.learn(decision, 1.0)  # type: ignore[arg-type]  # that is the point
    assert bits(agent) == before


BOB = dw.BanditOverBandit(POLICY, [5, 9], 10, 0.5, 10.0)


@pytest.mark.parametrize(
    ("policy", "damage", "message"),
    [
        (POLICY, {"action": np.array([math.nan, 0.0])}, "action must be finite, got nan"),
        (POLICY, {"action": [1.0, 0.0]}, "decision must have an array of floats as action"),
        (POLICY, {"action": np.zeros(3)}, "decision must be among 2 arms in 2 dimensions"),
        (POLICY, {"luck": "a"}, "luck must be an integer in"),
        (POLICY, {"luck": -1}, "luck must be an integer in"),
        (POLICY, {"arm": 5}, "decision must be unchanged"),
        (POLICY, {"choice": {"arm": 10**9}}, "decision must be among 2 arms in 2 dimensions"),
        (POLICY, {"choice": {"propensity": 0.0}}, r"propensity must be in \(0, 1\], got 0"),
        (dw.Exp3(mixing=0.1), {"choice": {"propensity": math.nan}}, "decision must be unchanged"),
        (dw.Exp3S(0.1, 0.1), {"choice": {"propensity": math.nan}}, "decision must be unchanged"),
        (BOB, {"choice": {"candidate": 10**9}}, "decision must be unchanged"),
        (BOB, {"choice": {"candidate": -1}}, "decision must be unchanged"),
        (BOB, {"choice": {"chance": 0.0}}, "decision must be unchanged"),
        (BOB, {"choice": {"block": 7, "candidate": 2}}, "decision must be unchanged"),
    ],
)
def test_a_damaged_decision_changes_nothing(
    policy: Any, damage: dict[str, Any], message: str
) -> None:
    """Compiled rules check nothing: an index out of range there would end the process."""
    agent = dw.Agent(policy, n_arms=2, is_interpreted=True)
    good = agent.choose()
    inner = damage.get("choice", {})
    bad = good._replace(**damage | {"choice": good.choice._replace(**inner)})
    before = bits(agent)
    with pytest.raises((TypeError, ValueError), match=message):
        agent.learn(bad, 1.0)
    assert bits(agent) == before
    agent.learn(good, 1.0)
