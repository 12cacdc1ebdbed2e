"""Rows that touch one block each: a layout that works on the touched block chooses as the dense one does."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.contract.blocks import Blocked, block_of
from driftwise.core.contract.memories import layout_of
from driftwise.features import Constant, Encoder, Number, PerAction
from tests.core.agents import bits
from tests.core.hostile import POLICIES as GIVEN
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

FIELDS = {f"f{i}": Number(0, 1, alone=False) for i in range(3)}
OWN = ["context.one", *(f"context.{name}" for name in FIELDS)]
CONTEXT: dict[str, Any] = {"one": Constant(alone=False), **FIELDS}
NAMES = ["a", "b", "c", "d", "e"]
DISJOINT = Encoder(context=CONTEXT, per_action=PerAction(OWN, names=NAMES[:3], places=5))
# Told nothing, it has a constant for each block, which the dense layout has not; docs/features.md says so.
POLICIES = GIVEN | {"AdaptiveUCB": dw.AdaptiveUCB(1.0, 1.0)}
CHANGING = [name for name, policy in POLICIES.items() if policy.card.plays == "actions"]
BLOCKED = {
    "SlidingWindowUCB": "DenseBlocks",
    "LinUCB": "DenseBlocks",
    "LinTS": "DenseBlocks",
    "RestartUCB": "DenseBlocks",
    "BanditOverBandit": "DenseBlocks",
    "DiscountedLinUCB": "FadingBlocks",
    "DiscountedLinTS": "FadingBlocks",
    "WeightedUCB": "FadingBlocks",
    "AdaptiveUCB": "FilterBlocks",
}


def offered(rng: np.random.Generator) -> tuple[dict[str, float], dict[str, dict[str, Any]]]:
    here = rng.choice(NAMES, int(rng.integers(2, 6)), replace=False)
    return {name: float(rng.random()) for name in FIELDS}, {str(name): {} for name in here}


@pytest.mark.parametrize("late", [0, 4])
@pytest.mark.parametrize("name", CHANGING)
def test_it_chooses_as_the_dense_layout_does(name: str, late: int) -> None:
    by_block = dw.Agent(POLICIES[name], encoder=DISJOINT, is_interpreted=True)
    dense = dw.Agent(POLICIES[name], dimension=DISJOINT.dimension, is_interpreted=True)
    assert (BLOCKED.get(name, "Dense") in str(layout_of(by_block.memory))) == (name != "Uniform")
    assert "Blocks" not in str(layout_of(dense.memory))
    roster, rng = DISJOINT.roster(), np.random.default_rng(1)
    waiting: list[tuple[dw.Decision, dw.Decision, float]] = []
    for _ in range(150):
        context, actions = offered(rng)
        roster.admit(actions)
        decision = by_block.choose(context=context, actions=actions)
        plain = dense.choose(DISJOINT.rows(context, actions, roster))
        assert decision.arm == plain.arm
        assert decision.propensity == plain.propensity or np.isnan(plain.propensity)
        assert decision.value == pytest.approx(plain.value, abs=1e-8, nan_ok=True)
        waiting.append((decision, plain, float(rng.normal(0.1 * decision.arm, 0.3))))
        if len(waiting) > late:
            decision, plain, reward = waiting.pop(0)
            by_block.learn(decision, reward)
            dense.learn(plain, reward)
    if hasattr(dense.policy, "estimate_in"):
        assert by_block.estimate == pytest.approx(dense.estimate, abs=1e-8)
        told, known = (
            by_block.explain(context=context, actions=actions),
            dense.explain(DISJOINT.rows(context, actions, roster)),
        )
        for ours, theirs in zip(told.get("actions", []), known.get("actions", []), strict=True):
            assert ours["width"] == pytest.approx(theirs["width"], rel=1e-7)


def test_filters_have_the_same_bits() -> None:
    by_block = dw.Agent(dw.AdaptiveUCB(1.0), encoder=DISJOINT, is_interpreted=True)
    dense = dw.Agent(dw.AdaptiveUCB(1.0), dimension=DISJOINT.dimension, is_interpreted=True)
    roster, rng = DISJOINT.roster(), np.random.default_rng(2)
    for _ in range(200):
        context, actions = offered(rng)
        roster.admit(actions)
        decision = by_block.choose(context=context, actions=actions)
        plain = dense.choose(DISJOINT.rows(context, actions, roster))
        assert (decision.arm, decision.value) == (plain.arm, plain.value)
        reward = float(rng.normal())
        by_block.learn(decision, reward)
        dense.learn(plain, reward)
    assert by_block.memory.mixture.table.tobytes() == dense.memory.mixture.table.tobytes()
    assert by_block.memory.lookout.notes.tobytes() == dense.memory.lookout.notes.tobytes()
    assert by_block.estimate.tolist() == dense.estimate.tolist()


@pytest.mark.parametrize(
    "policy",
    [
        dw.SlidingWindowUCB(window=20, noise=0.1),
        pytest.param(dw.LinTS(noise=0.3), marks=pytest.mark.slow),
        pytest.param(dw.LinUCB(noise=0.1, patience=0.5), marks=pytest.mark.slow),
        dw.DiscountedLinUCB(discount=0.95, noise=0.1),
        pytest.param(dw.DiscountedLinTS(discount=0.95, noise=0.1), marks=pytest.mark.slow),
        pytest.param(dw.AdaptiveUCB(), marks=pytest.mark.slow),
        dw.AdaptiveUCB(1.0),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_compiled_and_interpreted_have_the_same_bits(policy: Any) -> None:
    agents = [
        dw.Agent(policy, encoder=DISJOINT, is_interpreted=each, seed=5) for each in (True, False)
    ]
    agents[1].warm_up()
    rng = np.random.default_rng(3)
    for _ in range(60):
        context, actions = offered(rng)
        decisions = [agent.choose(context=context, actions=actions) for agent in agents]
        assert decisions[0].as_dict() == decisions[1].as_dict()
        reward = float(rng.normal())
        for agent, decision in zip(agents, decisions, strict=True):
            agent.learn(decision, reward)
    for agent in agents:
        if hasattr(policy, "tick"):
            agent.policy.tick(agent.memory)  # type: ignore[attr-defined]  # has one
        agent.forget(next(iter(actions)))
    assert bits(agents[0]) == bits(agents[1])


@pytest.mark.parametrize("name", sorted(BLOCKED))
def test_it_goes_on_with_more_blocks_longer_ones_or_shared_columns(name: str) -> None:
    agent = dw.Agent(POLICIES[name], encoder=DISJOINT, is_interpreted=True)
    rng = np.random.default_rng(4)
    for _ in range(50):
        context, actions = offered(rng)
        agent.learn(agent.choose(context=context, actions=actions), float(rng.random()))
    room = {"context": CONTEXT | {"new": Number(0, 1, alone=False)}, "blocks": 4}
    for own, shared in ((OWN, False), ([*OWN, "context.new"], False), (OWN, True)):
        if shared:
            room = {"context": CONTEXT | {"new": Number(0, 1)}, "blocks": None}
        elif len(own) > len(OWN):
            room["blocks"] = None
        wider = Encoder(**room, per_action=PerAction(own, names=NAMES[:3], places=7))  # type: ignore[arg-type]  # checked
        grown = agent.extended(wider)
        assert ("Blocks" in str(layout_of(grown.memory))) != shared
        columns, factor = DISJOINT.extension(wider)
        others = np.setdiff1d(np.arange(wider.dimension), columns)
        assert not grown.estimate[others].any()
        if factor == 1.0 or name in ("LinUCB", "LinTS", "AdaptiveUCB"):
            wanted = factor * agent.estimate
            assert grown.estimate[columns] == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_a_dimension_that_knows_its_blocks_is_an_integer() -> None:
    dimension = Blocked(3, 4)
    assert dimension == 12
    for again in (pickle.loads(pickle.dumps(dimension)), copy.deepcopy(dimension)):
        assert (again, again.n_blocks, again.length) == (12, 3, 4)
    row = np.zeros(12)
    assert block_of(row, 4) == 0
    row[7] = -0.5
    assert block_of(row, 4) == 1
    with pytest.raises(ValueError, match="length must be at least 1, got 0"):
        Blocked(3, 0)
