"""dLinUCB against lists of observations and verdicts, solved from scratch in every round."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.core.models.ridge.pool import ACTING, BIRTH, BORN, FAILED, JUDGED
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

PlayOn = Callable[..., Iterator[Any]]


class Model:
    """One regression, and whether it failed, reward by reward."""

    def __init__(self, policy: dw.DetectingLinUCB, d: int) -> None:
        self.policy, self.d = policy, d
        self.x: list[Vector] = []
        self.y: list[float] = []
        self.fails: list[int] = []

    def bounds(self, rows: Matrix) -> tuple[Vector, Vector]:
        """Return means, and radius times width, of some rows."""
        p, x = self.policy, np.array(self.x).reshape(-1, self.d)
        v = p.ridge * np.eye(self.d) + x.T @ x
        growth = self.d * math.log(1 + len(x) * p.action_norm**2 / (p.ridge * self.d))
        radius = p.noise * math.sqrt(2 * math.log(1 / p.confidence) + growth)
        radius += math.sqrt(p.ridge) * p.parameter_norm
        widths = np.sqrt(np.sum(rows * np.linalg.solve(v, rows.T).T, axis=1))
        return rows @ np.linalg.solve(v, x.T @ np.array(self.y)), radius * widths

    def badness(self) -> tuple[float, float]:
        recent = self.fails[-self.policy.verdicts :]
        if not recent:
            return 0.0, 0.5
        return float(np.mean(recent)), math.sqrt(math.log(1 / self.policy.doubt) / 2 / len(recent))


class Twin:
    """The pool, oldest first."""

    def __init__(self, policy: dw.DetectingLinUCB, d: int) -> None:
        self.policy, self.d = policy, d
        self.pool = [Model(policy, d)]
        self.n_born, self.n_dropped, self.n_displaced = 1, 0, 0

    def acting(self) -> Model:
        factor = math.sqrt(math.log(self.policy.verdicts))
        return min(self.pool, key=lambda m: m.badness()[0] - factor * m.badness()[1])

    def learn(self, x: Vector, y: float) -> None:
        p = self.policy
        margin = p.noise * NormalDist().inv_cdf(1 - p.confidence / 2)
        for model in self.pool:
            (mean,), (width,) = model.bounds(x[None])
            is_good = abs(mean - y) <= width + margin
            model.fails.append(0 if is_good else 1)
            if is_good:
                model.x.append(x)
                model.y.append(y)
        scores = [model.badness() for model in self.pool]
        is_new_due = all(bad >= c + p.tolerance for bad, c in scores)
        limit = max(p.tolerance, p.confidence)
        kept = [m for m, (bad, c) in zip(self.pool, scores, strict=True) if bad < c + limit]
        self.n_dropped += len(self.pool) - len(kept)
        self.pool = kept
        if is_new_due:
            if len(self.pool) == p.models:
                self.n_displaced += 1
                self.pool.remove(max(self.pool, key=lambda m: m.badness()[0]))
            self.pool.append(Model(p, self.d))
            self.n_born += 1


CASES = {
    "as published": dw.DetectingLinUCB(noise=0.1, ridge=0.5),
    # All of them are often in doubt, hardly one is dropped, and there is room for three.
    "no room": dw.DetectingLinUCB(0.05, 2.0, 1.0, 0.5, 0.9, 0.9, 0.02, 12, 3),
    "room for one": dw.DetectingLinUCB(0.05, confidence=0.05, doubt=0.5, verdicts=20, models=1),
}


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_is_its_twin(name: str, is_late: bool, arrivals: Callable[[int], list[list[int]]]) -> None:
    policy, random = CASES[name], np.random.default_rng(4)
    twin, n_near = Twin(policy, 2), 0
    agent = dw.Agent(policy, dimension=2, seed=1, is_interpreted=True)
    schedule = arrivals(500) if is_late else [[t] for t in range(500)]
    decisions, rewards = [], []
    for t, come in enumerate(schedule):
        theta = np.array([1.0, 0.0]) if t // 100 % 2 else np.array([-0.3, 0.9])
        rows = random.standard_normal((4, 2)) / 1.5
        means, widths = twin.acting().bounds(rows)
        bounds = means + widths
        decision = agent.choose(rows)
        agent.give_up(decision)  # nothing is in flight: see test_flight.py for that
        assert decision.value == pytest.approx(bounds.max(), rel=1e-9)
        if np.sort(bounds)[-1] - np.sort(bounds)[-2] > 1e-9:
            assert decision.arm == np.argmax(bounds)
        else:
            n_near += 1
        decisions.append(decision)
        rewards.append(float(decision.action @ theta + 0.05 * random.standard_normal()))
        for i in come:
            agent.learn(decisions[i], rewards[i])
            twin.learn(decisions[i].action, rewards[i])
        memory = agent.memory
        places = np.argsort(memory.tallies[:, BIRTH])[-len(twin.pool) :]  # by birth
        assert np.count_nonzero(memory.tallies[:, BIRTH]) == len(twin.pool)
        for place, model in zip(places, twin.pool, strict=True):
            recent = model.fails[-policy.verdicts :]
            assert memory.tallies[place, [JUDGED, FAILED]].tolist() == [len(recent), sum(recent)]
        assert places.tolist().index(memory.pool[ACTING]) == twin.pool.index(twin.acting())
    assert n_near <= 1
    assert memory.pool[BORN] == twin.n_born >= 3
    assert (twin.n_displaced > 0) == (name != "as published")
    if name == "as published":
        assert twin.n_dropped > 0
    x = np.array(twin.acting().x).reshape(-1, 2)
    wanted = np.linalg.solve(policy.ridge * np.eye(2) + x.T @ x, x.T @ np.array(twin.acting().y))
    np.testing.assert_allclose(agent.estimate, wanted, rtol=1e-8, atol=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from([0.0, 1.0, 1e6, 1e100]),
    noise=st.sampled_from([0.0, 0.3]),
    doubt=st.sampled_from([0.01, 1.0]),
    verdicts=st.integers(1, 9),
    models=st.integers(1, 4),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_some_model_always_acts_and_all_numbers_are_finite(
    play_on: PlayOn,
    seed: int,
    size: float,
    noise: float,
    doubt: float,
    verdicts: int,
    models: int,
) -> None:
    random = np.random.default_rng(seed)
    rewards = size * random.uniform(-1, 1, (60, 3))
    rounds = Rounds(random.normal(size=(60, 3, 2)), np.full(60, 3), rewards, rewards)
    policy = dw.DetectingLinUCB(noise, doubt=doubt, verdicts=verdicts, models=models)
    for stretch in play_on(policy, rounds, seed=seed, size=5, is_compiled=False):
        memory = stretch.memory
        assert memory.tallies[memory.pool[ACTING], BIRTH] > 0
        assert (memory.tallies[:, FAILED] == memory.failures.sum(axis=1)).all()
        assert all(np.isfinite(array).all() for array in arrays_in(memory))


def test_without_failures_it_is_lin_ucb(play_on: PlayOn) -> None:
    """Where nothing changes, no reward is beyond a bound of probability 1e-12."""
    random = np.random.default_rng(2)
    actions = random.normal(size=(200, 4, 3))
    rewards = actions @ np.array([0.3, -0.2, 0.5]) + 0.1 * random.standard_normal((200, 4))
    rounds = Rounds(actions, np.full(200, 4), rewards, rewards)
    settings = (0.1, 2.0, 1.0, 0.5, 1e-12)
    (pool,) = play_on(dw.DetectingLinUCB(*settings), rounds, seed=3, is_compiled=False)
    (plain,) = play_on(dw.LinUCB(*settings), rounds, seed=3, is_compiled=False)
    assert pool.memory.failures.sum() == 0
    assert (pool.arms == plain.arms).all()


def test_nothing_changed() -> None:
    world = dw.worlds.Switching(horizon=3000, n_changes=5, noise=0.1)
    run = dw.simulate(dw.DetectingLinUCB.tuned(noise=0.1), world, seed=0)
    assert run.total_regret == pytest.approx(90.79754651543084, rel=1e-9), run.total_regret


def test_tuned_is_as_published() -> None:
    policy = dw.DetectingLinUCB.tuned(noise=0.2, ridge=0.1)
    assert policy == dw.DetectingLinUCB(0.2, 1.0, 1.0, 0.1, 0.01, 0.01, 0.002, 200)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("verdicts", 0, "verdicts must be at least 1, got 0"),
        ("models", 0, "models must be at least 1, got 0"),
        ("doubt", 0.0, r"doubt must be in \(0, 1\], got 0.0"),
        ("tolerance", -1.0, "tolerance must be at least 0, got -1.0"),
        ("noise", -1.0, "noise must be at least 0, got -1.0"),
    ],
)
def test_bad_settings(name: str, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dw.DetectingLinUCB(**{"noise": 0.1, name: value})
