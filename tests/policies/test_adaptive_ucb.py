"""AdaptiveUCB, told a bound, against its recursion in plain NumPy, written for reading.

Told nothing, on arms: test_adaptive_arms.py."""

# The letters of the formulas, so that they can be read beside the docstring.
# ruff: noqa: N803, N806

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from driftwise import AdaptiveUCB, Agent, UnitBall, simulate
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.models.kalman.mixture import NOISE, WEIGHT
from driftwise.worlds import Sinusoid, World
from tests.policies.near_ties import is_near_tie
from tests.policies.offers import offer

PlayOn = Callable[..., Iterator[Any]]


class Update(NamedTuple):
    density: float  # of the error
    m: Vector
    P: Matrix
    noise: float  # what the error says of it


class Recursion:
    """The mixture of Kalman filters with a probe, for actions of length up to 1."""

    def __init__(self, policy: AdaptiveUCB, d: int) -> None:
        steps = round(math.log(policy.fastest_drift / policy.slowest_drift, policy.drift_ratio))
        drifts = [policy.slowest_drift * policy.drift_ratio**k for k in range(steps + 1)]
        self.kappa = np.array([0.0, *drifts])
        M, S = len(self.kappa), (policy.parameter_norm or 1.0) * (policy.action_norm or 1.0)
        self.policy, self.S, self.d, self.M, self.t = policy, S, d, M, 0
        self.m = np.zeros((M, d))
        self.P = np.tile(S**2 * np.eye(d), (M, 1, 1))
        self.R2 = np.full(M, (policy.first_noise * S) ** 2)
        self.w = np.full(M, 1 / M)
        self.U = np.zeros((d, d))
        self.begin_round()

    def begin_round(self) -> None:
        r = self.policy.probing / (self.t + 1) ** self.policy.probing_decay
        self.U = self.U + r * np.eye(self.d)
        for j in range(self.M):
            q = min(self.kappa[j] * self.R2[j], self.S**2)
            self.P[j] = (1 - q / self.S**2) * self.P[j] + q * np.eye(self.d)
        self.mean = self.w @ self.m
        apart = self.m - self.mean
        self.C = sum(self.w[j] * (self.P[j] + np.outer(apart[j], apart[j])) for j in range(self.M))

    def upper_bounds(self, actions: Matrix) -> Vector:
        bounds = []
        for x in actions:
            h, most = math.log(1 + self.unseen(x)), self.S * float(np.linalg.norm(x))
            mean, deviation = x @ self.mean, math.sqrt(x @ self.C @ x)
            bounds.append(max(mean + self.policy.width * deviation, (mean + h * most) / (1 + h)))
        return np.array(bounds)

    def unseen(self, x: Vector) -> float:
        return float(x @ self.U @ x / (x @ x)) if x.any() else 0.0

    def observe(self, x: Vector, y: float) -> None:
        rule, u, along = self.policy, self.unseen(x), self.U @ x
        v = u / (1 + u)
        q = rule.doubt * v**3
        aim = along / (x @ along) if u > 0 else 0 * x
        most = self.S**2 / (aim @ aim) if u > 0 else 0.0
        ratio = self.w @ self.R2 / self.S**2
        self.U = self.U - np.outer(along, along) / (x @ along + ratio)
        alpha = min(rule.sharing, 1 / (self.t + rule.sharing_delay))
        log_w = np.empty(self.M)
        for j in range(self.M):
            e, jump = y - x @ self.m[j], max(v * most - x @ self.P[j] @ x, 0)
            calm = self.update(j, x, e, self.P[j])
            moved = self.update(j, x, e, self.P[j] + jump * np.outer(aim, aim))
            law = (1 - q) * calm.density + q * moved.density
            pi = q * moved.density / law
            log_w[j] = math.log((1 - alpha) * self.w[j] + alpha / self.M) + math.log(law)
            apart = moved.m - calm.m
            self.m[j] = calm.m + pi * apart
            s = self.R2[j] + x @ self.P[j] @ x
            less = min(1, rule.error_cap * s / e**2) if e else 1
            self.P[j] = (1 - pi) * calm.P + pi * moved.P
            self.P[j] += pi * (1 - pi) * less * np.outer(apart, apart)
            seen = (1 - pi) * calm.noise + pi * moved.noise
            self.R2[j] += (seen - self.R2[j]) / min(self.t + 2, rule.noise_memory)
            self.R2[j] = max(self.R2[j], (rule.least_noise * self.S) ** 2)
        self.w = np.exp(log_w - log_w.max())
        self.w /= self.w.sum()
        self.t += 1
        self.begin_round()

    def update(self, j: int, x: Vector, e: float, P: Matrix) -> Update:
        """What filter j makes of an error, if P is the covariance of its parameter."""
        p, R2, rule = x @ P @ x, self.R2[j], self.policy
        s = R2 + p
        return Update(
            math.exp(-min(e**2 / s, rule.error_cap) / 2) / math.sqrt(s),
            self.m[j] + P @ x * e / s,
            P - np.outer(P @ x, P @ x) / s,
            min(e**2, rule.noise_cap * s) * (R2 / s) ** 2 + p / s * R2,
        )


def path(horizon: int) -> Matrix:
    """A parameter of length up to 1.5 that winds, and jumps in the middle."""
    t = np.arange(horizon) / horizon
    jump = np.where(t < 0.5, 1.0, -1.0)
    return np.stack([np.sin(9 * t), jump * np.cos(7 * t), 0.4 - t], axis=1)


def general(horizon: int, *, is_fixed: bool) -> World:
    random = np.random.default_rng(11)
    sets: Any = random.uniform(-1, 1, (6, 3))
    if not is_fixed:
        sets = [random.uniform(-1, 1, (random.integers(1, 9), 3)) for _ in range(horizon)]
    return World(parameters=path(horizon), decision_sets=sets, noise=0.3)


def on_axes(horizon: int) -> World:
    """Actions of many lengths along three axes, some of them along the same one."""
    lengths, axes = np.array([0.9, -1.2, 0.4, 0.0, 1.7, -0.3]), [0, 1, 1, 2, 2, 0]
    sets = lengths[:, None] * np.eye(3)[axes]
    return World(parameters=path(horizon), decision_sets=sets, noise=0.3)


WORLDS = {
    "the paper's": Sinusoid(horizon=900, variation=2.0, noise=0.1),
    "on axes": on_axes(900),
    "fixed": general(900, is_fixed=True),
    "changing": general(900, is_fixed=False),
}
POLICY = AdaptiveUCB(parameter_norm=1.6, action_norm=1.75)
# Nothing as it is by default, and all of it felt within some hundred rounds.
OTHER = AdaptiveUCB(
    parameter_norm=1.6, action_norm=1.75, width=1.3, slowest_drift=1e-5, fastest_drift=1.0,
    drift_ratio=10.0, sharing=0.01, sharing_delay=40.0, doubt=0.9, probing=0.4, probing_decay=0.3,
    error_cap=4.0, noise_cap=2.0, noise_memory=60.0, least_noise=0.1, first_noise=0.2,
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "policy"),
    [*((name, POLICY) for name in WORLDS), ("on axes", OTHER), ("changing", OTHER)],
)
def test_plays_the_recursion(name: str, policy: AdaptiveUCB, play_on: PlayOn) -> None:
    world, L = WORLDS[name], policy.action_norm or 1.0
    rounds = next(world.rounds(3, world.horizon))
    twin = Recursion(policy, world.dimension)
    near_ties, t = 0, 0
    for stretch in play_on(policy, rounds, seed=3, size=50):
        for arm in stretch.arms:
            near_ties += is_near_tie(twin.upper_bounds(offer(rounds, t) / L), arm)
            twin.observe(offer(rounds, t)[arm] / L, rounds.rewards[t, arm])
            t += 1
        table = stretch.memory.mixture.table
        np.testing.assert_allclose(table[WEIGHT], twin.w, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(table[NOISE], twin.R2, rtol=1e-9)
        np.testing.assert_allclose(
            policy.estimate_in(stretch.memory), twin.mean / L, rtol=1e-9, atol=1e-12
        )
    assert t == world.horizon
    assert near_ties <= 5  # where arms are alike at the start


def test_a_late_reward_is_learnt_from_when_it_comes(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    world, L = general(300, is_fixed=False), POLICY.action_norm or 1.0
    rounds = next(world.rounds(4, world.horizon))
    agent = Agent(POLICY, dimension=3, seed=4, is_interpreted=True)
    twin = Recursion(POLICY, 3)
    decisions, n_late = [], 0
    for t, come in enumerate(arrivals(world.horizon)):
        decisions.append(agent.choose(offer(rounds, t)))
        is_near_tie(twin.upper_bounds(offer(rounds, t) / L), decisions[t].arm)
        for s in come:
            reward = float(rounds.rewards[s, decisions[s].arm])
            agent.learn(decisions[s], reward)
            twin.observe(decisions[s].action / L, reward)
            n_late += s < t
    assert n_late > 100


def test_nothing_changed() -> None:
    """One run with a known outcome; taken over when the recursion above agreed."""
    run = simulate(AdaptiveUCB(1.0, 1.0), Sinusoid(horizon=3000, variation=1.0, noise=0.1), seed=0)
    assert run.total_regret == pytest.approx(7.934946946998124, rel=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parameter_norm": 0.0}, "parameter_norm must be in [1e-30, 1e+30], got 0.0"),
        ({"action_norm": 1e40}, "action_norm must be in [1e-30, 1e+30], got 1e+40"),
        ({"fastest_drift": 1e-9}, "fastest_drift must be in [9.53674e-07, 1e+30], got 1e-09"),
        ({"drift_ratio": 1.0}, "drift_ratio must be at least 1.01, got 1.0"),
        ({"sharing": 0.0}, "sharing must be in [1e-12, 1], got 0.0"),
        ({"error_cap": 201.0}, "error_cap must be in [1e-06, 200], got 201.0"),
        ({"noise_memory": 1.0}, "noise_memory must be at least 2, got 1.0"),
        ({"least_noise": 0.0}, "least_noise must be in [1e-06, 1], got 0.0"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        AdaptiveUCB(**settings)


def test_the_grid_of_drifts_is_a_setting() -> None:
    def n_filters(**settings: float) -> int:
        memory = AdaptiveUCB(**settings).start(2, 2, None)
        return int(memory.mixture.table.shape[1])

    assert n_filters() == 14
    assert n_filters(drift_ratio=16.0) == 8
    assert n_filters(slowest_drift=1.0, fastest_drift=1.0) == 2


def test_the_unit_ball_is_refused() -> None:
    with pytest.raises(ValueError, match="AdaptiveUCB chooses among rows"):
        Agent(AdaptiveUCB(), decision_set=UnitBall(2))
