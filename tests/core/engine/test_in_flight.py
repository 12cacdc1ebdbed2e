"""What is in flight: when a policy is told of it, by the loop, by an agent, and from a log."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from tests.core.agents import bits
from tests.core.engine.test_late import HORIZON, by_hand, by_loop, delays, world_of
from tests.core.hostile import members_of, packed
from tests.core.in_flight import FORGETFUL, HASTY, NAUGHTY, TRUSTING, Deaf, Fewest

bounded = settings(derandomize=True, deadline=None, max_examples=15, database=None)


def arms_in_flight(agent: dw.Agent) -> list[int]:
    flight = agent.memory.pending
    return sorted(flight.arms[flight.lucks != 0].tolist())


def counting(**kind: Any) -> dw.Agent:
    return dw.Agent(Fewest(), is_interpreted=True, **(kind or {"n_arms": 3}))


def test_an_agent_knows_what_is_in_flight() -> None:
    agent = counting()
    first = agent.choose()
    assert arms_in_flight(agent) == []  # nobody has asked since
    second = agent.choose()
    third = agent.choose()
    assert arms_in_flight(agent) == [0, 1]
    agent.learn(third, 1.0)  # it was never told of
    agent.learn(first, 1.0)
    assert arms_in_flight(agent) == [1]
    agent.choose()
    assert arms_in_flight(agent) == [1]
    agent.give_up(second)
    agent.give_up(second)
    assert arms_in_flight(agent) == []
    agent.choose()
    assert arms_in_flight(agent) == [0]
    assert agent.memory.counts.tolist() == [1.0, 0.0, 1.0]


def test_what_is_given_up_at_once_was_never_in_flight() -> None:
    agent = counting()
    agent.give_up(agent.choose())
    agent.choose()
    assert arms_in_flight(agent) == []


@given(late=delays, chunk=st.sampled_from([1, 17, HORIZON]), seed=st.integers(0, 99))
@bounded
def test_the_loop_tells_what_an_agent_tells(late: list[int], chunk: int, seed: int) -> None:
    world = world_of(np.eye(3))
    found = by_loop(Fewest(), world, dw.delays.Recorded(late), seed, chunk)
    assert found == by_hand(Fewest(), world, late, seed)


entries = st.lists(
    st.tuples(st.sampled_from(["choose", "learn", "give up", "save"]), st.integers(0, 9))
)


@given(happening=entries)
@bounded
def test_a_log_in_its_order_rebuilds_what_is_in_flight(happening: list[tuple[str, int]]) -> None:
    agent = counting()
    log: list[Any] = []
    made: list[dw.Decision] = []
    for what, which in happening:
        if what == "save":
            agent = dw.Agent.from_bytes(agent.to_bytes())
        elif what == "choose" or not made:
            made.append(agent.choose())
            log.append(made[-1])
        elif what == "learn":
            log.append((made[which % len(made)], 0.5))
            agent.learn(*log[-1])
        else:
            log.append((made[which % len(made)], None))
            agent.give_up(log[-1][0])
    twin = agent.replayed(log)
    assert bits(twin) == bits(agent)
    assert twin.to_bytes() == agent.to_bytes()  # the last decision, too
    assert twin.choose().arm == agent.choose().arm
    assert bits(twin) == bits(agent)


def test_rewards_alone_rebuild_what_was_learnt() -> None:
    agent = counting()
    decisions = [agent.choose() for _ in range(5)]
    log = [(decision, 1.0) for decision in decisions[:3]]
    for entry in log:
        agent.learn(*entry)
    twin = agent.replayed(log)
    assert twin.memory.counts.tolist() == agent.memory.counts.tolist()
    assert arms_in_flight(twin) == []
    assert arms_in_flight(agent) != []


@pytest.mark.parametrize("kind", [{"n_arms": 3}, {"decision_set": np.eye(3)[::-1]}])
def test_the_last_decision_is_kept(kind: dict[str, Any], tmp_path: Path) -> None:
    agent = counting(**kind)
    decision = agent.choose()
    agent.save(tmp_path / "agent")
    for again in (dw.Agent.load(tmp_path / "agent"), pickle.loads(pickle.dumps(agent))):
        again.choose()
        assert arms_in_flight(again) == [decision.arm]
        other = dw.Agent.load(tmp_path / "agent")
        other.learn(decision, 1.0)
        other.choose()
        assert arms_in_flight(other) == []


@pytest.mark.parametrize(
    "damage",
    [
        3,
        {},
        {"luck": -1},
        {"luck": 0.5},
        {"choice": None},
        {"choice": {"class": "Choice", "fields": {"arm": 7, "propensity": 1.0, "value": 0.0}}},
        {"choice": {"class": "Choice", "fields": {"arm": "1", "propensity": 1.0, "value": 0.0}}},
    ],
)
def test_a_damaged_last_decision_is_refused(damage: Any) -> None:
    agent = counting()
    agent.choose()
    members = members_of(agent.to_bytes())
    header = json.loads(str(members["header"]))
    whole = header["open"] | damage if isinstance(damage, dict) and damage else damage
    members["header"] = np.array(json.dumps(header | {"open": whole}))
    with pytest.raises(ValueError, match="damaged"):
        dw.Agent.from_bytes(packed(members))


def test_what_is_rejected_is_not_told() -> None:
    """A choice that could not be made is no part of a log."""
    policy = dw.BanditOverBandit.tuned(horizon=50, dimension=2, noise=0.1)
    agent = dw.Agent(policy, dimension=2, is_interpreted=True)
    decision = agent.choose(np.eye(2))
    before = bits(agent)
    with pytest.raises(ValueError, match="decision_set must be finite"):
        agent.choose([[np.nan, 1.0]])
    assert bits(agent) == before
    agent.learn(decision, 0.5)


def test_a_sound_policy_passes() -> None:
    dw.checks.check_policy(Fewest(), is_thorough=False)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (NAUGHTY, "expect must write only what is pending"),
        (TRUSTING, "to settle what was not expected must change nothing|to settle a second time"),
        (HASTY, "nothing may be pending where rewards come at once"),
        (FORGETFUL, "expect must write what is pending"),
    ],
)
def test_a_broken_one_is_found(fault: int, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        dw.checks.check_policy(Fewest(fault), is_thorough=False)


@pytest.mark.parametrize("policy", [Deaf(), dw.Exploring(Deaf())])
def test_one_without_a_place_for_what_is_in_flight_is_found(policy: Any) -> None:
    with pytest.raises(AssertionError, match="expect must write what is pending, in a field"):
        dw.checks.check_policy(policy, is_thorough=False)


def test_one_over_a_policy_that_does_not_want_to_know_passes() -> None:
    dw.checks.check_policy(dw.Exploring(dw.Exp3(mixing=0.2)), is_thorough=False)
