"""CORRAL against its update, solved in plain sight, over policies of different classes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import typeof

import driftwise as dw
from driftwise.core.base.arrays import Vector
from driftwise.core.base.card import plays_arms
from driftwise.core.compiler.compiled import _classes_in
from driftwise.core.contract.records import arrays_in, from_plain, to_plain
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of

PlayOn = Callable[..., Iterator[Any]]

MIXED = (dw.LinUCB(noise=0.1), dw.Exp3(mixing=0.2), dw.RestartUCB(restart_every=30, noise=0.1))
LINEAR = (dw.LinUCB(noise=0.1), dw.SlidingWindowUCB(window=40, noise=0.1))


class Twin:
    """p, pbar, eta and rho of all bases."""

    def __init__(self, policy: dw.Corral) -> None:
        self.policy, n = policy, len(policy.bases)
        self.p = self.chances = np.full(n, 1 / n)
        self.eta, self.rho = np.full(n, policy.rate), np.full(n, 2.0 * n)
        self.n_grown = 0

    def learn(self, drawn: int, chance: float, reward: float) -> None:
        losses = np.zeros(len(self.p))
        losses[drawn] = (1 - reward) / chance
        low, high = losses.min(), losses.max()
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if self.excess(losses, middle) > 0 else (middle, high)
        self.p = 1 / (1 / self.p + self.eta * (losses - low))
        gamma = self.policy.mixing
        self.chances = (1 - gamma) * self.p + gamma / len(self.p)
        for i in np.flatnonzero(1 / self.chances > self.rho):
            self.rho[i] = 2 / self.chances[i]
            self.eta[i] *= self.policy.growth
            self.n_grown += 1

    def excess(self, losses: Vector, lam: float) -> float:
        inverse = 1 / self.p + self.eta * (losses - lam)
        return math.inf if inverse.min() <= 0 else float(np.sum(1 / inverse)) - 1


CASES = {
    "mixed": dw.Corral(MIXED, 0.5, 0.02, 1.3),
    "mixed, not weighted": dw.Corral(MIXED, 0.5, 0.02, 1.3, False),
    "linear": dw.Corral(LINEAR, 0.3, 0.05, 1.5),
    "one": dw.Corral((dw.LinUCB(noise=0.1),), 0.3, 0.05, 1.5),
}


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_is_its_twin(name: str, is_late: bool, arrivals: Callable[[int], list[list[int]]]) -> None:
    policy, random, horizon = CASES[name], np.random.default_rng(4), 250
    agent = dw.Agent(policy, n_arms=3, seed=8, is_interpreted=True)
    twin, memories = Twin(policy), [base.start(3, 3, np.eye(3)) for base in policy.bases]
    for base, memory in zip(policy.bases, memories, strict=True):
        base.restart(memory, 0)  # these bases draw nothing here
    schedule = arrivals(horizon) if is_late else [[t] for t in range(horizon)]
    decisions, rewards = [], []
    for t, come in enumerate(schedule):
        decision = agent.choose()
        agent.give_up(decision)  # nothing is in flight: see test_flight.py for that
        choice, luck = decision.choice, fork(luck_of(8), t)
        assert choice.drawn == np.argmax(np.cumsum(twin.chances) > uniform(luck, 0))
        assert choice.chance == pytest.approx(twin.chances[choice.drawn], rel=1e-9)
        luck = fork(luck)
        for j, (base, memory) in enumerate(zip(policy.bases, memories, strict=True)):
            assert choice.bases[j] == base.choose(memory, np.eye(3), fork(luck))
            luck = fork(luck, 1)
        assert decision.arm == choice.bases[choice.drawn].arm
        assert decision.value == pytest.approx(choice.bases[choice.drawn].value, nan_ok=True)
        decisions.append(decision)
        rewards.append(
            float(np.roll([0.9, 0.4, 0.1], t // 60)[decision.arm]) + random.normal(0, 0.05)
        )
        for i in come:
            agent.learn(decisions[i], rewards[i])
            old = decisions[i].choice
            seen = rewards[i] / old.chance if policy.is_weighted else rewards[i]
            policy.bases[old.drawn].learn(
                memories[old.drawn], decisions[i].action, old.bases[old.drawn], seen, 0
            )
            twin.learn(old.drawn, old.chance, rewards[i])
        ours = agent.memory
        np.testing.assert_allclose(ours.shares, twin.p, rtol=1e-9)
        np.testing.assert_allclose(ours.chances, twin.chances, rtol=1e-9)
        np.testing.assert_allclose(ours.rates, twin.eta, rtol=1e-12)
        for mine, wanted in zip(arrays_in(ours.bases), arrays_in(tuple(memories)), strict=True):
            np.testing.assert_array_equal(mine, wanted)
    assert {decision.choice.drawn for decision in decisions} == set(range(len(policy.bases)))
    assert (twin.n_grown > 0) == (len(policy.bases) > 1)


@pytest.mark.slow
def test_interpreter_and_compiler_agree_over_different_classes() -> None:
    """`test_checks` has three of one class."""
    arms = (dw.UCB1(), dw.Exp3(mixing=0.2), dw.EpsilonGreedy(0.1))
    dw.checks.check_policy(dw.Corral(arms, 0.3, 0.05, 1.5), is_thorough=False)


def test_the_propensity_is_how_often_the_row_is_played() -> None:
    bases = (dw.LinUCB(noise=0.01), dw.SlidingWindowUCB(window=3, noise=0.01))
    policy, random = dw.Corral(bases, 0.3, 0.05, 1.5, False), np.random.default_rng(1)
    memory = policy.start(0, 3, None)
    policy.restart(memory, 0)
    n_split = 0
    for t in range(40):
        rows = random.standard_normal((4, 3))
        choices = [policy.choose(memory, rows, luck_of(s)) for s in range(300 if t > 34 else 1)]
        chosen = {choice.arm: choice.propensity for choice in choices}
        if t > 34:
            assert sum(chosen.values()) == pytest.approx(1.0)
            n_split += len(chosen) == 2
            for arm, propensity in chosen.items():
                share = np.mean([choice.arm == arm for choice in choices])
                assert abs(share - propensity) <= 4 * math.sqrt(0.25 / 300)
        reward = float(rows[choices[0].arm] @ [0.5, -0.2, 0.1 * (t // 20)])
        policy.learn(memory, rows[choices[0].arm], choices[0], reward, 0)
    assert n_split > 0
    # Whether an arm that one base drew might have been drawn by another is not known.
    agent = dw.Agent(CASES["mixed"], n_arms=3, is_interpreted=True)
    decisions = []
    for _ in range(30):
        decisions.append(agent.choose())
        agent.give_up(decisions[-1])  # in flight, it would decide between arms that tie
    agreed = [len({choice.arm for choice in d.choice.bases}) == 1 for d in decisions]
    assert [not math.isnan(d.propensity) for d in decisions] == agreed
    assert len(set(agreed)) == 2


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from([1.0, 1e6, 1e100]),
    rate=st.sampled_from([1e-30, 0.1, 1e100]),
    mixing=st.sampled_from([1e-15, 0.1, 1.0]),
    is_weighted=st.booleans(),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_shares_stay_a_distribution_whatever_is_earned(
    play_on: PlayOn, seed: int, size: float, rate: float, mixing: float, is_weighted: bool
) -> None:
    rewards = size * np.random.default_rng(seed).uniform(-1, 1, (60, 2))
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), rewards, rewards)
    policy = dw.Corral((dw.UCB1(), dw.LinUCB(0.1), dw.Uniform()), rate, mixing, 10.0, is_weighted)
    for stretch in play_on(policy, rounds, seed=seed, size=7, is_compiled=False):
        memory = stretch.memory
        assert memory.shares.sum() == pytest.approx(1.0)
        assert memory.chances.sum() == pytest.approx(1.0)
        assert memory.shares.min() > 0.0
        assert all(np.isfinite(array).all() for array in arrays_in(memory))


def test_a_base_that_earns_more_is_drawn_more_often(play_on: PlayOn) -> None:
    rewards = np.tile([0.1, 0.9], (3000, 1))
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), rewards, rewards)
    good, poor = dw.LinUCB(noise=0.1), dw.Uniform()
    policy = dw.Corral.tuned(horizon=3000, noise=0.1, bases=(poor, good))
    (stretch,) = play_on(policy._replace(is_weighted=False), rounds, seed=1, is_compiled=False)
    assert stretch.memory.chances[1] > 0.8


def test_bases_are_a_tuple_however_they_were_given() -> None:
    policy = CASES["mixed"]
    listed = policy._replace(bases=list(MIXED))
    assert listed == policy
    assert hash(listed) == hash(policy)
    assert type(listed.bases) is tuple
    assert policy != policy._replace(bases=MIXED[:2])
    assert from_plain(json.loads(json.dumps(to_plain(policy)))) == policy


def test_it_plays_arms_if_one_base_does() -> None:
    assert plays_arms(CASES["mixed"])
    assert not plays_arms(CASES["linear"])
    assert plays_arms(dw.Corral((CASES["mixed"], dw.LinUCB(0.1)), 0.1, 0.1, 1.5))
    with pytest.raises(ValueError, match="Corral plays arms, so the decision set must be the same"):
        dw.simulate(CASES["mixed"], dw.worlds.AbruptCircle())


def test_machine_code_depends_on_every_base() -> None:
    """So that an edit of any of them is noticed; see `driftwise.core.compiler.reach`."""
    memory = CASES["mixed"].start(3, 3, np.eye(3))
    found = set(_classes_in([typeof(CASES["mixed"]), typeof(memory)]))
    assert {dw.Corral, *map(type, MIXED), *map(type, memory.bases)} <= found


def test_a_decision_set_without_rows_is_refused() -> None:
    """The bases would write their points into one row."""
    with pytest.raises(ValueError, match="Corral chooses among rows"):
        dw.Agent(CASES["linear"], decision_set=dw.UnitBall(2))


def test_a_damaged_choice_is_refused() -> None:
    agent = dw.Agent(CASES["mixed"], n_arms=3, is_interpreted=True)
    decision = agent.choose()
    inner = decision.choice.bases
    other = tuple(each._replace(arm=(decision.arm + 1) % 3) for each in inner)
    for damage in (
        {"drawn": 3},
        {"drawn": -1},
        {"chance": 0.0},
        {"chance": math.nan},
        {"chance": 1.5},
        {"bases": inner[:2]},
        {"bases": other},
        {"bases": (inner[0], inner[1]._replace(propensity=0.0), inner[2])},
    ):
        with pytest.raises(
            ValueError, match="decision must be unchanged since `choose` returned it"
        ):
            agent.learn(decision._replace(choice=decision.choice._replace(**damage)), 1.0)
    agent.learn(decision, 1.0)


def test_tuned() -> None:
    policy = dw.Corral.tuned(horizon=10_000, noise=0.1)
    assert policy.bases == tuple(
        dw.SlidingWindowUCB(window, 0.1, confidence=1e-4) for window in (100, 1000, 10_000)
    )
    assert policy[1:] == (math.sqrt(3e-4), 1e-4, math.exp(1 / math.log(10_000)), 1)
    assert dw.Corral.tuned(horizon=1, noise=0.1).growth < 10.0


@pytest.mark.slow
def test_nothing_changed() -> None:
    world = dw.worlds.Switching(horizon=3000, n_changes=5, noise=0.1)
    policy = dw.Corral.tuned(horizon=3000, noise=0.1)
    run = dw.simulate(policy, world, seed=0)
    assert run.total_regret == pytest.approx(77.03283915134658, rel=1e-9), run.total_regret


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"bases": ()}, "bases must be a tuple of policies, got"),
        ({"bases": dw.UCB1()}, "bases must be a tuple of policies, got"),
        ({"bases": 5}, "bases must be a tuple of policies, got 5"),
        ({"bases": (dw.UCB1(), to_plain)}, "bases must be a .* got"),
        ({"rate": 0.0}, "rate must be above 0, got 0.0"),
        ({"mixing": 0.0}, r"mixing must be in \(0, 1\], got 0.0"),
        ({"growth": 0.5}, "growth must be at least 1, got 0.5"),
        ({"growth": 11.0}, "growth must not exceed 10, got 11.0"),
        ({"is_weighted": 2}, "is_weighted must be True or False, got 2"),
    ],
)
def test_bad_settings(setting: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        CASES["mixed"]._replace(**setting)
