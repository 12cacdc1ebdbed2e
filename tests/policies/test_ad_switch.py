"""AdSwitch against its five steps, each with all the loops that they say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise import simulate
from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of
from driftwise.policies.ad_switch import AdSwitch
from driftwise.worlds import Stationary

PlayOn = Callable[..., Iterator[Any]]


class Twin:
    """An episode: plays and rewards from its first round on, in units of the reward range."""

    def __init__(self, policy: AdSwitch, n_arms: int) -> None:
        self.policy, self.n_arms, self.log = policy, n_arms, max(1, math.log(policy.horizon))
        self.episode = self.n_evicted = self.n_asked = self.n_full = self.n_risen = 0
        self.begin()

    def begin(self) -> None:
        self.episode += 1
        self.arms: list[int] = []
        self.rewards: list[float] = []
        self.good = set(range(self.n_arms))
        self.bad: dict[int, tuple[float, float]] = {}  # arm: mean and gap at eviction
        self.asked: dict[int, list[tuple[int, float]]] = {}  # arm: count then, samples wanted
        self.checks: list[int] = []  # how many rewards there were at each check

    def playable(self) -> set[int]:
        """Step 5: good, or with an obligation, and waiting longest."""
        wanted = set(self.good)
        for arm, asked in self.asked.items():
            if any(self.arms.count(arm) - count < samples for count, samples in asked):
                wanted.add(arm)
        last = {k: max((t for t, a in enumerate(self.arms) if a == k), default=-1) for k in wanted}
        return {k for k in wanted if last[k] == min(last.values())}

    def learn(self, arm: int, reward: float, luck: int) -> None:
        self.arms.append(arm)
        self.rewards.append(reward / self.policy.reward_range)
        t = len(self.arms)
        if t % self.policy.check_every == 0:
            self.checks.append(t)
            has_risen = any(map(self.bad_arm_changed, self.bad))
            if has_risen or any(map(self.good_arm_changed, self.good)):
                self.n_risen += has_risen
                self.begin()
                return
            for k, found in [(k, self.evicted(k)) for k in sorted(self.good)]:
                if found is not None:
                    self.bad[k] = found
                    self.n_evicted += 1
            self.good -= set(self.bad)
        if t == self.policy.horizon or not self.good:
            self.n_full += t == self.policy.horizon
            self.begin()
            return
        self.ask(luck)

    def mine(self, arm: int, start: int, stop: int) -> list[float]:
        return [self.rewards[s] for s in range(start, stop) if self.arms[s] == arm]

    def good_arm_changed(self, arm: int) -> bool:
        """Step 2: every [s, t] against every [s1, s2] that ends at a check."""
        now = self.intervals(arm, len(self.arms))
        for stop in self.checks:
            for mean, n in self.intervals(arm, stop):
                for mean_now, n_now in now:
                    width = math.sqrt(2 * self.log / n) + math.sqrt(2 * self.log / n_now)
                    assert abs(abs(mean - mean_now) - width) > 1e-9
                    if abs(mean - mean_now) > width:
                        return True
        return False

    def intervals(self, arm: int, stop: int) -> list[tuple[float, int]]:
        """Return mean and size of this arm's rewards in all [s, stop]."""
        mine = np.array(self.mine(arm, 0, stop))[::-1]
        sizes = np.arange(1, len(mine) + 1)
        return list(zip((np.cumsum(mine) / sizes).tolist(), sizes.tolist(), strict=True))

    def bad_arm_changed(self, arm: int) -> bool:
        """Step 3."""
        level, gap = self.bad[arm]
        for mean, n in self.intervals(arm, len(self.arms)):
            if abs(mean - level) > gap / 4 + math.sqrt(2 * self.log / n):
                return True
        return False

    def evicted(self, arm: int) -> tuple[float, float] | None:
        """Step 1, with the smallest s that works."""
        for s in range(len(self.arms)):
            mine = self.mine(arm, s, len(self.arms))
            others = [self.mine(k, s, len(self.arms)) for k in self.good]
            if len(mine) > 1:
                gap = max(np.mean(each) for each in others if each) - np.mean(mine)
                if gap > math.sqrt(self.policy.eviction * self.log / (len(mine) - 1)):
                    return float(np.mean(mine)), float(gap)
        return None

    def ask(self, luck: int) -> None:
        """Step 4, by luck."""
        n_draws, k, horizon = 0, self.n_arms, self.policy.horizon
        for arm in sorted(self.bad):
            i = 1
            while 2.0**-i >= self.bad[arm][1] / 16:
                chance = 2.0**-i * math.sqrt(self.episode / (k * horizon * self.log))
                if uniform(luck, n_draws) < chance:
                    samples = math.ceil(2 * self.log / 4.0**-i)
                    self.asked.setdefault(arm, []).append((self.arms.count(arm), samples))
                    self.n_asked += 1
                i += 1
                n_draws += 1


def switching(horizon: int, n_arms: int, seed: int, size: float) -> Matrix:
    """Pieces of 200 rounds, the best arm another in each."""
    piece = np.arange(horizon) // 200
    means = np.where(np.arange(n_arms) == piece[:, None] % n_arms, 1.0, 0.1)
    return size * np.random.default_rng(seed).normal(means, 0.15)


CASES = {
    "every round": (AdSwitch(40, 0.3, 6.0, 1), 2, 1.0, 240),
    "every fifth": (AdSwitch(1000, 0.3, 6.0, 5), 3, 1.0, 420),
    "in other units": (AdSwitch(1000, 9.0, 6.0, 10), 3, 30.0, 600),
    "as in the paper": (AdSwitch(500, 0.2, check_every=20), 2, 1.0, 600),
    "four arms": (AdSwitch(300, 0.3, 4.0, 15), 4, 1.0, 700),
}


@pytest.mark.parametrize("name", CASES)
def test_takes_the_five_steps(name: str, play_on: PlayOn) -> None:
    policy, n_arms, size, horizon = CASES[name]
    rewards = switching(horizon, n_arms, 3, size)
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    twin, luck = Twin(policy, n_arms), luck_of(9)
    for t, stretch in enumerate(play_on(policy, rounds, seed=9, size=1, is_compiled=False)):
        arm = int(stretch.arms[0])
        assert arm in twin.playable()
        twin.learn(arm, rewards[t, arm], fork(fork(luck, t)))
        memory = stretch.memory
        assert memory.episode.tolist() == [twin.episode, len(twin.arms)]
        assert set(np.flatnonzero(memory.is_bad).tolist()) == set(twin.bad)
        for k, (level, gap) in twin.bad.items():
            unit = policy.reward_range
            assert memory.levels[k] == pytest.approx(unit * level)
            assert memory.gaps[k] == pytest.approx(unit * gap)
    assert t == horizon - 1
    assert twin.n_evicted >= 3
    assert twin.episode >= 3
    assert twin.n_asked > 0
    assert (twin.n_full > 0) == (name == "every round")


def test_a_bad_arm_that_rises_is_found(play_on: PlayOn) -> None:
    """Although no good arm shows it; step 3, in the round in which it is due."""
    means = np.repeat([[0.6, 0.1], [0.6, 0.65]], [150, 350], axis=0)
    rewards = np.random.default_rng(3).normal(means, 0.1)
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), rewards, rewards)
    policy = AdSwitch(500, 0.3, 6.0, 5)
    twin, luck = Twin(policy, 2), luck_of(9)
    for t, stretch in enumerate(play_on(policy, rounds, seed=9, size=1, is_compiled=False)):
        arm = int(stretch.arms[0])
        assert arm in twin.playable()
        twin.learn(arm, rewards[t, arm], fork(fork(luck, t)))
        assert stretch.memory.episode.tolist() == [twin.episode, len(twin.arms)]
        if twin.episode > 1:
            break
    assert twin.n_evicted == twin.n_risen == 1
    assert t > 150


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 5),
    check_every=st.integers(1, 30),
    size=st.sampled_from([1e-100, 1.0, 1e100]),
    eviction=st.sampled_from([1e-100, 1.0, 16.1]),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_some_arm_is_always_good_and_all_numbers_finite(
    play_on: PlayOn, seed: int, n_arms: int, check_every: int, size: float, eviction: float
) -> None:
    rewards = size * np.random.default_rng(seed).uniform(-1, 1, (120, n_arms))
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    policy = AdSwitch(90, 0.3, eviction, check_every)
    for stretch in play_on(policy, rounds, seed=seed, size=7, is_compiled=False):
        assert not stretch.memory.is_bad.all()
        assert all(np.isfinite(array).all() for array in arrays_in(stretch.memory))


def test_without_bad_arms_all_are_played_in_turn(play_on: PlayOn) -> None:
    rewards = np.full((90, 3), 0.5)
    rounds = Rounds(np.eye(3)[None], np.full(1, 3), rewards, rewards)
    (stretch,) = play_on(AdSwitch(90), rounds, seed=1, is_compiled=False)
    turns = stretch.arms.reshape(30, 3)
    assert sorted(turns[0].tolist()) == [0, 1, 2]
    assert (turns == turns[0]).all()


def test_nothing_changed() -> None:
    world = Stationary(horizon=3000, parameter=[0.2, 0.9], noise=0.1)
    run = simulate(AdSwitch.tuned(horizon=3000, n_arms=2, reward_range=0.2), world, seed=0)
    assert run.total_regret == pytest.approx(494.8999999999944, rel=1e-9), run.total_regret


def test_tuned() -> None:
    assert AdSwitch.tuned(horizon=100, n_arms=3) == AdSwitch(100, 1.0, 16.1, 20)
    assert AdSwitch.tuned(horizon=1, n_arms=1, reward_range=0.2) == AdSwitch(1, 0.2)
