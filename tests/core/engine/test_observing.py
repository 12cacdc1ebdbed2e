"""What others chose: learnt without luck, choice or fingerprint, one by one or from a log."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.engine.past import moments_of
from tests.core.agents import bits
from tests.core.encoded import SHOP, WORDS, event_of, lived, offers
from tests.core.hostile import CASES, POLICIES, agent_of
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

LINEAR = dw.SlidingWindowUCB(window=15, noise=0.1)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_policy_can_learn_what_others_chose(name: str, kind: str) -> None:
    agent = agent_of(name, kind)
    before, n_choices = bits(agent), agent.n_choices
    dimension = agent._offers.shape[1]
    fixed = agent._offers.fixed
    action = fixed[1] if isinstance(fixed, np.ndarray) else np.full(dimension, 0.1)
    is_weighing = "exp3" in repr(agent.policy).lower()
    if is_weighing:
        with pytest.raises(
            ValueError, match=r"propensity must be given: .* learns from rewards over"
        ):
            agent.observe(action, 0.5)
        assert bits(agent) == before
    agent.observe(action, 0.5, propensity=0.25 if is_weighing else None)
    if name != "Uniform":
        assert bits(agent) != before
    assert agent.n_choices == n_choices


@pytest.mark.parametrize("kind", ["changing", "fixed"])
def test_a_linear_policy_learns_it_as_its_own(kind: str) -> None:
    rows = np.random.default_rng(0).standard_normal((4, 3))
    offered: Any = {"dimension": 3} if kind == "changing" else {"decision_set": rows}
    own = dw.Agent(LINEAR, **offered, is_interpreted=True)
    other = dw.Agent(LINEAR, **offered, is_interpreted=True)
    for reward in (0.5, -0.2, 0.9):
        decision = own.choose(rows)
        own.learn(decision, reward)
        other.observe(decision.action, reward)
    assert own.estimate.tobytes() == other.estimate.tobytes()
    assert own.explain(rows) == other.explain(rows)


def test_an_arm_may_be_named_by_its_index() -> None:
    one, other = (dw.Agent(dw.UCB1(), n_arms=3, is_interpreted=True) for _ in range(2))
    one.observe(2, 0.5)
    other.observe([0.0, 0.0, 1.0], 0.5)
    assert bits(one) == bits(other)


@pytest.mark.parametrize(
    ("agent", "given", "message"),
    [
        ({"n_arms": 3}, {"action": 3}, r"action must be an arm in \[0, 3\), got 3"),
        ({"n_arms": 3}, {"action": [1, 1, 0]}, "action must be a row of the decision set"),
        ({"dimension": 2}, {"action": 1}, "action must be a row of 2 numbers, got 1"),
        ({"dimension": 2}, {"action": [1.0, math.nan]}, "action must be finite"),
        ({"dimension": 2}, {"action": [1.0]}, "action must have shape"),
        ({"dimension": 2}, {"action": [1, 0], "reward": "x"}, "reward must be a number"),
        ({"dimension": 2}, {"action": [1, 0], "propensity": 0.0}, "propensity must be in"),
        ({"dimension": 2}, {"action": [1, 0], "context": {}}, "must be left out without"),
        ({"encoder": WORDS}, {"action": {"colour": "green"}}, "action.colour must be one of"),
        ({"encoder": SHOP}, {"action": {"price": 6}, "context": {"load": 1}}, "name must be given"),
    ],
)
def test_bad_observations_change_nothing(
    agent: dict[str, Any], given: dict[str, Any], message: str
) -> None:
    made = dw.Agent(LINEAR, **agent, is_interpreted=True)
    before = made.to_bytes()
    with pytest.raises((TypeError, ValueError), match=message):
        made.observe(**{"reward": 0.5} | given)
    assert made.to_bytes() == before


def test_settings_are_drawn_anew_while_observing() -> None:
    """A policy that draws at the end of a block must not draw by the same luck every time."""
    policy = dw.BanditOverBandit.tuned(horizon=400, dimension=2, noise=0.1)
    agent, drawn = dw.Agent(policy, dimension=2, is_interpreted=True), set()
    for _ in range(20 * policy.block_length):
        agent.observe([0.6, 0.8], 0.5)
        drawn.add(int(agent.memory.block[1]))
    assert len(drawn) > 1


def test_warming_by_a_log_is_observing_it() -> None:
    agent = dw.Agent(LINEAR, encoder=SHOP, is_interpreted=True)
    events = lived(dw.Agent(dw.Exploring(LINEAR), encoder=SHOP, is_interpreted=True), delay=5.0)
    warmed, by_hand = agent.warmed(dw.Log(events)), agent.warmed([])
    for number, event, is_reward, _ in moments_of(events):
        name = list(event["actions"])[event["action"]]
        if is_reward:
            given = {"context": event["context"], "name": name, "reward": event["reward"]}
            by_hand.observe(event["actions"][name], **given)
        assert events[number] is event
    assert bits(warmed) == bits(by_hand)
    assert bits(warmed) != bits(agent)


def test_warming_goes_on_from_what_is_known() -> None:
    events = lived(dw.Agent(LINEAR, encoder=SHOP, is_interpreted=True))
    agent = dw.Agent(LINEAR, encoder=SHOP, is_interpreted=True)
    assert bits(agent.warmed(events[:20]).warmed(events[20:])) == bits(agent.warmed(events))


@pytest.mark.parametrize("form", ["names", "decision_set", "index"])
def test_logs_without_dictionaries(form: str) -> None:
    events: list[dict[str, Any]] = [{"action": 1, "reward": 0.8}, {"action": 0}]
    rows = np.eye(2).tolist()
    given: dict[str, Any] = {
        "names": {"actions": ["a", "b"]},
        "decision_set": {"decision_set": rows},
    }
    log = dw.Log([event | given.get(form, {}) for event in events])
    assert dw.Agent(LINEAR, n_arms=2).warmed(log).estimate.tolist() == [0.0, 0.4]


def test_names_alone_are_actions_without_features() -> None:
    encoder = dw.features.Encoder(
        context={"one": dw.features.Constant(alone=False)},
        per_action=dw.features.PerAction(["context.one"], places=2),
    )
    log = dw.Log([{"action": "b", "actions": ["a", "b"], "reward": 0.8}])
    agent = dw.Agent(LINEAR, encoder=encoder, is_interpreted=True).warmed(log)
    assert agent.estimate.tolist() == [0.4, 0.0]  # the first name to come has the first place


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"actions": [{"colour": "green"}]}, r"event 1 \('b'\): action.colour must be one of"),
        ({"actions": [{"colour": 5.5}]}, r"event 1 \('b'\): action.colour must be a"),
        ({"actions": [{}]}, r"event 1 \('b'\): action must have the field 'colour'"),
        ({"actions": None}, r"event 1 \('b'\): actions must be in a log for an agent with an enc"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_half_done(bad: dict[str, Any], message: str) -> None:
    agent = dw.Agent(LINEAR, encoder=WORDS, is_interpreted=True)
    before = agent.to_bytes()
    good = {"event_id": "a", "actions": [{"colour": "blue"}], "action": 0, "reward": 1.0}
    with pytest.raises((TypeError, ValueError), match=message):
        agent.warmed([good, good | {"event_id": "b"} | bad, good])
    assert agent.to_bytes() == before


@pytest.mark.parametrize(
    "policy",
    [
        LINEAR,
        dw.Exploring(dw.AdaptiveUCB(), share=0.2),
        dw.BanditOverBandit.tuned(horizon=60, dimension=SHOP.dimension, noise=0.1),
    ],
    ids=lambda policy: type(policy).__name__,
)
@pytest.mark.parametrize("form", ["log.jsonl", "log.parquet"])
def test_its_own_log_rebuilds_an_agent_to_the_bit(policy: Any, form: str, tmp_path: Any) -> None:
    agent = dw.Agent(policy, encoder=SHOP, is_interpreted=True, seed=3)
    log = dw.Log(lived(agent, delay=6.0))
    twin = dw.Agent(policy, encoder=SHOP, is_interpreted=True, seed=3).replayed(
        dw.Log.read(log.write(tmp_path / form))
    )
    assert bits(twin) == bits(agent)
    context, actions = offers(np.random.default_rng(9))
    ours, theirs = (each.choose(context=context, actions=actions) for each in (agent, twin))
    assert ours._replace(action=theirs.action) == theirs


@pytest.mark.parametrize("name", ["LinUCB", "SlidingWindowUCB", "AdaptiveUCB", "Exploring"])
@pytest.mark.parametrize("form", ["entries", "log.jsonl", "log.parquet"])
def test_its_own_log_tells_who_was_forgotten_and_when(name: str, form: str, tmp_path: Any) -> None:
    policy, rng = POLICIES[name], np.random.default_rng(5)
    agent = dw.Agent(policy, encoder=SHOP, is_interpreted=True, seed=3)
    events: list[dict[str, Any]] = []
    entries: list[Any] = []
    waiting: list[tuple[int, dw.Decision]] = []
    here, n_gone, n_late = ["a", "b", "c"], 0, 0
    agent.forget("blue")
    agent.forget("red")
    for number in range(60):
        ends = rng.random() < 0.25
        goes_first = rng.random() < 0.5  # and rewards that come now are of another time
        for moment in (goes_first, not goes_first):
            if ends and moment:
                gone = here.pop(0)
                if gone in agent._dictionaries.roster:  # type: ignore[union-attr,operator]  # has one
                    agent.forget(gone)
                    n_gone += 1
                here.append(gone if number % 2 else f"{number}")
            elif not moment:
                while waiting and rng.random() < 0.6:
                    index, decision = waiting.pop(int(rng.integers(len(waiting))))
                    n_late += agent._is_gone(decision)
                    agent.learn(decision, 0.1 * index)
                    # Nothing came at the same time.
                    came = number - 1.0 + 0.001 * (1 + len(entries))
                    events[index] |= {"reward": 0.1 * index, "reward_time": came}
                    entries.append((decision, 0.1 * index))
        context, actions = offers(rng, tuple(here))
        decision = agent.choose(context=context, actions=actions)
        if number == 30:
            agent = dw.Agent.from_bytes(agent.to_bytes())
        waiting.append((number, decision))
        events.append(event_of(decision, number, context, actions))
        entries.append(decision)
    assert n_gone > 5
    assert n_late > 0
    fresh = dw.Agent(policy, encoder=SHOP, is_interpreted=True, seed=3)
    log = entries if form == "entries" else dw.Log.read(dw.Log(events).write(tmp_path / form))
    twin = fresh.replayed(log)
    assert bits(twin) == bits(agent)
    again = [dw.Decision.from_dict(each.as_dict()) for each in entries if len(each) != 2]
    assert [each.forgotten for each in again] == [d.forgotten for d in entries if len(d) != 2]
    if form != "entries":  # which tell of nobody who was offered and not chosen
        assert twin._dictionaries.roster == agent._dictionaries.roster  # type: ignore[union-attr]  # has one


def test_a_log_of_others_may_tell_who_is_gone() -> None:
    """Without it there would be more names than places."""
    agent = dw.Agent(LINEAR, encoder=SHOP, is_interpreted=True)
    events = [
        {
            "context": {"load": 0.5},
            "actions": {f"ad {k}": {"price": 9.0}},
            "action": 0,
            "reward": 1.0,
        }
        | ({"forgotten": [f"ad {k - 1}", "never there"]} if k else {})
        for k in range(8)
    ]
    assert list(agent.warmed(dw.Log(events))._dictionaries.roster) == ["blue", "red", "ad 7"]  # type: ignore[union-attr,arg-type]  # has one
    with pytest.raises(ValueError, match="event 1: places must be at least 4"):
        agent.warmed({**event, "forgotten": []} for event in events)


def test_a_reward_of_nobody_is_refused_where_names_have_coefficients() -> None:
    agent = dw.Agent(LINEAR, encoder=SHOP, is_interpreted=True)
    with pytest.raises(
        TypeError, match="name must be given, for coefficients of its own, got none"
    ):
        agent.observe({"price": 9.0}, 1.0, context={"load": 0.5})


def test_replaying_says_what_is_missing() -> None:
    agent = dw.Agent(LINEAR, n_arms=2)
    log = dw.Log([{"event_id": "a", "action": 1, "reward": 0.5}])
    with pytest.raises(
        ValueError, match=r"event 0 \('a'\): policy must be in a log to be replayed"
    ):
        agent.replayed(log)
    other = dw.Agent(dw.UCB1(), n_arms=2).choose().as_event()
    with pytest.raises(TypeError, match="event 0: decision must come from an agent with this pol"):
        agent.replayed(dw.Log([other | {"reward": 0.5}]))
