"""What policies say of themselves is true of what they do."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.mixture import steady_gain
from driftwise.worlds import HiddenImprovement, Stationary, Switching

SETTINGS: dict[str, Any] = {
    "noise": 0.1, "action_norm": 1.5, "parameter_norm": 1.2, "ridge": 0.6, "confidence": 0.02,
}  # fmt: skip
POLICIES: dict[str, Any] = {
    "AdaptiveUCB": dw.AdaptiveUCB(1.2, 1.5),
    "SlidingWindowUCB": dw.SlidingWindowUCB(window=25, **SETTINGS),
    "LinUCB": dw.LinUCB(**SETTINGS),
    "LinUCB that switches rarely": dw.LinUCB(**SETTINGS, patience=0.5),
    "RestartUCB": dw.RestartUCB(restart_every=24, **SETTINGS),
    "OracleRestart": dw.OracleRestart(change_points=[30], **SETTINGS),
    "DiscountedLinUCB": dw.DiscountedLinUCB(discount=0.9, **SETTINGS),
    "WeightedUCB": dw.WeightedUCB(discount=0.9, **SETTINGS),
    "SlidingWindowGLMUCB": dw.SlidingWindowGLMUCB(window=25, **SETTINGS),
    "DiscountedGLMUCB": dw.DiscountedGLMUCB(discount=0.9, **SETTINGS),
    "BanditOverBandit": dw.BanditOverBandit(
        dw.SlidingWindowUCB(window=25, **SETTINGS), [5, 25], 30, 0.2, 50.0
    ),
}
SETS: dict[str, Any] = {
    "axes": np.diag([0.9, -1.2, 0.4]),
    "general": np.random.default_rng(2).uniform(-0.8, 0.8, (5, 3)),
    "changing": None,
}


def played(policy: Any, fixed: Any, rounds: int = 40) -> tuple[dw.Agent, Any]:
    """Return an agent after some rounds, and the decision set of the next one."""
    random = np.random.default_rng(3)
    dimension = 3 if fixed is None else None
    agent = dw.Agent(policy, dimension=dimension, decision_set=fixed, is_interpreted=True)
    for _ in range(rounds):
        decision = agent.choose(random.uniform(-0.8, 0.8, (4, 3)) if fixed is None else None)
        mean = float(decision.action @ [0.5, -0.3, 0.8])
        agent.learn(decision, mean + 0.1 * random.standard_normal())
    return agent, random.uniform(-0.8, 0.8, (4, 3)) if fixed is None else None


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("name", POLICIES)
def test_the_winner_is_what_is_played(name: str, where: str) -> None:
    agent, rows = played(POLICIES[name], SETS[where])
    before = agent.explain(rows)
    decision = agent.choose(rows)
    assert before["winner"]["arm"] == decision.arm
    winner = before["actions"][decision.arm]
    assert winner["upper_bound"] == pytest.approx(decision.value, rel=1e-9)
    assert winner["upper_bound"] == winner["mean"] + winner["bonus"]
    if name != "LinUCB that switches rarely":  # it knows more than it acts by
        np.testing.assert_array_equal(before["estimate"], agent.estimate)
    assert json.loads(json.dumps(before, allow_nan=False)) == before


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("SlidingWindowUCB", 25.0),
        ("SlidingWindowGLMUCB", 25.0),
        ("LinUCB", 40.0),
        ("RestartUCB", 16.0),
        ("OracleRestart", 10.0),
        ("DiscountedLinUCB", 10.0 * (1.0 - 0.9**40)),
        ("WeightedUCB", 10.0 * (1.0 - 0.9**40)),
        ("DiscountedGLMUCB", 10.0 * (1.0 - 0.9**40)),
    ],
)
def test_the_effective_memory(name: str, rounds: float) -> None:
    agent, _ = played(POLICIES[name], None)
    told = agent.explain()
    assert told["effective_memory"] == pytest.approx(rounds)
    assert "actions" not in told


def test_standard_errors_are_those_of_the_regression() -> None:
    agent, _ = played(POLICIES["LinUCB"], SETS["general"])
    widths = np.array([each["width"] for each in agent.explain()["actions"]])
    errors = [each["standard_error"] for each in agent.explain()["actions"]]
    np.testing.assert_allclose(errors, 0.1 * widths)
    unit, _ = played(POLICIES["LinUCB"], np.eye(3))
    told = unit.explain()
    np.testing.assert_allclose(
        told["standard_errors"], [each["standard_error"] for each in told["actions"]]
    )


@pytest.mark.parametrize(
    "policy",
    [
        dw.LinTS(noise=0.1),
        dw.DiscountedLinTS(discount=0.9, noise=0.1),
        dw.DiscountedRandLinUCB(discount=0.9, noise=0.1),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_random_choices_are_called_random(policy: Any) -> None:
    agent, rows = played(policy, None)
    told = agent.explain(rows)
    means = [each["mean"] for each in told["actions"]]
    assert told["winner"]["reason"] == "drawn at random"
    assert told["winner"]["arm"] == int(np.argmax(means))


def test_no_estimate_no_explanation() -> None:
    with pytest.raises(AttributeError, match="Exp3 keeps no estimate of a parameter"):
        dw.Agent(dw.Exp3(0.1), n_arms=2).explain()
    told = dw.Agent(dw.DetectingLinUCB(noise=0.1), dimension=2, is_interpreted=True).explain()
    assert told["effective_memory"] is None
    assert told["estimate"] == [0.0, 0.0]


def test_without_rows_there_are_no_actions() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1), decision_set=dw.UnitBall(2), is_interpreted=True)
    assert "actions" not in agent.explain()
    with pytest.raises(ValueError, match="decision_set must be finite"):
        dw.Agent(dw.LinUCB(noise=0.1), dimension=2, is_interpreted=True).explain([[np.nan, 1.0]])


def told_in(world: Any, rounds: int) -> list[dict[str, Any]]:
    """Return what AdaptiveUCB tells before each round."""
    (numbers,) = world.rounds(0, world.horizon)
    agent = dw.Agent(dw.AdaptiveUCB(1.5), decision_set=world.decision_set, is_interpreted=True)
    told = []
    for t in range(rounds):
        told.append(agent.explain())
        decision = agent.choose()
        agent.learn(decision, float(numbers.rewards[t, decision.arm]))
    return told


def test_a_change_is_noticed_when_it_comes_and_what_it_means() -> None:
    world = Switching(horizon=400, n_changes=1, parameters=[[0.8, 0.2], [0.1, 0.7]], noise=0.1)
    told = told_in(world, 400)
    calm, after = told[200], told[210]
    assert calm["last_change"] is None
    assert calm["changes"] == 0
    assert 200 < after["last_change"] <= 205
    assert after["effective_memory"] < calm["effective_memory"] / 5
    assert "No change was noticed." in calm["summary"]
    for each in told[1:]:
        memories = [
            min(1.0 / max(steady_gain(f["drift"]), 1e-300), each["rounds"]) for f in each["filters"]
        ]
        weights = [f["weight"] for f in each["filters"]]
        np.testing.assert_allclose([f["memory"] for f in each["filters"]], memories)
        assert each["effective_memory"] == pytest.approx(np.exp(np.dot(weights, np.log(memories))))


def test_nothing_is_noticed_where_nothing_changes() -> None:
    told = told_in(Stationary(horizon=600, parameter=[0.8, 0.2], noise=0.1), 600)
    assert told[-1]["changes"] == 0
    assert told[-1]["noise"] == pytest.approx(0.1, rel=0.2)
    errors = np.array(told[-1]["standard_errors"])
    assert (np.abs(told[-1]["estimate"] - np.array([0.8, 0.2])) < 4.0 * errors).all()
    # What is played is fresh, and what is not played is stale.
    assert told[-1]["actions"][0]["staleness"] < told[-1]["actions"][1]["staleness"]
    direction = told[-1]["stale_direction"]
    assert direction["direction"] == [0.0, 1.0]
    assert direction["staleness"] == pytest.approx(told[-1]["actions"][1]["staleness"])


def test_every_reason_comes_up() -> None:
    told = told_in(HiddenImprovement(horizon=600, noise=0.1), 600)
    reasons = {each["winner"]["reason"] for each in told}
    assert reasons == {
        "one of several equals", "largest mean", "still uncertain", "probe: not seen for long",
    }  # fmt: skip
    for each in told:
        arm, actions = each["winner"]["arm"], each["actions"]
        has_largest_mean = actions[arm]["mean"] == max(action["mean"] for action in actions)
        is_probe = actions[arm]["is_probe"]
        if each["winner"]["reason"] == "largest mean":
            assert has_largest_mean
        if each["winner"]["reason"] == "probe: not seen for long":
            assert is_probe
            assert not has_largest_mean
