"""What policies say of themselves is true of what they do."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.explain.explaining import explained
from driftwise.registry import all_policies
from driftwise.worlds import Switching

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
    "DetectingLinUCB": dw.DetectingLinUCB(**SETTINGS),
    "Master": dw.Master(dw.LinUCB(**SETTINGS), 0.2, 0.0, 100.0, 5),
}
ARMS: dict[str, Any] = {
    "UCB1": dw.UCB1(0.2),
    "UCB1 with a fixed logarithm": dw.UCB1(0.2, fixed_log=3.0),
    "SlidingWindowArmsUCB": dw.SlidingWindowArmsUCB(25, 0.2),
    "DiscountedArmsUCB": dw.DiscountedArmsUCB(0.95, 0.2),
    "HedgingArmsUCB": dw.HedgingArmsUCB(25, 0.1),
    "RerunUCBV": dw.RerunUCBV(24, 0.2),
    "GLRUCB": dw.GLRUCB(0.05, 0.3, reward_range=1.5),
    "Master over arms": dw.Master(dw.UCB1(0.2, fixed_log=3.0), 0.2, 0.0, 100.0, 5),
    "BanditOverBandit over arms": dw.BanditOverBandit(
        dw.SlidingWindowArmsUCB(25, 0.2), [5, 25], 30, 0.2, 50.0
    ),
}
# Nothing that could be called an estimate decides what these play.
SILENT = {
    "Exp3": "weights of arms, by what was earned over how likely it was to be played",
    "Exp3S": "weights, too",
    "Rexp3": "weights, too",
    "Uniform": "nothing",
    "AdSwitch": "good arms are played in turn; means only decide which are good",
    "Corral": "one of several policies is drawn, and they learn from rewards that were divided",
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


@pytest.mark.parametrize("where", ["axes", "general"])
@pytest.mark.parametrize("name", ARMS)
def test_arms_have_means_of_their_own(name: str, where: str) -> None:
    random = np.random.default_rng(4)
    agent = dw.Agent(ARMS[name], decision_set=SETS[where], is_interpreted=True)
    reasons = set()
    for _ in range(60):
        told = agent.explain()
        assert json.loads(json.dumps(told, allow_nan=False)) == told
        decision = agent.choose()
        reasons.add(told["winner"]["reason"])
        played = told["actions"][decision.arm]
        if np.isnan(decision.value):  # nothing counts that tells of the arm, or it is its turn
            assert told["winner"]["reason"] in ("nothing known", "its turn")
        else:
            assert played["upper_bound"] == pytest.approx(decision.value, rel=1e-9)
            top = max(each["upper_bound"] for each in told["actions"])
            assert played["upper_bound"] == pytest.approx(top, rel=1e-12)
        if told["winner"]["reason"] in ("largest mean", "still uncertain", "its turn"):
            assert told["winner"]["arm"] == decision.arm
        reward = float(np.clip(0.3 + 0.1 * decision.arm + 0.1 * random.standard_normal(), 0, 1.5))
        agent.learn(decision, reward)
    assert "largest mean" in reasons


def test_the_means_of_arms() -> None:
    agent = dw.Agent(dw.SlidingWindowArmsUCB(3, 0.2), n_arms=2, is_interpreted=True)
    assert agent.explain()["winner"]["reason"] == "nothing known"
    assert agent.explain()["actions"][0]["upper_bound"] is None
    arms, rewards = [], [0.5, 0.1, 0.7, 0.6, 0.8]
    for reward in rewards:
        decision = agent.choose()
        arms.append(decision.arm)
        agent.learn(decision, reward)
    told = agent.explain()
    assert told["effective_memory"] == 3.0
    kept = list(zip(arms, rewards, strict=True))[-3:]
    for each in told["actions"]:
        own = [reward for arm, reward in kept if arm == each["arm"]]
        assert each["mean"] == (pytest.approx(np.mean(own)) if own else None)
        assert each["standard_error"] == (pytest.approx(0.1 / len(own) ** 0.5) if own else None)
    greedy = dw.Agent(dw.EpsilonGreedy(0.1, step=0.5), n_arms=2, is_interpreted=True)
    for _ in range(30):
        greedy.learn(greedy.choose(), 0.4)
    told = greedy.explain()
    assert told["winner"]["reason"] == "drawn at random"
    assert told["effective_memory"] == 4.0
    assert told["standard_errors"] == [None, None]


def test_whoever_has_an_estimate_explains_itself() -> None:
    silent = {name for name, cls in all_policies().items() if not hasattr(cls, "belief_in")}
    assert silent == SILENT.keys()


def test_a_pool_and_instances_tell_who_acts() -> None:
    world = Switching(horizon=300, n_changes=1, parameters=[[0.9, 0.1], [0.0, 0.8]], noise=0.05)
    (numbers,) = world.rounds(0, 300)
    pool = dw.DetectingLinUCB(noise=0.05)
    agents = [
        dw.Agent(policy, decision_set=world.decision_set, is_interpreted=True)
        for policy in (pool, dw.Master(dw.LinUCB(noise=0.05), 0.2, 0.0, 100.0, 5))
    ]
    for t in range(300):
        for agent in agents:
            decision = agent.choose()
            agent.learn(decision, float(numbers.rewards[t, decision.arm]))
    told, instances = (agent.explain() for agent in agents)
    acting = [model for model in told["models"] if model["is_acting"]]
    assert told["models_begun"] > 1, "the change called for a new model"
    assert [told["effective_memory"]] == [model["observations"] for model in acting]
    assert told["effective_memory"] < 150.0, "what came before the change is forgotten"
    # Blocks of 1, 2, ..., 32 rounds, and then of 32 for ever: 300 = 63 + 7 * 32 + 13.
    assert (instances["block_length"], instances["rounds_in_block"]) == (32, 13)
    assert instances["restarts"] == 0
    assert 32 in instances["instances"]


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


def test_no_estimate_no_explanation() -> None:
    with pytest.raises(AttributeError, match="Exp3 keeps no estimate of a parameter"):
        dw.Agent(dw.Exp3(0.1), n_arms=2).explain()
    policy = dw.Corral((dw.LinUCB(noise=0.1),), 0.1, 0.1, 1.1)
    with pytest.raises(AttributeError, match="Corral keeps no estimate of a parameter"):
        dw.Agent(policy, dimension=2, is_interpreted=True).explain()
    over = dw.Master(dw.Exp3(0.1), 0.2, 0.0, 100.0, 5)
    with pytest.raises(AttributeError, match="Exp3 gives no account of what it believes"):
        dw.Agent(over, n_arms=2, is_interpreted=True).explain()


def test_an_estimate_without_an_account_is_told_alone() -> None:
    class Quiet:
        def estimate_in(self, memory: Any) -> Any:
            return memory

    told = explained(Quiet(), np.array([0.0, 1.0]), None)
    assert told["effective_memory"] is None
    assert told["estimate"] == [0.0, 1.0]


def test_without_rows_there_are_no_actions() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1), decision_set=dw.UnitBall(2), is_interpreted=True)
    assert "actions" not in agent.explain()
    with pytest.raises(ValueError, match="decision_set must be finite"):
        dw.Agent(dw.LinUCB(noise=0.1), dimension=2, is_interpreted=True).explain([[np.nan, 1.0]])


@pytest.mark.parametrize(
    "policy",
    [dw.UCB1(), dw.AdaptiveUCB(), dw.LinUCB(noise=0.1), dw.DiscountedLinUCB(0.9, noise=0.1)],
)
def test_many_arms_take_no_matrix(policy: Any) -> None:
    """A (K, K) matrix would take 72 MB."""
    agent = dw.Agent(policy, n_arms=3000, is_interpreted=True)
    agent.learn(agent.choose(), 1.0)
    tracemalloc.start()
    try:
        assert len(agent.explain()["actions"]) == 3000
        assert "3,000 arms" in repr(agent)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
