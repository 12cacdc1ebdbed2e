"""Arms need no matrix: K numbers say what K^2 would."""

import copy
import inspect
import json
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.linalg.unit_rows import axes_of, unit_rows
from driftwise.registry import all_policies
from tests.core.agents import bits

MANY = 100_000
FACTS: dict[str, Any] = {
    "horizon": 400, "dimension": 40, "n_arms": 40, "noise": 0.1, "variation": 2.0, "change_points": [9],
}  # fmt: skip
# By their cards these keep (d, d) matrices, whatever the decision set.
QUADRATIC = ("DetectingLinUCB", "DiscountedGLMUCB", "SlidingWindowGLMUCB")
POLICIES = {
    name: maker(**{key: FACTS[key] for key in inspect.signature(maker).parameters if key in FACTS})
    for name, maker in ((name, getattr(cls, "tuned", cls)) for name, cls in all_policies().items())
}
QUICK = ("UCB1", "Exp3", "LinUCB", "SlidingWindowUCB")  # to compile


def play(agent: dw.Agent, rounds: int) -> list[Any]:
    random, told = np.random.default_rng(3), []
    for _ in range(rounds):
        decision = agent.choose()
        agent.learn(decision, float(random.uniform(0.0, 1.0)))
        told.append((decision.arm, decision.action.tobytes(), *map(repr, decision[2:])))
    return told


@pytest.mark.parametrize("n_arms", [1, 2, 3, 7])
def test_unit_rows_are_the_identity_matrix(n_arms: int) -> None:
    assert np.array_equal(unit_rows(n_arms), np.eye(n_arms))
    on_axes = axes_of(unit_rows(n_arms))
    assert on_axes is not None
    for found, wanted in zip(on_axes, axes_of(np.eye(n_arms)) or (), strict=True):
        assert np.array_equal(found, wanted)
        assert found.dtype == wanted.dtype


def test_other_rows_with_the_same_steps_are_not_unit_rows() -> None:
    for place in (0, 1, 3, 4):
        rows = unit_rows(3)
        np.fill_diagonal(rows[max(0, 2 - place) :, max(0, place - 2) :], 0.5)
        wanted = axes_of(np.array(rows))
        assert wanted is None
        assert axes_of(rows) is None
    rows = unit_rows(3) * 2.0
    assert [each.tolist() for each in axes_of(rows) or ()] == [[0, 1, 2], [2.0, 2.0, 2.0]]


@pytest.mark.parametrize("name", POLICIES)
def test_arms_and_the_matrix_of_them_are_played_alike(name: str) -> None:
    policy, rounds = POLICIES[name], 12
    arms = dw.Agent(policy, n_arms=40, seed=5, is_interpreted=True)
    rows = dw.Agent(policy, decision_set=np.eye(40), seed=5, is_interpreted=True)
    assert play(arms, rounds) == play(rows, rounds)
    assert bits(arms) == bits(rows)


@pytest.mark.parametrize("name", QUICK)
def test_they_are_when_compiled(name: str) -> None:
    arms = dw.Agent(POLICIES[name], n_arms=40, seed=5)
    rows = dw.Agent(POLICIES[name], decision_set=np.eye(40), seed=5)
    assert play(arms, 100) == play(rows, 100)
    assert bits(arms) == bits(rows)
    assert arms.choose(np.eye(40)).arm == rows.choose().arm
    with pytest.raises(ValueError, match="decision_set must be the one given at the start"):
        arms.choose(np.eye(40)[::-1])


@pytest.mark.parametrize("name", [name for name in POLICIES if name not in QUADRATIC])
def test_no_policy_that_costs_k_takes_the_room_of_a_matrix(name: str, tmp_path: Path) -> None:
    n_arms, policy = 3000, POLICIES[name]
    tracemalloc.start()
    try:
        agent = dw.Agent(policy, n_arms=n_arms, is_interpreted=True)
        agent.learn(agent.choose(), 0.5)
        agent.save(tmp_path / "agent")
        dw.Agent.load(tmp_path / "agent")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * n_arms * n_arms / 2
    assert (tmp_path / "agent").stat().st_size < 8 * n_arms * n_arms / 4


@pytest.mark.parametrize("name", QUICK)
def test_a_hundred_thousand_arms_can_be_played(name: str, tmp_path: Path) -> None:
    agent = dw.Agent(POLICIES[name], n_arms=MANY, seed=1)
    decision = agent.choose()
    assert decision.action.shape == (MANY,)
    assert decision.action.nonzero()[0].tolist() == [decision.arm]
    agent.learn(decision, 1.0)
    agent.save(tmp_path / "agent")
    told = play(agent.replayed([(decision, 1.0)]), 3)
    for twin in (
        dw.Agent.load(tmp_path / "agent"),
        pickle.loads(pickle.dumps(agent)),
        copy.deepcopy(agent),
    ):
        assert play(twin, 3) == told


def test_a_file_with_another_number_of_arms_is_refused(tmp_path: Path) -> None:
    dw.Agent(dw.Uniform(), n_arms=4).save(tmp_path / "agent.npz")
    with np.load(tmp_path / "agent.npz") as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"])) | {"n_arms": 3}
    np.savez(tmp_path / "agent.npz", **arrays | {"header": np.array(json.dumps(header))})
    with pytest.raises(ValueError, match="was damaged or saved by another version"):
        dw.Agent.load(tmp_path / "agent.npz")


def test_a_file_with_the_matrix_still_loads(tmp_path: Path) -> None:
    """Files of 0.1.0 keep the decision set of arms, too."""
    arms, rows = dw.Agent(dw.UCB1(), n_arms=4), dw.Agent(dw.UCB1(), decision_set=np.eye(4))
    rows.save(tmp_path / "rows")
    with np.load(tmp_path / "rows") as file:
        assert np.array_equal(file["decision_set"], np.eye(4))
    assert play(dw.Agent.load(tmp_path / "rows"), 20) == play(arms, 20)
