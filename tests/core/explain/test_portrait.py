"""An agent at a glance: what it shows is what it believes, for every policy."""

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.explain.portrait import portrait_of
from driftwise.registry import all_policies
from tests.making import made

ROWS = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [0.8, 0.6]])


@pytest.mark.parametrize("name", all_policies())
def test_every_policy_has_a_portrait(name: str) -> None:
    agent = dw.Agent(made(all_policies()[name].tuned), n_arms=3, is_interpreted=True)
    for _ in range(5):
        agent.learn(agent.choose(), 0.5)
    lines = repr(agent).splitlines()
    assert lines[0].startswith(f"Agent: {name}(")
    assert lines[1].split() == ["chooses", "among", "3", "arms"]
    assert lines[2].split() == ["decisions", "5"]
    assert agent._repr_html_().startswith(f"<div><b>Agent: {name}(")


def test_the_best_actions_come_first_as_explained() -> None:
    agent = dw.Agent(dw.SlidingWindowUCB(50, noise=0.1), decision_set=ROWS, is_interpreted=True)
    for _ in range(40):
        decision = agent.choose()
        agent.learn(decision, float(decision.action @ [0.2, 0.7]))
    shown = portrait_of(agent.policy, agent.memory, agent._offers, agent.n_choices)
    actions = sorted(agent.explain()["actions"], key=lambda each: -each["mean"])[:5]
    names = "arm", "mean", "standard_error", "upper_bound"
    assert [[float(cell) for cell in row] for row in shown.rows] == [
        [pytest.approx(each[name], rel=1e-3, abs=1e-12) for name in names] for each in actions
    ]


def test_an_arm_that_was_never_played_is_unknown_and_last() -> None:
    agent = dw.Agent(dw.UCB1(), n_arms=3, is_interpreted=True)
    agent.learn(agent.choose(), -5.0)
    rows = portrait_of(agent.policy, agent.memory, agent._offers, 1).rows
    assert rows[0][1] == "-5"
    assert [row[1] for row in rows[1:]] == ["unknown", "unknown"]


def test_noise_is_learnt_or_told() -> None:
    def noise(policy: Any) -> str:
        agent = dw.Agent(policy, dimension=2, is_interpreted=True)
        shown = portrait_of(policy, agent.memory, agent._offers, 0)
        return dict(shown.facts)["noise"]

    assert noise(dw.AdaptiveUCB()) == "not known yet"
    assert noise(dw.Exploring(dw.LinUCB(noise=0.25))) == "0.25, as it was told"


def test_many_dimensions_are_not_looked_at() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1), dimension=301, is_interpreted=True)
    assert repr(agent).splitlines() == [
        "Agent: LinUCB(noise=0.1)", "  chooses among  what is offered, with 301 features each", "  decisions      0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("offer", "words"),
    [
        ({"dimension": 4}, "what is offered, with 4 features each"),
        ({"decision_set": ROWS}, "6 actions with 2 features each"),
        ({"decision_set": dw.UnitBall(3)}, "all points of the unit ball in 3 dimensions"),
    ],
)
def test_what_is_offered_is_told(offer: dict[str, Any], words: str) -> None:
    policy = dw.LinUCB(noise=0.1)
    agent = dw.Agent(policy, **offer, is_interpreted=True)
    assert words in repr(agent)
