"""Bandit-over-Bandit against Algorithm 2 of the paper, also when rewards come late."""

# The letters of the paper, so that its lines can be read beside these.
# ruff: noqa: N806

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise import Agent, BanditOverBandit, SlidingWindowUCB
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork
from driftwise.core.randomness.seeds import luck_of
from driftwise.worlds import Sinusoid
from tests.making import BEYOND_SETTINGS
from tests.policies.near_ties import is_near_tie
from tests.policies.offers import offer
from tests.policies.printed_weights import chances, draw
from tests.policies.winding import general

pytestmark = BEYOND_SETTINGS

PlayOn = Callable[..., Iterator[Any]]


class Problem(NamedTuple):
    """The input of Algorithm 2."""

    T: int
    d: int
    R: float
    L: float
    S: float
    lam: float

    def tuned(self) -> BanditOverBandit:
        return BanditOverBandit.tuned(
            horizon=self.T, dimension=self.d, noise=self.R,
            action_norm=self.L, parameter_norm=self.S, ridge=self.lam,
        )  # fmt: skip


class Plan(NamedTuple):
    """What Algorithm 2 computes before the first round."""

    H: int
    J: list[int]
    gamma: float
    scale: float

    def over(self, base: SlidingWindowUCB) -> BanditOverBandit:
        return BanditOverBandit(base, np.array(self.J), self.H, self.gamma, self.scale)


def planned(problem: Problem) -> Plan:
    T, d, R = problem[:3]
    H = math.floor(d ** (2 / 3) * T ** (1 / 2) + 1e-9)
    Delta = math.ceil(math.log(H))
    J = [math.floor(H ** (j / Delta) + 1e-9) for j in range(Delta + 1)]
    n_blocks = math.ceil(T / H)
    gamma = min(1, math.sqrt((Delta + 1) * math.log(Delta + 1) / ((math.e - 1) * n_blocks)))
    return Plan(H, J, gamma, 2 * H + 4 * R * math.sqrt(H * math.log(T / math.sqrt(H))))


class Block(NamedTuple):
    p: Vector  # chance of each window
    j: int  # the one drawn
    bounds: list[Vector]  # upper bounds of each round
    estimate: Vector  # after the last round


def algorithm_two(
    problem: Problem, plan: Plan, rounds: Rounds, arms: NDArray[np.int64], seed: int
) -> Iterator[Block]:
    """Follow Algorithm 2 through the arms that were played."""
    T, d, R, L, S, lam = problem
    H, J, gamma, scale = plan
    s = np.ones(len(J))
    X = np.array([offer(rounds, t)[arms[t]] for t in range(T)])
    Y = rounds.rewards[np.arange(T), arms]
    luck = fork(luck_of(seed), -1)
    for i in range(math.ceil(T / H)):
        p = chances(s, gamma)
        j = draw(p, luck)
        w = J[j]
        beta = R * math.sqrt(d * math.log(T * (1 + w * L**2 / lam))) + math.sqrt(lam) * S
        V, estimate, bounds = lam * np.eye(d), np.zeros(d), []
        start, end = i * H, min((i + 1) * H, T)
        for t in range(start, end):
            D = offer(rounds, t)
            squares = np.sum(D * np.linalg.solve(V, D.T).T, axis=1)
            bounds.append(D @ estimate + beta * np.sqrt(squares))
            recent = slice(max(start, t + 1 - w), t + 1)
            V = lam * np.eye(d) + X[recent].T @ X[recent]
            estimate = np.linalg.solve(V, X[recent].T @ Y[recent])
        yield Block(p, j, bounds, estimate)
        s[j] *= math.exp(gamma / (len(J) * p[j]) * (1 / 2 + Y[start:end].sum() / scale))
        luck = fork(fork(luck_of(seed), end - 1))


WORLDS = {
    "the paper's": Sinusoid(horizon=5000, variation=2.0, noise=0.1),
    "fixed": general(2000, seed=12, is_fixed=True),
    "changing": general(2500, seed=12, is_fixed=False),
}


@pytest.mark.parametrize("name", WORLDS)
def test_plays_algorithm_2(name: str, play_on: PlayOn) -> None:
    world = WORLDS[name]
    problem = Problem(world.horizon, world.dimension, 0.2, 1.7, 0.6, 0.5)
    plan = planned(problem)
    assert world.horizon % plan.H, "the last block must be a shorter one"
    _compare(problem, plan, problem.tuned(), world, play_on)


@pytest.mark.parametrize("name", WORLDS)
def test_weights_of_all_sizes(name: str, play_on: PlayOn) -> None:
    """A small scale makes the weights of windows differ by many orders of magnitude."""
    world = WORLDS[name]
    problem = Problem(world.horizon, world.dimension, 0.2, 1.7, 0.6, 0.5)
    plan = Plan(30, [3, 1, 11, 30, 200], 0.15, 9.0)
    base = SlidingWindowUCB(5, 0.2, 1.7, 0.6, 0.5, 1 / world.horizon)
    _compare(problem, plan, plan.over(base), world, play_on)


def _compare(
    problem: Problem, plan: Plan, policy: BanditOverBandit, world: Any, play_on: PlayOn
) -> None:
    rounds = next(world.rounds(9, world.horizon))
    # The compiler takes long over this layout, and gives the same bits as the interpreter.
    is_compiled = world is not WORLDS["fixed"]
    arms, seen = [], []
    for stretch in play_on(policy, rounds, seed=9, size=plan.H, is_compiled=is_compiled):
        arms.append(stretch.arms)
        memory = stretch.memory
        seen.append((memory.chances.copy(), *memory.block.tolist(), policy.estimate_in(memory)))
    twin = list(algorithm_two(problem, plan, rounds, np.concatenate(arms), seed=9))
    near_ties = 0
    for i, block in enumerate(twin):
        near_ties += sum(map(is_near_tie, block.bounds, arms[i]))
        if i > 0:  # the memory that came out of block i - 1 is that with which block i begins
            p, number, candidate, n_rewards, _ = seen[i - 1]
            np.testing.assert_allclose(p, block.p, rtol=1e-9)
            assert (number, candidate, n_rewards) == (i, block.j, 0)
    assert len({block.j for block in twin}) == len(plan.J), "every window must have had its block"
    # The last block is short: it never ends, so the memory still holds it.
    np.testing.assert_allclose(seen[-1][-1], twin[-1].estimate, rtol=1e-8)
    assert seen[-1][1:4] == (len(twin) - 1, twin[-1].j, world.horizon % plan.H)
    # All arms of the paper's world are alike in the first round of a block, and hardly ever again.
    expected = len(twin) if world is WORLDS["the paper's"] else 0
    assert expected <= near_ties <= expected + 2


class Open:
    """The block in play, when rewards come late: what its own rewards say."""

    def __init__(self, number: int, p: Vector, j: int) -> None:
        self.number, self.p, self.j = number, p, j
        self.X, self.Y = list[Vector](), list[float]()
        self.n_rewards = 0  # of this block or of others

    def ridge(self, w: int, lam: float, d: int) -> tuple[Matrix, Vector]:
        X, Y = np.array(self.X[-w:]).reshape(-1, d), np.array(self.Y[-w:])
        V = lam * np.eye(d) + X.T @ X
        return V, np.linalg.solve(V, X.T @ Y)


def test_late_rewards(arrivals: Callable[[int], list[list[int]]]) -> None:
    world = WORLDS["changing"]
    rounds = next(world.rounds(10, world.horizon))
    T, d, R, lam = world.horizon, 3, 0.2, 0.5
    H, J, gamma, scale = plan = Plan(25, [2, 6, 25], 0.2, 20.0)
    base = SlidingWindowUCB(9, R, 1.0, 1.0, lam, 1 / T)
    agent = Agent(plan.over(base), dimension=3, seed=10)
    log_s = np.zeros(3)
    p = chances(np.exp(log_s), gamma)
    block = Open(0, p, draw(p, fork(luck_of(10), -1)))
    decisions, day = [], []
    n_late, near_ties = 0, 0
    for t, come in enumerate(arrivals(world.horizon)):
        D, w = offer(rounds, t), J[block.j]
        V, estimate = block.ridge(w, lam, d)
        beta = R * math.sqrt(d * math.log(T * (1 + w / lam))) + math.sqrt(lam)
        bounds = D @ estimate + beta * np.sqrt(np.sum(D * np.linalg.solve(V, D.T).T, axis=1))
        decision = agent.choose(D)
        agent.give_up(decision)  # nothing is in flight: see test_flight.py for that
        near_ties += is_near_tie(bounds, decision.arm)
        np.testing.assert_allclose(agent.estimate, estimate, rtol=1e-8, atol=1e-8)
        decisions.append(decision)
        day.append(block)
        for s in come:
            reward = rounds.rewards[s, decisions[s].arm]
            agent.learn(decisions[s], reward)
            then = day[s]
            if then is block:
                block.X.append(decisions[s].action)
                block.Y.append(reward)
            else:
                # What the block would have had on top of its sum of rewards.
                log_s[then.j] += gamma / (len(J) * then.p[then.j]) * reward / scale
                n_late += 1
            block.n_rewards += 1
            if block.n_rewards == H:
                gain = 1 / 2 + sum(block.Y) / scale
                log_s[block.j] += gamma / (len(J) * block.p[block.j]) * gain
                p = chances(np.exp(log_s - log_s.max()), gamma)
                block = Open(block.number + 1, p, draw(p, fork(fork(luck_of(10), s))))
                np.testing.assert_allclose(agent.memory.chances, p, rtol=1e-9)
                assert agent.memory.block.tolist() == [block.number, block.j, 0]
    assert n_late > 200
    assert near_ties == 0
