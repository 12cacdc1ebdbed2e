"""What `AdaptiveUCB` says of itself: memory, noise, changes, and what went unseen."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.explain import explaining
from driftwise.core.models.kalman.mixture import steady_gain
from driftwise.worlds import HiddenImprovement, Stationary, Switching
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS


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
    calm, after = told[200], told[250]  # it takes some rounds to be sure
    assert calm["last_change"] is None
    assert calm["changes"] == 0
    assert 200 < after["last_change"] <= 205
    # Below a fifth until it is sure; by then the world has been calm for a while.
    memories = [each["effective_memory"] for each in told[201:231]]
    assert max(memories) < calm["effective_memory"] / 5
    assert "No change was noticed." in calm["summary"]
    shown = f"The last change that it noticed showed after {after['last_change']} rewards."
    assert shown in after["summary"]
    assert after["summary"][0].startswith("After 250 rewards, ")
    assert told[1]["summary"][0].startswith("After 1 reward, ")
    for each in told[1:]:
        assert each["is_noticing"]
        assert each["is_drift_counted"]
        lasting = [
            min(1.0 / max(steady_gain(f["drift"]), 1e-300), each["rounds"]) for f in each["filters"]
        ]
        weights = [f["weight"] for f in each["filters"]]
        np.testing.assert_allclose([f["memory"] for f in each["filters"]], lasting)
        assert each["effective_memory"] == pytest.approx(np.exp(np.dot(weights, np.log(lasting))))


def test_nothing_is_noticed_where_nothing_changes() -> None:
    told = told_in(Stationary(horizon=600, parameter=[0.8, 0.2], noise=0.1), 600)
    assert told[-1]["changes"] == 0
    assert told[-1]["noise"] == pytest.approx(0.1, rel=0.2)
    errors = np.array(told[-1]["standard_errors"])
    assert (np.abs(told[-1]["estimate"] - np.array([0.8, 0.2])) < 4.0 * errors).all()
    # What is played is fresh, and what is not played is stale.
    assert told[-1]["actions"][0]["staleness"] < told[-1]["actions"][1]["staleness"]
    stalest, freshest = told[-1]["stale_directions"]
    assert stalest["direction"] == [0.0, 1.0]
    assert stalest["staleness"] == pytest.approx(told[-1]["actions"][1]["staleness"])
    assert freshest["direction"] == [1.0, 0.0]
    assert freshest["staleness"] == pytest.approx(told[-1]["actions"][0]["staleness"])


def test_every_direction_is_told_the_stalest_first() -> None:
    random = np.random.default_rng(5)
    agent = dw.Agent(dw.AdaptiveUCB(1.0), dimension=3, is_interpreted=True)
    for _ in range(30):
        rows = random.uniform(-1, 1, (3, 3)) * [1.0, 0.3, 0.1]  # hardly ever along the last axis
        agent.learn(agent.choose(rows), random.uniform())
    told = agent.explain()["stale_directions"]
    directions = np.array([each["direction"] for each in told])
    np.testing.assert_allclose(directions @ directions.T, np.eye(3), atol=1e-12)
    for each, row in zip(told, agent.explain(directions)["actions"], strict=True):
        assert each["staleness"] == pytest.approx(row["staleness"])
        assert max(each["direction"], key=abs) > 0.0
    shares = [each["staleness"] for each in told]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 2.0 * shares[-1], "what is seen least is stalest"
    assert abs(directions[0, 2]) > 0.9


def test_before_the_first_reward_nothing_is_believed() -> None:
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=2, is_interpreted=True)
    told = agent.explain()
    assert told["summary"][0] == told["memory_source"] == "Nothing has been learnt yet."
    assert len(told["summary"]) == 2, "that, and which action would be played"
    assert told["effective_memory"] == 0.0
    assert told["noise"] is None
    assert told["last_change"] is None
    assert {each["memory"] for each in told["filters"]} == {0.0}
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    agent.learn(agent.choose(), 0.3)
    assert agent.explain()["effective_memory"] == 1.0
    assert agent.explain()["noise"] is None, "one reward is like itself"
    agent.learn(agent.choose(), 0.4)
    agent.learn(agent.choose(), 0.6)
    assert agent.explain()["noise"] > 0.0


@pytest.mark.parametrize("kind", [{"n_arms": 2}, {"dimension": 2}])
def test_of_equal_rewards_nothing_is_known_but_that(kind: dict[str, Any]) -> None:
    agent = dw.Agent(dw.AdaptiveUCB(), is_interpreted=True, **kind)
    for _ in range(80):
        decision = agent.choose(np.eye(2)) if "dimension" in kind else agent.choose()
        agent.learn(decision, 5.0)
    told = agent.explain(np.eye(2)) if "dimension" in kind else agent.explain()
    said = "After 80 rewards, which were all equal, nothing is known of noise or change."
    assert told["summary"][0] == said
    assert len(told["summary"]) == 2
    assert told["noise"] is None
    assert told["effective_memory"] == 80.0


def test_clicks_with_features_are_told_as_they_were() -> None:
    """Filters begin anew when a second value comes: what came before counts all the same."""
    random = np.random.default_rng(2)
    agent, clicks = dw.Agent(dw.AdaptiveUCB(), dimension=2, is_interpreted=True), []
    for t in range(400):
        decision = agent.choose(random.uniform(-1, 1, (3, 2)))
        clicks.append(float(t >= 100 and random.random() < 0.5))
        agent.learn(decision, clicks[-1])
    told = agent.explain(np.eye(2))
    assert told["rounds"] == 400
    assert told["summary"][0].startswith("After 400 rewards, ")
    assert told["last_change"] is None or told["last_change"] > 64
    assert told["noise"] == pytest.approx(np.std(clicks))


def test_a_bound_is_what_the_policy_goes_by() -> None:
    random = np.random.default_rng(6)
    agent = dw.Agent(dw.AdaptiveUCB(1.5, probing=3.0), dimension=2, is_interpreted=True)
    n_probes = 0
    for _ in range(60):
        rows = random.uniform(-1, 1, (3, 2))
        told, decision = agent.explain(rows), agent.choose(rows)
        winner = told["actions"][decision.arm]
        assert winner["upper_bound"] == pytest.approx(decision.value, rel=1e-12)
        for each in told["actions"]:
            by_width = told["radius"] * each["width"]
            most = 1.5 * float(np.linalg.norm(rows[each["arm"]]))
            by_probe = each["staleness"] * (most - each["mean"])
            assert each["bonus"] == pytest.approx(max(by_width, by_probe))
            assert each["is_probe"] == (by_probe > by_width)
            n_probes += each["is_probe"]
        agent.learn(decision, float(decision.action @ [0.9, 0.4]))
    assert 0 < n_probes < 180


def test_one_piece_of_code_decides_on_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = dw.Agent(dw.AdaptiveUCB(1.0), n_arms=2, is_interpreted=True)
    agent.learn(agent.choose(), 0.25)
    monkeypatch.setattr(explaining, "promise", lambda mean, spread, stale, most: mean + 8.0)
    for each in agent.explain()["actions"]:
        assert each["bonus"] == pytest.approx(8.0)
        assert each["is_probe"]


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


@pytest.mark.parametrize(("size", "is_warned"), [(1.0, False), (5.0, True)])
def test_rewards_beyond_the_bound_are_remarked_on(size: float, is_warned: bool) -> None:
    agent = dw.Agent(dw.AdaptiveUCB(1.0), n_arms=2, is_interpreted=True)
    for _ in range(50):
        agent.learn(agent.choose(), 0.9 * size)
    text = " ".join(agent.explain()["summary"])
    assert ("goes beyond the bound that it was told, 1:" in text) is is_warned
