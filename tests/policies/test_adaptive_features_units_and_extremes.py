"""AdaptiveUCB on vectors, told nothing: units, offsets, no noise, whatever comes, rounds by the million."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.core.models.kalman.adaptive_features import AdaptiveFeatures
from driftwise.core.models.kalman.mixture import WEIGHT
from tests.policies.winding import rounds_of

PlayOn = Callable[..., Iterator[Any]]


def arms_of(actions: Matrix, rewards: Matrix, delay: int = 0) -> list[int]:
    agent = dw.Agent(dw.AdaptiveUCB(), dimension=actions.shape[2], is_interpreted=True)
    decisions = list[dw.Decision]()
    for t in range(len(rewards)):
        decisions.append(agent.choose(actions[t]))
        if t >= delay:
            agent.learn(decisions[t - delay], float(rewards[t - delay, decisions[t - delay].arm]))
    return [decision.arm for decision in decisions]


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    kind=st.sampled_from(["changing", "sparse", "clicks"]), power=st.integers(-20, 20),
    powers=st.lists(st.integers(-10, 10), min_size=3, max_size=3), delay=st.sampled_from([0, 5]),
)  # fmt: skip
def test_units_do_not_matter(kind: str, power: int, powers: list[int], delay: int) -> None:
    """Powers of two scale without rounding, so the choices are the same to the last tie."""
    rounds = rounds_of(kind)
    actions, rewards = rounds.actions[:140], rounds.rewards[:140]
    plain = arms_of(actions, rewards, delay)
    assert arms_of(actions * 2.0 ** np.array(powers), 2.0**power * rewards, delay) == plain


def regret(
    scale: float,
    offset: float,
    sizes: list[float],
    seed: int,
    outlier: tuple[int, float] = (0, 0.0),
    policy: type[Any] = dw.AdaptiveUCB,
) -> float:
    random = np.random.default_rng(seed)
    sets = random.uniform(-1, 1, (3000, 6, 4))
    means = np.einsum("tki,ti->tk", sets, np.repeat(random.standard_normal((3, 4)) / 2, 1000, 0))
    rewards = scale * (means + 0.2 * random.standard_normal(means.shape)) + offset
    rewards[outlier[0]] += outlier[1]
    agent, lost = dw.Agent(policy(), dimension=4, seed=seed), 0.0
    agent.warm_up()
    for t in range(3000):
        decision = agent.choose(sets[t] * sizes)
        agent.learn(decision, float(rewards[t, decision.arm]))
        lost += float(means[t].max() - means[t, decision.arm])
    return lost


@pytest.mark.parametrize(
    ("scale", "offset", "sizes"),
    [
        (1e-6, 0.0, [1.0] * 4), (1e6, 0.0, [1.0] * 4), (1.0, 10.0, [1.0] * 4), (1.0, -800.0, [1.0] * 4),
        (1.0, 0.0, [1e3] * 4), (1.0, 0.0, [1e-3] * 4), (1.0, 0.0, [1e3, 1.0, 1e-3, 30.0]),
    ],
)  # fmt: skip
def test_neither_units_nor_offsets_cost_regret(
    scale: float, offset: float, sizes: list[float]
) -> None:
    plain = sum(regret(1.0, 0.0, [1.0] * 4, seed) for seed in range(2))
    other = sum(regret(scale, offset, sizes, seed) for seed in range(2))
    assert other <= 1.2 * plain


@pytest.mark.parametrize("outlier", [(0, 1e9), (10, -1e9), (40, 1e6), (700, 1e9), (700, -1e9)])
def test_one_reward_in_another_unit_is_got_over(outlier: tuple[int, float]) -> None:
    """Before it was, it was as bad as choosing at random for good."""
    random = sum(regret(1.0, 0.0, [1.0] * 4, seed, policy=dw.Uniform) for seed in range(2))
    other = sum(regret(1.0, 0.0, [1.0] * 4, seed, outlier) for seed in range(2))
    assert other < random / 10.0


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([0.0, 1e-310, 1e-150, 1e-3, 30.0, 1e6, 1e30]),
    reward=st.sampled_from([0.0, 1e-310, 1e-50, 1.0, 1e8, 1e99]),
    are_clicks=st.booleans(),
)  # fmt: skip
def test_beliefs_stay_beliefs(seed: int, size: float, reward: float, are_clicks: bool) -> None:
    """Whatever comes: finite numbers, weights that sum to 1, covariances without negative parts."""
    random = np.random.default_rng(seed)
    agent = dw.Agent(dw.AdaptiveUCB(), dimension=3, is_interpreted=True)
    waiting = []
    for t in range(140):
        sizes = random.choice([1.0, 1.0, size], (4, 3))
        waiting.append(agent.choose(sizes * random.uniform(-1, 1, (4, 3))))
        if t % 3 > 0:
            late = waiting.pop(int(random.integers(len(waiting))))
            size_of_one = 1.0 if are_clicks else random.standard_normal()
            agent.learn(late, float(random.choice([1.0, reward]) * size_of_one))
        assert_sound(agent.memory)


def assert_sound(memory: AdaptiveFeatures) -> None:
    for array in arrays_in(memory):
        assert np.isfinite(array).all()
    assert memory.mixture.table[WEIGHT].sum() == pytest.approx(1.0, abs=1e-9)
    lower = memory.filters.banks.spreads[0].transpose(2, 0, 1)
    spreads = lower + np.tril(lower, -1).transpose(0, 2, 1)
    for matrix in (*spreads, *memory.filters.covariances()):
        values = np.linalg.eigvalsh(matrix)
        assert values[0] >= -1e-12 * max(values[-1], 1.0)


@pytest.mark.parametrize("n_rows", [1, 2, 4])
@pytest.mark.parametrize("size", [0.0, 1.0])
def test_rewards_without_noise_leave_beliefs_sound(
    play_on: PlayOn, n_rows: int, size: float
) -> None:
    """Rounding may take the variance of what is known exactly below zero; that must not grow."""
    random, horizon = np.random.default_rng(1), 20_000
    actions = random.normal(size=(10, 5))[:n_rows]
    means = np.repeat(size * actions @ random.normal(size=(5, 1)), horizon, axis=1).T
    means[horizon // 2 :] *= -1.0
    rounds = Rounds(actions[None], np.array([n_rows]), means, means.copy())
    for stretch in play_on(dw.AdaptiveUCB(), rounds, seed=3, size=5_000):
        assert_sound(stretch.memory)
    assert (means[-1, stretch.arms[-100:]] == means[-1].max()).mean() > 0.9


@pytest.mark.slow
def test_ten_million_rounds_stay_sound(play_on: PlayOn) -> None:
    random, horizon = np.random.default_rng(3), 10_000_000
    actions, t = random.uniform(-1, 1, (4, 2)), np.linspace(0.0, 60.0, horizon)
    means = np.stack([np.sin(t), np.sign(np.sin(3 * t))], axis=1) @ actions.T
    rewards = means + 0.2 * random.standard_normal(means.shape)
    rounds = Rounds(actions[None], np.array([4]), means, rewards)
    for stretch in play_on(dw.AdaptiveUCB(), rounds, seed=3, size=1_000_000):
        assert_sound(stretch.memory)
    noise = stretch.memory.units.unit() * np.sqrt(stretch.memory.mixture.mean_noise())
    assert noise == pytest.approx(0.2, rel=0.2)
