"""AdaptiveUCB on arms, told nothing: units, offsets, rare clicks, rounds by the million."""

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
from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.records import arrays_in
from driftwise.core.models.kalman.arm_filters import MEAN_NOISE, RATIO, STALENESS
from driftwise.core.models.kalman.mixture import WEIGHT
from tests.making import BEYOND_SETTINGS
from tests.policies.wavy_arms import amounts, clicks, means_of, rounds_of, sales

pytestmark = BEYOND_SETTINGS

PlayOn = Callable[..., Iterator[Any]]


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


@pytest.mark.parametrize("outlier", [1e9, -1e9])
@pytest.mark.parametrize("rewards_of", [amounts, clicks])
def test_one_reward_in_another_unit_is_got_over(
    rewards_of: Callable[..., Any], outlier: float, play_on: PlayOn
) -> None:
    """Its arm may be shunned after so large a loss; but the noise of the others is what it was."""
    means, plain, other = means_of(3, 10_000), 0.0, 0.0
    for seed in range(4):
        rewards = rewards_of(means, seed=seed)
        usual = float((rewards - means).std())
        plain += regret_in(means, rewards, play_on, seed)
        rewards[2500] += outlier
        other += regret_in(means, rewards, play_on, seed)
        for stretch in play_on(dw.AdaptiveUCB(), rounds_of(means, rewards), seed=seed):
            noise = math.sqrt(stretch.memory.filters.tally[MEAN_NOISE])
        assert noise == pytest.approx(usual, rel=0.2)
    assert outlier < 0.0 or other < 2.0 * plain


def test_the_noise_of_sales_is_that_of_all_rewards(play_on: PlayOn) -> None:
    """Most are 0: errors that are capped would see a third of it."""
    means = np.tile([0.2, 0.4, 0.5], (10_000, 1))
    rewards = sales(means)
    for stretch in play_on(dw.AdaptiveUCB(), rounds_of(means, rewards), seed=1):
        noise = math.sqrt(stretch.memory.filters.tally[MEAN_NOISE])
    assert noise == pytest.approx(rewards[:, 2].std(), rel=0.2)


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
