"""MASTER against its procedures, with every instance and every reward in lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.base.arrays import Vector
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.core.models.instances import ACTING, FAILURES, ORDER, PASSED
from driftwise.core.randomness.draws import fork, uniform
from driftwise.core.randomness.seeds import luck_of

PlayOn = Callable[..., Iterator[Any]]


class Instance:
    """UCB1 of the paper, scheduled for [start, end] of a block."""

    def __init__(self, order: int, start: int, n_arms: int) -> None:
        self.order, self.start, self.end = order, start, start + 2**order - 1
        self.rewards: list[list[float]] = [[] for _ in range(n_arms)]

    def indices(self, log: float) -> Vector:
        means = [np.mean(each) if each else 0.0 for each in self.rewards]
        counts = [max(1, len(each)) for each in self.rewards]
        return np.asarray(means) + np.sqrt(2 * log / np.array(counts))


class Twin:
    """The block in play; rounds are counted from 1 in each."""

    def __init__(self, policy: dw.Master, n_arms: int, luck: int) -> None:
        self.policy, self.n_arms, self.log = policy, n_arms, policy.base.fixed_log
        self.n_failed = [0, 0]  # by the first test, by the second
        self.begin(0, luck)

    def rho(self, t: int) -> float:
        return self.policy.root / math.sqrt(t) + self.policy.linear / t

    def begin(self, n: int, luck: int) -> None:
        self.n = n
        self.instances: list[Instance] = []
        self.g: list[float] = []
        self.r: list[float] = []
        self.schedule(luck)

    def schedule(self, luck: int) -> None:
        """Procedure 1, for one tau."""
        tau = len(self.r)
        for m in range(self.n, -1, -1):
            if tau % 2**m == 0 and uniform(luck, m) < self.rho(2**self.n) / self.rho(2**m):
                self.instances.append(Instance(m, tau + 1, self.n_arms))

    def active(self) -> Instance:
        t = len(self.r) + 1
        covering = [each for each in self.instances if each.start <= t <= each.end]
        return min(covering, key=lambda each: each.order)

    def learn(self, instance: Instance, arm: int, g: float, reward: float, luck: int) -> None:
        t = len(self.r) + 1
        if instance in self.instances and instance.end >= t:
            instance.rewards[arm].append(reward)
        self.g.append(g)
        self.r.append(reward)
        scale = self.policy.threshold
        is_better = any(
            each.end == t
            and np.mean(self.r[each.start - 1 :])
            >= min(self.g) + 9 * scale * self.rho(2**each.order)
            for each in self.instances
        )
        is_worse = np.mean(np.array(self.g) - np.array(self.r)) >= 3 * scale * self.rho(t)
        if is_better or is_worse:
            self.n_failed[0 if is_better else 1] += 1
            self.begin(0, luck)
        elif t == 2**self.n:
            self.begin(min(self.n + 1, self.policy.longest_order), luck)
        else:
            self.schedule(luck)


CASES = {
    # Never a restart; the longest block comes again and again.
    "tests that never fire": dw.Master(dw.UCB1(fixed_log=0.01), 1.0, 0.5, 99.0, 5),
    # Little optimism, so that rewards can exceed it.
    "tests that fire": dw.Master(dw.UCB1(fixed_log=0.01), 1.0, 0.5, 0.06, 6),
    "as in the paper, scaled": dw.Master.tuned(horizon=400, n_arms=3, base="UCB1", scale=4e-4),
}


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_is_its_twin(name: str, is_late: bool, arrivals: Callable[[int], list[list[int]]]) -> None:
    policy, random, horizon = CASES[name], np.random.default_rng(4), 600
    twin = Twin(policy, 3, fork(luck_of(8), -1))
    agent = dw.Agent(policy, n_arms=3, seed=8, is_interpreted=True)
    schedule = arrivals(horizon) if is_late else [[t] for t in range(horizon)]
    decisions, rewards, instances, orders = [], [], [], []
    n_gone = 0
    for t, come in enumerate(schedule):
        instance = twin.active()
        indices = instance.indices(twin.log)
        decision = agent.choose()
        agent.give_up(decision)  # nothing is in flight: see test_flight.py for that
        assert decision.choice.order == instance.order
        assert decision.value == pytest.approx(indices.max(), rel=1e-9)
        assert indices[decision.arm] == pytest.approx(indices.max(), rel=1e-9)
        decisions.append(decision)
        instances.append(instance)
        orders.append(instance.order)
        rewards.append(
            float(np.roll([0.9, 0.4, 0.1], t // 90)[decision.arm]) + random.normal(0, 0.05)
        )
        for i in come:
            n_gone += instances[i] not in twin.instances
            agent.learn(decisions[i], rewards[i])
            luck = fork(decisions[i].luck)
            twin.learn(instances[i], decisions[i].arm, decisions[i].value, rewards[i], luck)
        block = agent.memory.block
        assert block[[ORDER, PASSED, ACTING]].tolist() == [twin.n, len(twin.r), twin.active().order]
        assert block[FAILURES] == sum(twin.n_failed)
    assert len(set(orders)) >= 4
    assert (n_gone > 0) == is_late
    if name == "tests that never fire":
        assert twin.n_failed == [0, 0]
        assert twin.n == 5
    elif name == "tests that fire":
        assert min(twin.n_failed) > 0
    else:
        assert sum(twin.n_failed) > 0


def test_every_order_comes_as_often_as_it_should(play_on: PlayOn) -> None:
    """In blocks of 16 rounds, an order m has 16 / 2^m chances, each with its probability."""
    policy = dw.Master(dw.Uniform(), 1.0, 0.7, 99.0, 4)
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), np.zeros((4815, 2)), np.zeros((4815, 2)))
    began, offered, seen = np.zeros(5), np.zeros(5), np.zeros(5, np.int64)
    for t, stretch in enumerate(play_on(policy, rounds, seed=2, size=1, is_compiled=False)):
        instances, block = stretch.memory.instances, stretch.memory.block
        assert block[ACTING] == np.flatnonzero(instances)[0], "the shortest acts"
        if t >= 14:  # 15 rounds for the blocks of 1, 2, 4 and 8
            assert block[ORDER] == 4
            assert instances[4] > 0
            offered += block[PASSED] % 2 ** np.arange(5) == 0
            began += (instances != seen) & (instances > 0)
        seen = instances.copy()
    rho = 1.0 / np.sqrt(2.0 ** np.arange(5)) + 0.7 / 2.0 ** np.arange(5)
    chance = rho[4] / rho
    assert offered.tolist() == [4801, 2401, 1201, 601, 301]
    limits = 4.0 * np.sqrt(offered * chance * (1.0 - chance))
    assert np.all(np.abs(began - offered * chance) <= limits + 1e-9), began / offered
    assert np.all(limits[:4] < 0.2 * offered[:4] * chance[:4])  # otherwise this would show little


def test_restarts_after_a_change_only_with_a_small_scale(play_on: PlayOn) -> None:
    """Measured, not promised: with smaller scales it also restarts where nothing changes."""
    change, horizon = 10_000, 16_383
    world = dw.worlds.Switching(
        horizon=horizon, times=[change + 1], parameters=[[0.9, 0.1], [0.0, 0.1]], noise=0.05
    )
    facts: dict[str, Any] = {"horizon": horizon, "n_arms": 2, "base": "UCB1", "confidence": 0.1}
    n_after = 0
    for seed in range(4):
        rounds = next(world.rounds(seed, horizon))
        ends = [stretch.memory.block[FAILURES] for stretch in play_on(
            dw.Master.tuned(**facts, scale=0.0045), rounds, seed=seed, size=change
        )]  # fmt: skip
        (paper,) = play_on(dw.Master.tuned(**facts), rounds, seed=seed)
        assert paper.memory.block[FAILURES] == 0
        assert ends[0] == 0
        n_after += ends[-1] > 0
    assert n_after >= 3


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from([0.0, 1.0, 1e100]),
    threshold=st.sampled_from([1e-100, 0.1, 1e100]),
    longest_order=st.sampled_from([0, 3, 62]),
)
@settings(derandomize=True, deadline=None, max_examples=20, database=None)
def test_an_instance_always_acts_and_all_numbers_are_finite(
    play_on: PlayOn, seed: int, size: float, threshold: float, longest_order: int
) -> None:
    rewards = size * np.random.default_rng(seed).uniform(-1, 1, (60, 2))
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), rewards, rewards)
    # Its value is nan as long as an arm was never played.
    policy = dw.Master(dw.UCB1(), 1.0, 0.0, threshold, longest_order)
    for stretch in play_on(policy, rounds, seed=seed, size=7, is_compiled=False):
        memory = stretch.memory
        assert memory.instances[memory.block[ACTING]] > 0
        assert memory.instances[memory.block[ORDER]] > 0
        assert all(np.isfinite(array).all() for array in arrays_in(memory))


def test_the_base_is_oful_with_a_constant_radius() -> None:
    policy = dw.Master.tuned(horizon=1000, dimension=3, scale=0.5)
    log = math.log(1000 * 1000)
    beta = 4 * math.sqrt(3 * log)
    memory = policy.base.start(2, 3, None)
    policy.base.restart(memory, 0)
    for _ in range(3):
        assert memory.radius[0] == pytest.approx(2 * beta)
        choice = policy.base.choose(memory, np.eye(3), 0)
        policy.base.learn(memory, np.eye(3)[choice.arm], choice, 0.4, 0)
    assert policy.base.ridge == 1.0
    assert policy.rate_at(10) == pytest.approx(beta * math.sqrt(3 * log / 10))
    assert policy.threshold == pytest.approx(0.5 * 6 * (math.log2(1000) + 1) * log)
    assert policy.longest_order == 9
    arms = dw.Master.tuned(horizon=1024, n_arms=4, base="UCB1", confidence=0.1)
    log = math.log(10240)
    assert arms.base == dw.UCB1(fixed_log=log)
    assert arms.rate_at(7) == pytest.approx(math.sqrt(4 * log / 7) + 4 * log / 7)
    assert arms.longest_order == 10
    assert dw.Master.tuned(horizon=1, dimension=1).longest_order == 0


def test_nothing_changed() -> None:
    world = dw.worlds.Switching(horizon=3000, n_changes=3, noise=0.1)
    policy = dw.Master.tuned(horizon=3000, n_arms=2, base="UCB1", scale=0.003)
    run = dw.simulate(policy, world, seed=0)
    assert run.total_regret == pytest.approx(402.01265666160214, rel=1e-9), run.total_regret


def test_a_damaged_choice_is_refused() -> None:
    agent = dw.Agent(CASES["tests that fire"], n_arms=3, is_interpreted=True)
    decision = agent.choose()
    inner = decision.choice.base._replace(arm=(decision.arm + 1) % 3)
    for damage in (
        {"order": 7},
        {"order": -1},
        {"instance": 0},
        {"value": math.inf},
        {"base": inner},
    ):
        with pytest.raises(
            ValueError, match="decision must be unchanged since `choose` returned it"
        ):
            agent.learn(decision._replace(choice=decision.choice._replace(**damage)), 1.0)
    agent.learn(decision, 1.0)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dw.Master(5, 1.0, 0.0, 1.0, 3), "base must be a policy, got 5"),
        (lambda: dw.Master(dw.UCB1(), 0.0, 0.0, 1.0, 3), "root must be above 0, got 0.0"),
        (lambda: dw.Master(dw.UCB1(), 1.0, -1.0, 1.0, 3), "linear must be at least 0, got -1.0"),
        (lambda: dw.Master(dw.UCB1(), 1.0, 0.0, 0.0, 3), "threshold must be above 0, got 0.0"),
        (lambda: dw.Master(dw.UCB1(), 1.0, 0.0, 1.0, 63), "longest_order must be at most 62"),
        (lambda: dw.Master.tuned(horizon=9), "dimension must be an integer, got None"),
        (lambda: dw.Master.tuned(horizon=9, base="UCB1"), "n_arms must be an integer"),
        (lambda: dw.Master.tuned(horizon=9, base="UCB", n_arms=2), "did you mean 'UCB1'"),  # type: ignore[arg-type]
        (lambda: dw.Master.tuned(horizon=9, dimension=2, scale=0), "scale must be above 0, got 0"),
        (lambda: dw.Master.tuned(horizon=9, dimension=2, confidence=1.0), "confidence must be in"),
    ],
)
def test_bad_settings(make: Callable[[], Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        make()
