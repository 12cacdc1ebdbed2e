"""AdaptiveUCB on arms, told nothing: against its recursion; units, offsets, clicks, late rewards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.core.models.kalman.adaptive_arms import AdaptiveArms
from driftwise.core.models.kalman.adaptive_features import AdaptiveFeatures
from driftwise.core.models.kalman.adaptive_rows import AdaptiveRows
from driftwise.core.models.kalman.arm_filters import (
    CENTRE,
    DEVIATION,
    MEAN,
    MEAN_NOISE,
    RATIO,
    STALENESS,
)  # fmt: skip
from driftwise.core.models.kalman.mixture import NOISE, WEIGHT
from driftwise.core.randomness import draws
from driftwise.core.randomness.seeds import luck_of
from tests.making import BEYOND_SETTINGS
from tests.policies.adaptive_arms_twin import LOOK, OPTIMISM, UNSEEN, ArmsTwin
from tests.policies.near_ties import is_near_tie

pytestmark = BEYOND_SETTINGS

PlayOn = Callable[..., Iterator[Any]]
HORIZON = 700


def means_of(n_arms: int, horizon: int = HORIZON) -> Matrix:
    """Means that wind and jump, between 0 and 1."""
    t = np.linspace(0.0, 6.0, horizon)[:, None]
    waves = 0.5 + 0.4 * np.sin(t + 2.0 * np.arange(n_arms))
    return np.where(t < 3.0, waves, waves[:, ::-1])


def rounds_of(means: Matrix, rewards: Matrix) -> Rounds:
    n_arms = means.shape[1]
    return Rounds(np.eye(n_arms)[None], np.array([n_arms]), means, rewards)


def amounts(means: Matrix, noise: float = 0.2, seed: int = 1) -> Matrix:
    return means + noise * np.random.default_rng(seed).standard_normal(means.shape)


def clicks(means: Matrix, seed: int = 1) -> Matrix:
    return (np.random.default_rng(seed).random(means.shape) < means).astype(float)


def with_a_third_value(rewards: Matrix) -> Matrix:
    rewards = rewards.copy()
    rewards[200] = 0.25
    return rewards


WAVES = means_of(4)
REWARDS = {
    "amounts": amounts(WAVES),
    "amounts with an offset": 1e3 + amounts(WAVES),
    "clicks": clicks(WAVES),
    "rare clicks": clicks(0.1 * WAVES),
    "clicks that are worse": -3.0 * clicks(WAVES),
    "calm clicks": clicks(np.tile([0.6, 0.5, 0.45, 0.6], (HORIZON, 1))),
    "clicks, then amounts": with_a_third_value(clicks(WAVES)),
    "always the same": np.ones_like(WAVES),
    "no noise": WAVES,
    "outliers": amounts(WAVES) * np.where(np.random.default_rng(2).random(WAVES.shape) < 0.02, 40.0, 1.0),
}  # fmt: skip
# Nothing as it is by default, and all of it felt within some hundred rounds.
OTHER = dw.AdaptiveUCB(
    width=1.3, slowest_drift=1e-5, fastest_drift=1.0, drift_ratio=10.0, sharing=0.01, sharing_delay=40.0,
    doubt=0.9, error_cap=4.0, noise_cap=2.0, noise_memory=60.0, least_noise=0.1,
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "policy"),
    [*((name, dw.AdaptiveUCB()) for name in REWARDS), ("amounts", OTHER), ("calm clicks", OTHER)],
)
def test_plays_the_recursion(name: str, policy: dw.AdaptiveUCB, play_on: PlayOn) -> None:
    rewards = REWARDS[name]
    twin, seed, t, reasons = ArmsTwin(policy, 4), 5, 0, []
    for stretch in play_on(policy, rounds_of(WAVES, rewards), seed=seed, size=50):
        for arm in stretch.arms:
            reason, scores = twin.scores(np.zeros(4))
            # Around an offset of 1000 a mean has three digits less.
            is_near_tie(scores, arm, near=1e-9 * max(1.0, abs(rewards).max()))
            reasons.append(reason)
            luck = draws.fork(draws.fork(luck_of(seed), t))
            twin.observe(int(arm), float(rewards[t, arm]), 0.5 + draws.uniform(luck, 0))
            t += 1
        assert_same(stretch.memory, twin)
    assert t == HORIZON
    assert reasons.count(UNSEEN) == 4
    assert reasons.count(OPTIMISM) > 400
    if name in ("amounts", "amounts with an offset") or policy == OTHER:
        assert reasons.count(LOOK) >= 3
    assert twin.is_coin == (name in ("clicks", "clicks that are worse", "calm clicks"))


def assert_same(memory: AdaptiveArms, twin: ArmsTwin) -> None:
    filters, table = memory.filters, memory.filters.mixture.table
    for mine, theirs in [
        (filters.moments[MEAN], twin.m),
        (filters.moments[RATIO], twin.p),
        (table[WEIGHT], twin.w),
        (table[NOISE], table[NOISE] if twin.is_click else twin.R2),
        (filters.summary[CENTRE], twin.mean),
        (filters.summary[DEVIATION] ** 2, twin.C),
        (filters.summary[STALENESS], twin.U),
    ]:
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-9)


def test_late_rewards_count_while_they_are_in_flight(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    """The agent against the recursion, with what is in flight counted decision by decision."""
    rewards, policy = amounts(WAVES), dw.AdaptiveUCB()
    agent = dw.Agent(policy, n_arms=4, seed=4, is_interpreted=True)
    twin, n_late, reasons = ArmsTwin(policy, 4), 0, set()
    decisions, made_at = list[dw.Decision](), list[int]()
    flight, taken_off, ticks, delay, arrived = np.zeros(4), dict[int, int](), 0, 0.0, 0
    waiting: int | None = None  # the newest decision, if it has no reward

    def let_pass() -> None:
        nonlocal flight, ticks
        flight = flight * math.exp(-1 / (delay + 1))
        flight[flight <= 1e-9] = 0.0
        ticks += 1

    for t, come in enumerate(arrivals(HORIZON)):
        if waiting is not None:
            taken_off[waiting] = made_at[waiting]
            flight[decisions[waiting].arm] += 1.0
            let_pass()
        decisions.append(agent.choose())
        made_at.append(ticks)
        reason, scores = twin.scores(flight)
        is_near_tie(scores, decisions[t].arm)
        reasons.add(reason)
        waiting = t
        for s in come:
            arm = decisions[s].arm
            age = ticks - made_at[s]
            if taken_off.pop(s, None) is not None:
                flight[arm] = max(flight[arm] - math.exp(-age / (delay + 1)), 0.0)
                flight[flight <= 1e-9] = 0.0
                n_late += 1
            if age > 0 or flight.any():
                arrived += 1
                delay += (age - delay) / min(arrived, 1000)
                if age == 0:
                    let_pass()
            agent.learn(decisions[s], float(rewards[s, arm]))
            threshold = 0.5 + draws.uniform(draws.fork(decisions[s].luck), 0)
            twin.observe(arm, float(rewards[s, arm]), threshold)
            if s == t:
                waiting = None
        np.testing.assert_allclose(agent.memory.pending.flight, flight, rtol=1e-9, atol=1e-12)
        assert_same(agent.memory, twin)
    assert n_late > 200
    assert reasons == {UNSEEN, LOOK, OPTIMISM}


def arms_played(policy: Any, rewards: Matrix, seed: int, delay: int = 0) -> NDArray[np.int64]:
    """Return what an agent plays; with a delay, as if the world ended with the last reward."""
    agent = dw.Agent(policy, n_arms=rewards.shape[1], seed=seed, is_interpreted=True)
    decisions = []
    for t in range(len(rewards)):
        decisions.append(agent.choose())
        if t >= delay:
            late = decisions[t - delay]
            agent.learn(late, float(rewards[t - delay, late.arm]))
    return np.array([decision.arm for decision in decisions])


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6), power=st.integers(-20, 20), delay=st.sampled_from([0, 7]),
    kind=st.sampled_from([amounts, clicks]),
)  # fmt: skip
def test_units_do_not_matter(seed: int, power: int, delay: int, kind: Any) -> None:
    """Powers of two scale without rounding, so the choices are the same to the last tie."""
    rewards = kind(means_of(3, 150), seed=seed)
    plain = arms_played(dw.AdaptiveUCB(), rewards, seed, delay)
    scaled = arms_played(dw.AdaptiveUCB(), 2.0**power * rewards, seed, delay)
    np.testing.assert_array_equal(plain, scaled)


def regret_in(means: Matrix, rewards: Matrix, play_on: PlayOn, seed: int) -> float:
    (stretch,) = play_on(dw.AdaptiveUCB(), rounds_of(means, rewards), seed=seed)
    return float((means.max(1) - means[np.arange(len(means)), stretch.arms]).sum())


@pytest.mark.parametrize(
    ("scale", "offset"), [(1e-6, 0.0), (1e6, 0.0), (1.0, -10.0), (1.0, 200.0), (30.0, -6000.0)]
)
@pytest.mark.parametrize("kind", [amounts, clicks])
def test_neither_units_nor_offsets_cost_regret(
    scale: float, offset: float, kind: Any, play_on: PlayOn
) -> None:
    """Rounding may turn a tie; over some runs that costs nothing. The noise is 0.2, the offset 1000 x."""
    means, plain, other = means_of(3, 5000), 0.0, 0.0
    for seed in range(4):
        rewards = kind(means, seed=seed)
        plain += regret_in(means, rewards, play_on, seed)
        other += regret_in(means, scale * rewards + offset, play_on, seed)
    assert other <= 1.2 * plain


def test_a_late_reward_does_not_cost_what_it_did(play_on: PlayOn) -> None:
    """Told a bound, it does not count what is in flight: each look is repeated until it is learnt."""
    world = dw.worlds.Stationary(horizon=8000, parameter=[0.4, 0.5, 0.6], noise=0.3)
    for delay in (10, 100):
        told, free = (
            np.mean(
                [dw.simulate(policy, world, seed=s, delay=delay).total_regret for s in range(3)]
            )
            for policy in (dw.AdaptiveUCB(1.0), dw.AdaptiveUCB())
        )
        at_once = np.mean(
            [dw.simulate(dw.AdaptiveUCB(), world, seed=s).total_regret for s in range(3)]
        )
        # Nobody can know before the first rewards come: a third of the rounds with each arm.
        floor = 0.1 * delay
        assert free <= 1.5 * at_once + 3.0 * floor
        assert free < told / 2.0


def test_decisions_that_are_never_heard_of_fade() -> None:
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=2, is_interpreted=True)
    for _ in range(5):
        agent.choose()
    assert agent.memory.pending.flight.sum() > 0.4
    for _ in range(60):
        agent.learn(agent.choose(), 0.5)
    assert not agent.memory.pending.flight.any()
    unused = [array.copy() for array in arrays_in(agent.memory.pending)]
    agent.learn(agent.choose(), 0.5)
    for before, after in zip(unused, arrays_in(agent.memory.pending), strict=True):
        np.testing.assert_array_equal(before, after)


def test_rare_clicks_are_learnt() -> None:
    world = dw.worlds.World(
        parameters=np.tile([0.005, 0.01, 0.05], (30_000, 1)), decision_sets=np.eye(3), noise=0.0
    )
    (rounds,) = world.rounds(0, world.horizon)
    rewards = clicks(rounds.means)
    uniform = float((0.05 - rounds.means[0]).mean()) * world.horizon
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=3, seed=0)
    agent.warm_up()
    lost = 0.0
    for t in range(world.horizon):
        decision = agent.choose()
        lost += 0.05 - rounds.means[t, decision.arm]
        agent.learn(decision, float(rewards[t, decision.arm]))
    assert lost < uniform / 10
    told = agent.explain()
    assert "Rewards have been 0 or 1: they are taken for clicks." in told["summary"]
    rate = 0.05
    assert told["noise"] == pytest.approx(math.sqrt(rate * (1 - rate)), rel=0.1)
    assert told["estimate"][2] == pytest.approx(rate, rel=0.2)


@pytest.mark.parametrize("unit", [1.0, -2.5, 1e6])
def test_what_it_tells_is_in_units_of_reward(unit: float) -> None:
    rewards = clicks(np.tile([0.2, 0.5, 0.7], (400, 1)))
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=3, is_interpreted=True)
    for t in range(400):
        decision = agent.choose()
        agent.learn(decision, 3.0 + unit * float(rewards[t, decision.arm]))
    told = agent.explain()
    np.testing.assert_allclose(agent.estimate, told["estimate"])
    played = 2 if unit > 0 else 0
    rate = [0.2, 0.5, 0.7][played]
    assert told["estimate"][played] == pytest.approx(3.0 + unit * rate, abs=0.15 * abs(unit))
    assert told["noise"] == pytest.approx(abs(unit) * math.sqrt(rate * (1 - rate)), rel=0.2)
    decision = agent.choose()
    winner = told["actions"][decision.arm]
    assert told["winner"]["arm"] == decision.arm
    assert winner["upper_bound"] == pytest.approx(decision.value)


def test_what_it_tells_is_what_it_does(arrivals: Callable[[int], list[list[int]]]) -> None:
    """The winner that is told is played, late rewards or not; every reason comes up."""
    rewards, decisions, reasons = amounts(means_of(3, 400)), [], set()
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=3, is_interpreted=True)
    for come in arrivals(400):
        agent._expect_open(None)  # what the next choice tells first
        told = agent.explain()
        decisions.append(agent.choose())
        winner = told["winner"]
        reasons.add(winner["reason"])
        if winner["reason"] not in ("nothing known", "one of several equals"):
            assert winner["arm"] == decisions[-1].arm
            bound = told["actions"][winner["arm"]]["upper_bound"]
            assert bound == pytest.approx(decisions[-1].value)
        for s in come:
            agent.learn(decisions[s], float(rewards[s, decisions[s].arm]))
    assert reasons >= {
        "nothing known", "largest mean", "still uncertain", "probe: not seen for long",
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["amounts", "clicks", "no noise", "wild"])
def test_a_million_rounds_stay_finite(kind: str, play_on: PlayOn) -> None:
    means = means_of(3, 1_000_000)
    random = np.random.default_rng(3)
    rewards = means
    if kind == "wild":
        rewards = means * 10.0 ** random.integers(-100, 100, means.shape)
    elif kind != "no noise":
        rewards = amounts(means) if kind == "amounts" else clicks(0.02 * means)
    for stretch in play_on(dw.AdaptiveUCB(), rounds_of(means, rewards), seed=3, size=250_000):
        for array in arrays_in(stretch.memory):
            assert np.isfinite(array).all()
        filters = stretch.memory.filters
        assert filters.mixture.table[WEIGHT].sum() == pytest.approx(1.0, abs=1e-12)
        assert filters.moments[RATIO].min() >= 0.0
        assert filters.summary[STALENESS].min() >= 0.0
    if kind == "amounts":
        assert math.sqrt(filters.tally[MEAN_NOISE]) == pytest.approx(0.2, rel=0.2)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    rewards=st.lists(
        st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e-120, 1e100, -1e100, 3.0, 0.1]),
        min_size=40, max_size=120,
    )
)  # fmt: skip
def test_whatever_comes_beliefs_stay_beliefs(rewards: list[float]) -> None:
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=2, is_interpreted=True)
    waiting = []
    for t, reward in enumerate(rewards):
        decision = agent.choose()
        waiting.append((decision, reward))
        if t % 3 != 1:
            agent.learn(*waiting.pop(t % len(waiting)))
        for array in arrays_in(agent.memory):
            assert np.isfinite(array).all()
        table = agent.memory.filters.mixture.table
        assert table[WEIGHT].sum() == pytest.approx(1.0, abs=1e-9)


def test_the_layout_follows_what_was_told() -> None:
    def memory(policy: Any, rows: Any) -> Any:
        return dw.Agent(policy, decision_set=rows, is_interpreted=True).memory

    axes, free = 3.0 * np.eye(3)[[1, 2, 0]], dw.AdaptiveUCB()
    assert isinstance(memory(free, axes), AdaptiveArms)
    assert isinstance(memory(dw.AdaptiveUCB(action_norm=3.0), axes), AdaptiveArms)
    assert isinstance(memory(dw.AdaptiveUCB(parameter_norm=1.0), axes), AdaptiveRows)
    for rows in (
        np.eye(3)[[0, 1]],
        np.eye(3)[[0, 1, 1]],
        np.diag([1.0, 0.0, 1.0]),
        np.ones((3, 3)),
    ):
        assert isinstance(memory(free, rows), AdaptiveFeatures)


def test_lengths_of_arms_count_in_the_estimate_alone() -> None:
    rewards, lengths = amounts(means_of(3, 200)), np.array([2.0, -4.0, 0.5])
    plain, long = (
        dw.Agent(dw.AdaptiveUCB(), decision_set=rows, is_interpreted=True)
        for rows in (np.eye(3), np.diag(lengths)[[2, 0, 1]])
    )
    for reward in rewards:
        decisions = plain.choose(), long.choose()
        assert decisions[0].arm == decisions[1].arm
        for agent, decision in zip((plain, long), decisions, strict=True):
            agent.learn(decision, float(reward[decision.arm]))
    expected: Vector = plain.estimate[[1, 2, 0]] / lengths
    np.testing.assert_allclose(long.estimate, expected)


def test_a_record_without_a_time_is_refused() -> None:
    agent = dw.Agent(dw.AdaptiveUCB(), n_arms=2, is_interpreted=True)
    decision = agent.choose()
    for choice in (decision.choice[:3], (*decision.choice[:3], -1), (*decision.choice[:3], 0.5)):
        record = dw.extend.Choice(*choice) if len(choice) == 3 else type(decision.choice)(*choice)
        with pytest.raises(ValueError, match="decision must be unchanged"):
            agent.learn(decision._replace(choice=record), 0.5)


def test_nothing_changed() -> None:
    """Runs with a known outcome; taken over when the recursion agreed."""
    world = dw.worlds.Sinusoid(horizon=3000, variation=1.0, noise=0.1)
    run = dw.simulate(dw.AdaptiveUCB(), world, seed=0)
    assert run.total_regret == pytest.approx(8.451057331472656, rel=1e-9)
    late = dw.simulate(dw.AdaptiveUCB(), world, seed=0, delay=dw.delays.Geometric(30))
    assert late.total_regret == pytest.approx(24.035250112294474, rel=1e-9)
