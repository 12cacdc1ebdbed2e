"""Bandit-over-Bandit and its base: blocks that begin and end, and a base of the reader's own."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from driftwise import Agent, BanditOverBandit, SlidingWindowUCB, simulate
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.base.card import Card, described
from driftwise.core.base.validation import require_fraction
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice
from driftwise.core.contract.records import arrays_in
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of
from driftwise.core.randomness.ties import better
from driftwise.policies.bandit_over_bandit import NUMBER, REWARDS
from driftwise.worlds import World
from tests.making import BEYOND_SETTINGS
from tests.policies.near_ties import is_near_tie

pytestmark = BEYOND_SETTINGS

PlayOn = Callable[..., Iterator[Any]]


def test_the_base_of_a_finished_block_is_not_touched() -> None:
    policy = BanditOverBandit(SlidingWindowUCB(9, 0.1), np.array([2, 5, 9]), 10, 0.2, 20.0)
    agent = Agent(policy, dimension=3, seed=1)
    random = np.random.default_rng(1)
    decisions = [agent.choose(random.normal(size=(4, 3))) for _ in range(5)]
    for _ in range(14):  # the first block ends after ten rewards
        agent.learn(agent.choose(random.normal(size=(4, 3))), random.normal())
    memory, late = agent.memory, decisions[3]
    assert memory.block[NUMBER] == 1
    base = [array.tobytes() for array in arrays_in(memory.base)]
    weights, chances_now = memory.log_weights.copy(), memory.chances.copy()
    agent.learn(late, 7.0)
    assert [array.tobytes() for array in arrays_in(memory.base)] == base
    np.testing.assert_array_equal(memory.chances, chances_now)
    # Drawn in the first block, when all three had the same chance.
    weights[late.choice.candidate] += 0.2 / (3 * (1 / 3)) * 7.0 / 20.0
    np.testing.assert_allclose(memory.log_weights, weights, rtol=1e-14)
    assert memory.block[REWARDS] == 5  # it counts as a reward that came,
    assert memory.earned[0] == pytest.approx(sum_of_block(memory))  # but not as one of this block


def sum_of_block(memory: Any) -> float:
    return float(memory.base.ring.history[: memory.base.ring.clock[0], 0].sum())


def test_ties_at_the_start_of_a_block_are_broken_fairly() -> None:
    policy = BanditOverBandit(SlidingWindowUCB(9, 0.1), np.array([2, 5, 9]), 10, 0.2, 20.0)
    memory = policy.start(3, 3, np.eye(3))
    n, arms, windows = 1500, np.zeros(3), np.zeros(3)
    for seed in range(n):
        policy.restart(memory, fork(luck_of(seed), -1))
        choice = policy.choose(memory, np.eye(3), fork(luck_of(seed), 0))
        assert choice.propensity == 1 / 3
        assert choice.chance == pytest.approx(1 / 3)
        arms[choice.arm] += 1
        windows[choice.candidate] += 1
    limit = 4 * math.sqrt(n * 2 / 9)
    assert np.abs(arms - n / 3).max() <= limit
    assert np.abs(windows - n / 3).max() <= limit


@compilable
class DiscountedMemory(NamedTuple):
    counts: Vector  # (K,), discounted number of plays
    totals: Vector  # (K,), discounted sum of rewards


@described(Card(source="this test", plays="arms"))
@compilable
class DiscountedMeans(NamedTuple):
    """A base of the reader's own: optimism on discounted means, more where more is forgotten."""

    discount: float
    optimism: float

    def _check(self) -> None:
        require_fraction("discount", self.discount, inclusive=True)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> DiscountedMemory:
        return DiscountedMemory(np.zeros(n_arms), np.zeros(n_arms))

    def restart(self, memory: Any, luck: int) -> None:
        for arm in range(memory.counts.size):
            memory.counts[arm] = 0.0
            memory.totals[arm] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        best, bound, ties = 0, -math.inf, 0
        for arm in range(memory.counts.size):
            n = memory.counts[arm] + 1.0
            value = memory.totals[arm] / n + (self.optimism - self.discount) / math.sqrt(n)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return Choice(best, 1.0 / ties, bound)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        for arm in range(memory.counts.size):
            memory.counts[arm] *= self.discount
            memory.totals[arm] *= self.discount
        memory.counts[choice.arm] += 1.0
        memory.totals[choice.arm] += reward

    def adjusted(self, setting: Any) -> Any:
        return DiscountedMeans(setting, self.optimism)

    def roomiest(self, settings: Any) -> Any:
        return max(settings)

    def candidates(self, block_length: int) -> Any:
        return [0.5, 0.9, 0.99, 1.0]


def chances(s: Vector, gamma: float) -> Vector:
    return np.asarray((1 - gamma) * s / s.sum() + gamma / len(s))


def draw(p: Vector, luck: int) -> int:
    """The first setting at which the probabilities so far exceed a uniform number."""
    return int(np.argmax(np.cumsum(p) > uniform(luck, 0)))


def test_takes_another_base(play_on: PlayOn) -> None:
    T, K, base = 2000, 4, DiscountedMeans(0.9, 1.3)
    policy = BanditOverBandit.tuned(horizon=T, dimension=K, noise=0.3, base=base)
    H = math.floor(K ** (2 / 3) * T ** (1 / 2) + 1e-9)
    scale = 2 * H + 4 * 0.3 * math.sqrt(H * math.log(T / math.sqrt(H)))
    assert policy.block_length == H
    assert policy.reward_scale == pytest.approx(scale)
    assert policy.settings.tolist() == [0.5, 0.9, 0.99, 1.0]
    means = 0.5 + 0.4 * np.sin(np.linspace(0, 9, T)[:, None] + np.arange(K))
    rounds = next(World(parameters=means, decision_sets=np.eye(K), noise=0.3).rounds(4, T))
    # A smaller scale, so that weights move.
    policy = policy._replace(block_length=41, reward_scale=6.0, mixing=0.2)
    (fast,) = play_on(policy, rounds, seed=4)
    (slow,) = play_on(policy, rounds, seed=4, is_compiled=False)
    np.testing.assert_array_equal(fast.arms, slow.arms)
    for one, other in zip(arrays_in(fast.memory), arrays_in(slow.memory), strict=True):
        assert one.tobytes() == other.tobytes()

    s, luck, near_ties, candidates = np.ones(4), fork(luck_of(4), -1), 0, set()
    Y = rounds.rewards[np.arange(T), fast.arms]
    for start in range(0, T, 41):
        p = chances(s, 0.2)
        j = draw(p, luck)
        candidates.add(j)
        end = min(start + 41, T)
        for t in range(start, end):
            age = np.arange(t - start - 1, -1, -1)
            played = fast.arms[start:t, None] == np.arange(K)
            weight = played * policy.settings[j] ** age[:, None]
            n = weight.sum(axis=0) + 1
            width = (1.3 - policy.settings[j]) / np.sqrt(n)
            near_ties += is_near_tie(Y[start:t] @ weight / n + width, fast.arms[t])
        s[j] *= math.exp(0.2 / (4 * p[j]) * (1 / 2 + Y[start:end].sum() / 6.0))
        luck = fork(fork(luck_of(4), end - 1))
    assert candidates == {0, 1, 2, 3}
    np.testing.assert_allclose(fast.memory.chances, p, rtol=1e-9)
    assert near_ties < 0.1 * T  # arms not yet played in a block are alike


def test_explores_as_many_settings_as_the_base_has() -> None:
    """The mixing of EXP3 is that of as many arms as there are settings to choose from."""
    policy = BanditOverBandit.tuned(
        horizon=20_000, dimension=2, noise=0.1, base=DiscountedMeans(0.9, 1.3)
    )
    n_blocks = math.ceil(20_000 / policy.block_length)
    wanted = math.sqrt(4 * math.log(4) / ((math.e - 1) * n_blocks))
    assert policy.mixing == pytest.approx(wanted)


def test_over_a_base_that_plays_arms_it_plays_arms() -> None:
    bob = BanditOverBandit(DiscountedMeans(0.9, 1.0), [0.5, 0.9], 10, 0.2, 20.0)
    sets = [np.eye(3)[: 1 + t % 3] for t in range(60)]
    world = World(parameters=np.ones((60, 3)), decision_sets=sets)
    with pytest.raises(
        ValueError, match="BanditOverBandit plays arms, so the decision set must be"
    ):
        simulate(bob, world)
    assert Agent(bob, n_arms=3, is_interpreted=True).choose().action.size == 3


def test_over_a_base_without_an_estimate_it_has_none() -> None:
    bob = BanditOverBandit(DiscountedMeans(0.9, 1.0), [0.5, 0.9], 10, 0.2, 20.0)
    agent = Agent(bob, n_arms=2, is_interpreted=True)
    with pytest.raises(AttributeError, match="DiscountedMeans keeps no estimate of a parameter"):
        _ = agent.estimate
