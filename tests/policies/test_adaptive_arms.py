"""AdaptiveUCB on arms, told nothing: against its recursion, clicks and late rewards too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.records import arrays_in
from driftwise.core.models.kalman.adaptive_arms import AdaptiveArms
from driftwise.core.models.kalman.adaptive_features import AdaptiveFeatures
from driftwise.core.models.kalman.adaptive_rows import AdaptiveRows
from driftwise.core.models.kalman.arm_filters import CENTRE, DEVIATION, MEAN, RATIO, STALENESS
from driftwise.core.models.kalman.mixture import NOISE, WEIGHT
from driftwise.core.randomness import draws
from driftwise.core.randomness.seeds import luck_of
from tests.making import BEYOND_SETTINGS
from tests.policies.adaptive_arms_twin import LOOK, OPTIMISM, UNSEEN, ArmsTwin
from tests.policies.near_ties import is_near_tie
from tests.policies.wavy_arms import HORIZON, amounts, clicks, means_of, rounds_of, sales

pytestmark = BEYOND_SETTINGS

PlayOn = Callable[..., Iterator[Any]]


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
    "sales": sales(WAVES),
    "one in another unit": np.where(np.arange(HORIZON)[:, None] == 400, 1e9, amounts(WAVES)),
    "a click in another unit": np.where(np.arange(HORIZON)[:, None] == 400, -1e9, clicks(WAVES)),
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
