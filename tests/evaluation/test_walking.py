"""A policy along a log: against an agent on its own log, a walk written for reading, and the interpreter."""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from benchmarks.moving_logs import Numbers, linear_log
from driftwise.core.contract import optional
from driftwise.core.contract.played import as_played
from driftwise.core.engine.starting import started
from driftwise.core.randomness import draws
from driftwise.core.randomness.seeds import generator, luck_of
from driftwise.evaluation.arrivals import arrivals_of
from driftwise.evaluation.events import Events, events_of
from driftwise.evaluation.walking import ADVICE, REPLAY, SHARE, Walk, walk
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

POLICIES = [
    dw.SlidingWindowUCB(window=30, noise=0.5),
    pytest.param(dw.AdaptiveUCB(), marks=pytest.mark.slow),
    dw.Exploring(dw.LinTS(noise=0.5), share=0.2),
    pytest.param(
        dw.BanditOverBandit.tuned(horizon=200, dimension=4, noise=0.5), marks=pytest.mark.slow
    ),
]


def with_delays(events: Events, delays: Any) -> Events:
    time = np.arange(len(events), dtype=np.float64)
    return replace(events, time=time, arrivals=arrivals_of(events.reward, time, time + delays))


def late_events(seed: int, n: int = 200) -> Events:
    """Return events whose rewards come after up to 30 others, in another order, and some never."""
    random = np.random.default_rng(seed)
    events = linear_log(seed, "rotating", n=n).events
    reward = np.where(random.random(n) < 0.1, np.nan, events.reward)
    return with_delays(replace(events, reward=reward), random.uniform(0.0, 30.0, n))


def slowly(policy: Any, events: Events, kind: int, rate: float, seed: int) -> tuple[Any, Any]:
    """Return choices and probabilities of a walk that is written for reading, with a heap of arrivals."""
    n, size = len(events), events.actions.shape[1]
    memory = started(policy, size, events.actions.shape[2], events.fixed)
    luck = luck_of(seed)
    coins = generator(seed, "share").random(n)
    policy.restart(memory, draws.fork(luck, -1))
    coming: list[tuple[int, float, int, Any, Any, int]] = []
    choices, probabilities = [], np.zeros((n, size))
    open_: Any = (
        None  # the decision of the event before, if its reward is to be learnt and not there
    )
    for t in range(n):
        while coming and coming[0][0] <= t:
            before, _, s, action, made, past = heapq.heappop(coming)
            if before > s + 1:
                optional.settle(policy, memory, action, made, past)
            policy.learn(memory, action, made, float(events.reward[s]), past)
        if open_ is not None:
            optional.expect(policy, memory, *open_)
        actions, own = events.actions[t], draws.fork(luck, t)
        choice = policy.choose(memory, actions, own)
        choices.append(choice.arm)
        if hasattr(policy, "chances_in"):
            policy.chances_in(memory, actions, own, probabilities[t])
        else:
            probabilities[t, choice.arm] = 1.0
        a, p = int(events.chosen[t]), float(events.propensity[t])
        pi = probabilities[t, a]
        match kind:
            case 0:
                learns, propensity = True, p
            case 1:
                learns = coins[t] < rate * pi / p
                propensity = pi if hasattr(policy, "chances_in") else choice.propensity
            case _:
                learns = choice.arm == a
                propensity = pi if hasattr(policy, "chances_in") else choice.propensity
        made, past = as_played(choice, a, propensity), draws.fork(own)
        is_open = learns and events.arrivals.before[t] > t + 1
        open_ = (actions[a], made, past) if is_open else None
        if not learns and kind == SHARE:
            optional.tick(policy, memory)
        if learns and np.isfinite(events.reward[t]):
            when = (int(events.arrivals.before[t]), events.time[t] + events.arrivals.delay[t])
            heapq.heappush(coming, (*when, t, actions[a], made, past))
    return np.array(choices), probabilities


@pytest.mark.parametrize("kind", [ADVICE, SHARE, REPLAY])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_a_walk_is_the_one_written_for_reading(policy: Any, kind: int) -> None:
    events = late_events(3)
    choices, probabilities = slowly(policy, events, kind, 0.2, seed=5)
    compiled = walk(policy, events, kind, 0.2, seed=5)
    assert np.array_equal(compiled.choice, choices)
    assert np.array_equal(compiled.probabilities, probabilities)
    assert len(np.unique(choices)) > 1


@pytest.mark.parametrize("policy", POLICIES[:2], ids=lambda policy: type(policy).__name__)
def test_the_interpreter_walks_the_same_way(policy: Any) -> None:
    events = late_events(4)
    both = [walk(policy, events, SHARE, 0.2, is_interpreted=how) for how in (False, True)]
    for compiled, interpreted in zip(*both, strict=True):
        assert np.array_equal(compiled, interpreted)


@pytest.mark.parametrize("delay", [0, 7])
def test_on_its_own_log_a_policy_advises_what_it_chose(delay: int) -> None:
    """The log of an agent holds all that its luck and its memory were."""
    moving = linear_log(1, "switching", n=300)
    rows, noise = moving.events.actions, np.random.default_rng(0).standard_normal(300)
    agent = dw.Agent(dw.AdaptiveUCB(), dimension=4, seed=11, is_interpreted=True)
    made: list[dw.Decision] = []
    log: list[dict[str, Any]] = []
    for t in range(300):
        if t > delay:
            agent.learn(made[t - delay - 1], log[t - delay - 1]["reward"])
        decision = agent.choose(rows[t])
        made.append(decision)
        log.append(
            {"time": t, "decision_set": rows[t].tolist(), "action": decision.arm, "propensity": 1.0,
             "reward": float(moving.means[t, decision.arm] + noise[t]), "reward_time": t + delay + 0.5}
        )  # fmt: skip
    walked = walk(dw.AdaptiveUCB(), events_of(dw.Log(log)), ADVICE, seed=11)
    assert walked.choice.tolist() == [decision.arm for decision in made]


def accepted(n: int, seeds: range) -> tuple[Numbers, Numbers]:
    """Return how often each event is the policy's own, and how often with the arm it then chose."""
    events = linear_log(0, "stationary", n=n).events
    found: list[Walk] = [
        walk(dw.Exploring(dw.LinUCB(noise=0.5), share=0.5), events, SHARE, 0.1, seed=seed)
        for seed in seeds
    ]
    own = np.array([one.is_learnt for one in found], np.float64)
    expected = np.array(
        [0.1 * one.probabilities[np.arange(n), events.chosen] / events.propensity for one in found]
    )
    return own, expected


def test_an_event_is_accepted_by_its_coin() -> None:
    """Given the log, with probability c pi(a) / p: 400 walks of 100 events, within 4 standard errors."""
    own, expected = accepted(100, range(400))
    error = (own - expected).sum() / np.sqrt((expected * (1.0 - expected)).sum())
    assert abs(error) < 4.0


def test_what_cannot_be_encoded_is_named_with_its_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftwise.logs.frames.BATCH", 2)
    encoder = dw.features.Encoder(action={"price": dw.features.Number(5, 20)})
    prices: list[float | None] = [9.0, 8.0, 7.0, None]
    log = dw.Log({"action": 0, "reward": 1.0, "actions": [{"price": price}]} for price in prices)
    assert len(list(log.frames())) == 2
    with pytest.raises(TypeError, match=r"^event 3: action\.price must be a number, got None"):
        events_of(log, encoder)
