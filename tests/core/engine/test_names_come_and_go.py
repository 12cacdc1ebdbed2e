"""Named actions that come and go, against a dictionary of regressions written for reading."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import driftwise as dw
from driftwise.features import Constant, Encoder, Number, PerAction
from tests.core.agents import bits
from tests.core.encoded import SHOP, moved, offers
from tests.core.hostile import POLICIES
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

# Each name has a model of its own, and nothing is shared.
DISJOINT = Encoder(
    context={"one": Constant(alone=False), "load": Number(0, 1, alone=False)},
    per_action=PerAction(["context.one", "context.load"], places=3),
)
CHANGING = [name for name, policy in POLICIES.items() if policy.card.plays == "actions"]


class Round(NamedTuple):
    """What is remembered of a reward."""

    number: int  # rewards that came before it, of whatever name
    row: NDArray[np.float64]
    reward: float


class Separate:
    """A list of rounds for each name: forgetting a name is forgetting its list."""

    def __init__(self, weight: Callable[[int], float], ridge: float = 1.0) -> None:
        self.rounds: dict[str, list[Round]] = {}
        self.weight, self.ridge, self.n_rewards = weight, ridge, 0

    def learn(self, name: str, row: NDArray[np.float64], reward: float) -> None:
        self.rounds.setdefault(name, []).append(Round(self.n_rewards, row, reward))
        self.n_rewards += 1

    def forget(self, name: str) -> None:
        self.rounds.pop(name, None)

    def bound(self, name: str, row: NDArray[np.float64], radius: float) -> float:
        gram, noise, response = self.ridge * np.eye(2), self.ridge * np.eye(2), np.zeros(2)
        for number, x, reward in self.rounds.get(name, []):
            weight = self.weight(self.n_rewards - 1 - number)
            gram += weight * np.outer(x, x)
            noise += weight * weight * np.outer(x, x)
            response += weight * reward * x
        inverse = np.linalg.inv(gram)
        shape = inverse @ noise @ inverse if self.weight(1) not in (0.0, 1.0) else inverse
        return float(row @ inverse @ response + radius * math.sqrt(row @ shape @ row))


@pytest.mark.parametrize(
    ("policy", "weight"),
    [
        (dw.SlidingWindowUCB(window=25, noise=0.1), lambda age: float(age < 25)),
        (dw.LinUCB(noise=0.1), lambda age: 1.0),
        (dw.DiscountedLinUCB(discount=0.95, noise=0.1), lambda age: 0.95**age),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("seed", range(3))
def test_against_a_dictionary_of_regressions(
    policy: Any, weight: Callable[[int], float], seed: int
) -> None:
    agent = dw.Agent(policy, encoder=DISJOINT, is_interpreted=True)
    twin, rng = Separate(weight), np.random.default_rng(seed)
    here, n_came = ["a", "b"], 0
    waiting: list[tuple[int, dw.Decision]] = []  # rewards come late
    life = {"a": 0, "b": 0}  # of each name, how often it was forgotten
    for _ in range(120):
        if rng.random() < 0.15 and len(here) == 3:
            gone = str(rng.choice(here))
            here.remove(gone)
            if gone in agent._dictionaries.roster:  # type: ignore[union-attr,operator]  # has one
                agent.forget(gone)
                twin.forget(gone)
            life[gone] += 1
        elif len(here) < 3:
            n_came += 1
            here.append("abcde"[n_came % 5] if "abcde"[n_came % 5] not in here else f"new{n_came}")
            life.setdefault(here[-1], 0)
        load = float(rng.random())
        row = np.array([1.0, 2.0 * load - 1.0]) / math.sqrt(2.0)
        radius = float(agent.memory.radius[0])
        decision = agent.choose(context={"load": load}, actions={name: {} for name in here})
        agent.give_up(decision)  # the twin counts nothing in flight
        bounds = {name: twin.bound(name, row, radius) for name in here}
        assert bounds[decision.name or ""] == pytest.approx(max(bounds.values()), abs=1e-8)
        assert decision.value == pytest.approx(bounds[decision.name or ""], abs=1e-8)
        waiting.append((life[decision.name or ""], decision))
        while len(waiting) > 3:
            lived, late = waiting.pop(int(rng.integers(len(waiting))))
            reward = float(rng.normal())
            agent.learn(late, reward)
            name = late.name or ""
            if lived == life[name]:  # otherwise it was forgotten since
                twin.learn(name, late.action[late.action != 0][:2], reward)
    assert max(life.values()) > 0


@pytest.mark.parametrize("name", CHANGING)
def test_every_policy_forgets_and_goes_on(name: str) -> None:
    agent = moved(POLICIES[name])
    agent.forget("red")
    assert "red" not in agent._dictionaries.roster  # type: ignore[union-attr,operator]  # has one
    columns = SHOP.columns_of(1)
    if hasattr(agent.policy, "estimate_in"):
        assert not agent.estimate[columns].any()
    twin = dw.Agent.from_bytes(agent.to_bytes())
    for each in (agent, twin):
        decision = each.choose(context={"load": 0.5}, actions={"new": {"price": 9.0}})
        assert decision.place == (1, 1)
        each.learn(decision, 0.7)
    assert bits(agent) == bits(twin)


@pytest.mark.parametrize(
    "name", ["LinUCB", "DiscountedLinUCB", "AdaptiveUCB, told", "DiscountedLinTS"]
)
def test_the_others_are_known_as_well_as_before(name: str) -> None:
    agent = moved(POLICIES[name])
    kept = np.r_[0 : SHOP.columns_of(1).start, SHOP.columns_of(1).stop : SHOP.dimension]
    before, spread = agent.estimate, agent.policy.belief_in(agent.memory).spread  # type: ignore[attr-defined]  # has one
    agent.forget("red")
    after = agent.policy.belief_in(agent.memory).spread  # type: ignore[attr-defined]  # as above
    assert agent.estimate[kept] == pytest.approx(before[kept], rel=1e-9)
    assert after[np.ix_(kept, kept)] == pytest.approx(spread[np.ix_(kept, kept)], rel=1e-9)
    fresh = dw.Agent(POLICIES[name], encoder=SHOP, is_interpreted=True)
    empty = fresh.policy.belief_in(fresh.memory).spread  # type: ignore[attr-defined]  # as above
    own = np.arange(SHOP.columns_of(1).start, SHOP.columns_of(1).stop)
    assert after[np.ix_(own, own)] == pytest.approx(empty[np.ix_(own, own)])
    assert not after[np.ix_(own, kept)].any()


def test_the_others_are_known_as_well_as_before_in_any_units() -> None:
    agent = moved(dw.AdaptiveUCB())
    own = np.zeros(SHOP.dimension, bool)
    own[SHOP.columns_of(1)] = True
    estimate, errors, constants = agent.memory.parameters()
    assert estimate[own].any()
    agent.forget("red")
    after = agent.memory.parameters()
    assert after[0][~own].tolist() == estimate[~own].tolist()
    assert after[1][~own].tolist() == errors[~own].tolist()
    assert after[2].tolist() == constants.tolist()
    assert not after[0][own].any()


@pytest.mark.parametrize("name", ["SlidingWindowUCB", "SlidingWindowGLMUCB"])
def test_a_window_drops_the_rounds_of_a_forgotten_name(name: str) -> None:
    agent = moved(POLICIES[name])
    agent.forget("red")
    other = dw.Agent(POLICIES[name], encoder=SHOP, is_interpreted=True)
    rng = np.random.default_rng(4)
    for _ in range(60):
        context, actions = offers(rng)
        named = str(rng.choice(list(actions)))
        reward = float(rng.random())
        if named == "red":
            other.policy.tick(other.memory)  # type: ignore[attr-defined]  # has one
        else:
            other.observe(actions[named], reward, context=context, name=named)
    if name == "SlidingWindowUCB":
        assert agent.estimate == pytest.approx(other.estimate, abs=1e-10)
    ours, theirs = (each.memory.regression.error_shape() for each in (agent, other))
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_late_reward_of_a_forgotten_name_teaches_nothing() -> None:
    agent = moved(dw.LinUCB(noise=0.1))
    decision = agent.choose(context={"load": 0.5}, actions={"red": {"price": 9.0}})
    agent.forget("red")
    before = bits(agent)
    agent.learn(decision, 5.0)
    again = agent.choose(context={"load": 0.5}, actions={"red": {"price": 9.0}})
    agent.learn(decision, 5.0)  # the same name, but another life
    assert bits(agent) == before
    agent.learn(again, 5.0)
    assert bits(agent) != before


@pytest.mark.parametrize(
    ("encoder", "name", "message"),
    [
        (SHOP, "grey", "action must be one of blue, red, got 'grey'"),
        (Encoder(action={"price": Number(0, 1)}), "blue", "whose encoder has terms per action"),
        (None, "blue", "whose encoder has terms per action"),
    ],
)
def test_what_cannot_be_forgotten(encoder: Any, name: str, message: str) -> None:
    offered: Any = {"dimension": 2} if encoder is None else {"encoder": encoder}
    agent = dw.Agent(dw.LinUCB(noise=0.1), **offered)
    before = agent.to_bytes()
    with pytest.raises((TypeError, ValueError), match=message):
        agent.forget(name)
    assert agent.to_bytes() == before


class Count(NamedTuple):
    """A policy from outside that says nothing about coordinates."""

    unused: int = 0

    def start(self, n_arms: int, dimension: int, fixed: Any) -> Any:
        return Counts(np.zeros(dimension))

    def restart(self, memory: Any, luck: int) -> None:
        memory.sums[:] = 0.0

    def choose(self, memory: Any, actions: Any, luck: int) -> Any:
        return dw.extend.Choice(0, 1.0, math.nan)

    def learn(self, memory: Any, action: Any, choice: Any, reward: float, luck: int) -> None:
        memory.sums[:] += action


class Counts(NamedTuple):
    sums: Any


def test_a_policy_that_cannot_forget_says_so() -> None:
    agent = dw.Agent(Count(), encoder=SHOP, is_interpreted=True)
    agent.observe({"price": 9.0}, 1.0, context={"load": 0.5}, name="red")
    before = bits(agent)
    rule = "policy must be able to forget coordinates .* got a Count, whose Counts has no methods"
    with pytest.raises(TypeError, match=rule):
        agent.forget("red")
    with pytest.raises(TypeError, match=rule):
        agent.extended(SHOP)
    assert bits(agent) == before
