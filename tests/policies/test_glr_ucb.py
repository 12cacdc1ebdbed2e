"""GLR-klUCB against its description, with every test and every index recomputed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import rel_entr

from driftwise import simulate
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.models.arms.bernoulli import divergence, upper_bound
from driftwise.core.models.arms.splits import NUMBER, REWARDS
from driftwise.policies.glr_ucb import GLRUCB
from driftwise.worlds import Sinusoid

PlayOn = Callable[..., Iterator[Any]]

NEAR = 1e-9  # what is this close may be put in another order by rounding


def kl(p: float, q: float) -> float:
    parts = ((p, q), (1 - p, 1 - q))
    return sum(x * math.log(x / y) if y > 0 else math.inf for x, y in parts if x > 0)


def kls(p: Vector, q: float) -> Vector:
    p, q = np.minimum(p, 1), min(q, 1)
    return np.asarray(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def index(rewards: list[float], level: float) -> float:
    """The largest q with n kl(mean, q) <= level."""
    if not rewards:
        return math.inf
    n, mean = len(rewards), min(float(np.mean(rewards)), 1.0)
    if mean == 1 or level == 0 or n * kl(mean, 1 - 1e-14) <= level:
        return 1.0 if level > 0 else mean
    return float(brentq(lambda q: n * kl(mean, q) - level, mean, 1 - 1e-14, xtol=1e-13))


class Twin:
    """The rewards of each arm since the last alarm, scaled to [0, 1]."""

    def __init__(self, policy: GLRUCB, n_arms: int) -> None:
        self.policy, self.k = policy, 1
        self.seen: list[list[float]] = [[] for _ in range(n_arms)]
        self.n_forced = 0

    def check(self, arm: int) -> None:
        """Check that this arm may be played now."""
        n_arms, t = len(self.seen), sum(map(len, self.seen)) + 1
        alpha = self.policy.mixing * (math.sqrt(self.k) if self.policy.is_growing else 1)
        if alpha > 0:
            turn = t % math.ceil(n_arms / min(1, alpha)) if n_arms > alpha else t % n_arms
            turn = turn or math.ceil(n_arms / min(1, alpha))
            if turn <= n_arms:
                assert arm == turn - 1
                self.n_forced += 1
                return
        level = self.policy.optimism * math.log(max(1, t - 1))
        found = np.array([index(each, level) for each in self.seen])
        assert found[arm] >= found.max() - NEAR

    def learn(self, arm: int, reward: float) -> None:
        self.seen[arm].append(min(max(reward / self.policy.reward_range, 0), 1))
        mine = np.array(self.seen[arm])
        n = len(mine)
        if n % self.policy.check_every:
            return
        stride = 1
        while n // stride > self.policy.n_splits:
            stride *= 2
        s = np.arange(stride, n, stride)
        first, last = np.cumsum(mine)[s - 1] / s, np.cumsum(mine[::-1])[n - s - 1] / (n - s)
        evidence = s * kls(first, mine.mean()) + (n - s) * kls(last, mine.mean())
        threshold = math.log(4 * n**1.5 / self.policy.confidence)
        if len(s):
            assert abs(evidence.max() - threshold) > NEAR
            if evidence.max() > threshold:
                self.k += 1
                self.seen = [[] for _ in self.seen]


class Case(NamedTuple):
    policy: GLRUCB
    n_arms: int
    n_alarms: int  # at least


CASES = {
    "defaults": Case(GLRUCB(0.05, 0.1), 3, 1),
    "every reward, all splits": Case(GLRUCB(0.05, 0.1, check_every=1, n_splits=2000), 2, 2),
    "few splits": Case(GLRUCB(0.5, 0.2, check_every=3, n_splits=7), 2, 2),
    "two splits": Case(GLRUCB(0.9, 0.2, check_every=1, n_splits=2), 2, 1),
    "constant exploration": Case(GLRUCB(0.05, 0.3, False, check_every=5), 3, 2),
    "no exploration": Case(GLRUCB(0.05, 0.0, optimism=1.5, check_every=5), 3, 1),
    "nothing but exploration": Case(GLRUCB(0.05, 1.0, check_every=5), 3, 2),
    "another range": Case(GLRUCB(0.05, 0.1, reward_range=5.0, check_every=5), 2, 2),
    "one arm": Case(GLRUCB(0.05, 0.1, check_every=5), 1, 2),
}


def switching(n_arms: int, reward_range: float, *, is_binary: bool) -> Matrix:
    """900 rounds in three pieces, each with another best arm; some rewards out of range."""
    random = np.random.default_rng(6)
    piece = np.arange(900) // 300
    means = np.where(np.arange(n_arms) == piece[:, None] % max(n_arms, 2), 0.9, 0.15)
    if is_binary:
        return np.where(random.random(means.shape) < means, reward_range, 0.0)
    return np.asarray(reward_range * random.normal(means, 0.2))


@pytest.mark.parametrize("is_binary", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_plays_as_described(name: str, is_binary: bool, play_on: PlayOn) -> None:
    policy, n_arms, n_alarms = CASES[name]
    rewards = switching(n_arms, policy.reward_range, is_binary=is_binary)
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    twin = Twin(policy, n_arms)
    t = 0
    for stretch in play_on(policy, rounds, seed=2, size=20, is_compiled=False):
        for arm in stretch.arms.tolist():
            twin.check(arm)
            twin.learn(arm, rewards[t, arm])
            t += 1
        assert stretch.memory.episode.tolist() == [twin.k, sum(map(len, twin.seen))]
    assert t == 900
    assert twin.k > n_alarms
    assert (twin.n_forced > 0) == (policy.mixing > 0)


def test_alarms_are_rare_without_a_change(play_on: PlayOn) -> None:
    rewards = (np.random.default_rng(2).random((4000, 3)) < [0.2, 0.5, 0.6]).astype(np.float64)
    rounds = Rounds(np.eye(3)[None], np.full(1, 3), rewards, rewards)
    policy = GLRUCB(0.05, 0.2, check_every=1, n_splits=64)
    (stretch,) = play_on(policy, rounds, seed=2)
    assert stretch.memory.episode[NUMBER] == 1


@example(p=0.5, q=1.0, room=1.0)
@example(p=0.5, q=0.0, room=0.0)
@example(p=1.0 - 2.0**-53, q=1.0, room=1e-20)
@given(p=st.floats(0.0, 1.0), q=st.floats(0.0, 1.0), room=st.floats(0.0, 1e3))
@settings(derandomize=True, deadline=None, max_examples=200, database=None)
def test_divergence_and_bound(p: float, q: float, room: float) -> None:
    assert math.isfinite(divergence(p, q))
    if 1e-9 <= q <= 1 - 1e-9:
        assert divergence(p, q) == pytest.approx(kl(p, q), rel=1e-12, abs=1e-14)
        assert divergence(p, q) >= 2 * (p - q) ** 2 - 1e-14  # Pinsker
    bound = upper_bound(p, room)
    assert p <= bound <= 1
    assert kl(p, min(bound, 1 - 1e-15)) <= room + 1e-9
    beyond = bound + 1e-11
    assert beyond >= 1 - 1e-10 or kl(p, beyond) >= room - 1e-14


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 4),
    n_splits=st.integers(2, 9),
    size=st.sampled_from([1e-3, 1.0, 1e100]),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_memory_is_bounded_and_finite(
    play_on: PlayOn, seed: int, n_arms: int, n_splits: int, size: float
) -> None:
    """And its splits are sums of the first rewards of the episode."""
    rewards = size * np.random.default_rng(seed).normal(0.4, 0.5, (150, n_arms))
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    policy = GLRUCB(0.5, 0.3, reward_range=size, n_splits=n_splits)
    (stretch,) = play_on(policy, rounds, seed=seed, is_compiled=False)
    memory = stretch.memory
    start = 150 - memory.episode[REWARDS]
    for k in range(n_arms):
        played = stretch.arms[start:] == k
        mine = np.clip(rewards[start:, k][played] / size, 0, 1)
        assert memory.counts[k] == len(mine)
        stride, kept = memory.strides[k], memory.kept[k]
        assert n_splits // 2 <= kept <= n_splits or stride == 1
        assert kept == len(mine) // stride
        sums = np.cumsum(mine)[stride - 1 :: stride]
        np.testing.assert_allclose(memory.splits[k, :kept], sums, atol=1e-12)


def test_nothing_changed() -> None:
    world = Sinusoid(horizon=3000, variation=3.0, rewards="bernoulli")
    run = simulate(GLRUCB.tuned(horizon=3000, n_arms=2), world, seed=0)
    assert run.total_regret == pytest.approx(153.60534735987673, rel=1e-9), run.total_regret


def test_tuned() -> None:
    alpha = math.sqrt(3 * math.log(10_000) / 10_000)
    assert GLRUCB.tuned(horizon=10_000, n_arms=3) == GLRUCB(0.01, alpha, True)
    known = GLRUCB.tuned(horizon=10_000, n_arms=3, n_changes=4, reward_range=2.0)
    assert known == GLRUCB(0.005, 2 * alpha, False, 2.0)
    assert GLRUCB.tuned(horizon=10_000, n_arms=3, n_changes=0) == GLRUCB(0.01, 0.0, False)
    assert GLRUCB.tuned(horizon=10, n_arms=500).mixing == 1.0
    assert GLRUCB.tuned(horizon=1, n_arms=2) == GLRUCB(1.0, 0.0, True)
