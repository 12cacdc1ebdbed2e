"""Decisions in flight make widths as narrow as their rewards will, and estimates stay as they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import driftwise as dw
from driftwise.core.models.flight import SLOTS
from tests.making import BEYOND_SETTINGS
from tests.policies.flight_twin import Array, Play, bounded, fading, recent, rounds

pytestmark = BEYOND_SETTINGS

COMMON: dict[str, Any] = {"noise": 0.3, "ridge": 0.7}
AXES = np.diag([1.0, -2.0, 0.5])
TILTED = np.random.default_rng(8).standard_normal((5, 3))


def summed(actions: list[Array], weights: Array) -> Array:
    x = np.array(actions).reshape(-1, 3)
    return np.asarray((x.T * weights) @ x)


def since_restart(n: int) -> Array:
    return np.asarray(np.arange(n) >= n - n % 9, float)


LINEAR: dict[str, tuple[Any, Callable[[int], Array]]] = {
    "window": (dw.SlidingWindowUCB(window=8, **COMMON), recent),
    "discount": (dw.DiscountedLinUCB(discount=0.9, **COMMON), fading),
    "restarts": (dw.RestartUCB(restart_every=9, **COMMON), since_restart),
    "everything": (dw.LinUCB(**COMMON), np.ones),
}


@pytest.mark.parametrize("rows", [AXES, TILTED, None], ids=["axes", "tilted", "changing"])
@pytest.mark.parametrize("name", LINEAR)
@given(happening=rounds)
@bounded
def test_bounds_with_all_rows_in_flight_inserted(
    name: str, rows: Array | None, happening: list[tuple[int, int, bool]]
) -> None:
    policy, weights_of = LINEAR[name]
    play = Play(policy, rows)
    for count, which, is_given_up in happening:
        offer = play.offer()
        decision = play.choose(offer)
        weights = weights_of(len(play.learnt))
        actions = [action for action, _, _ in play.learnt]
        flying = [each.action for each in play.twin.waiting()]
        in_flight = summed(flying, play.twin.counts())
        gram = 0.7 * np.eye(3) + summed(actions, weights)
        rewards = np.array([reward for _, reward, _ in play.learnt])
        estimate = np.linalg.solve(gram, np.array(actions).reshape(-1, 3).T @ (weights * rewards))
        assert play.agent.estimate == pytest.approx(estimate, rel=1e-8, abs=1e-12)
        inverse = np.linalg.inv(gram + in_flight)
        squares = 0.7 * np.eye(3) + summed(actions, weights**2) + in_flight
        shape = inverse @ squares @ inverse if name == "discount" else inverse
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, shape, offer))
        bounds = offer @ estimate + play.agent.memory.radius[0] * widths
        assert decision.value == pytest.approx(bounds.max(), rel=1e-9)
        assert bounds[decision.arm] == pytest.approx(bounds.max(), rel=1e-9)
        for _ in range(min(count, len(play.due))):
            play.hear(which, is_given_up)


@pytest.mark.parametrize("cls", [dw.LinTS, dw.DiscountedLinTS, dw.DiscountedRandLinUCB])
def test_draws_are_narrower(cls: Any) -> None:
    """By far: a hundred decisions are in flight after one reward."""
    policy = cls.tuned(horizon=1000, noise=0.3, **({} if cls is dw.LinTS else {"dimension": 1}))
    spreads = []
    for in_flight in (0, 100):
        agent = dw.Agent(policy, dimension=1, is_interpreted=True)
        agent.learn(agent.choose([[1.0]]), 0.0)
        for _ in range(in_flight + 1):
            agent.choose([[1.0]])
        memory, one = agent.memory, np.ones((1, 1))
        spreads.append(np.std([policy.choose(memory, one, luck).value for luck in range(99)]))
    assert spreads[1] < 0.5 * spreads[0]


@pytest.mark.parametrize("delay", [0, 30])
def test_a_pool_of_one_model_is_linucb_late_or_not(delay: int) -> None:
    """With a margin that nothing fails, the model that acts counts what is in flight as LinUCB does."""
    sets = np.random.default_rng(5).standard_normal((120, 4, 3))
    arms = []
    for policy in (dw.DetectingLinUCB(noise=2.0), dw.LinUCB(noise=2.0)):
        agent, decisions = dw.Agent(policy, dimension=3, seed=1, is_interpreted=True), []
        for t in range(120):
            decisions.append(agent.choose(sets[t]))
            if t >= delay:
                due = decisions[t - delay]
                agent.learn(due, float(due.action @ [0.5, -0.2, 0.1]))
        arms.append([each.arm for each in decisions])
    assert arms[0] == arms[1]


def test_what_is_never_heard_of_fades() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=2, is_interpreted=True)
    for t in range(2 * SLOTS):
        agent.choose()
        in_flight = agent.memory.pending.gram.sum()
        assert in_flight == min(t, SLOTS)
    # The next rewards come at once, so nobody waits for the others any more.
    for _ in range(200):
        agent.learn(agent.choose(), 0.5)
        agent.choose()
    assert agent.memory.pending.gram.sum() <= 4


def test_delays_that_become_longer_are_found_out() -> None:
    """What was taken for lost too early, and comes, says so."""
    agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=2, is_interpreted=True)
    decisions = []
    for t in range(1000):
        decisions.append(agent.choose())
        late = 10 if t < 200 else 100
        if t not in range(200, 290) and t >= late:
            agent.learn(decisions[t - late], 0.5)
        if t in (199, 999):
            assert agent.memory.pending.gram.sum() == late - 1  # the newest is not counted yet


@pytest.mark.parametrize("is_told", [False, True], ids=["unheard", "given up"])
def test_decisions_count_by_the_share_that_is_heard(is_told: bool) -> None:
    """Three of four rewards never come, the others come 20 rounds late: what is older has no hope."""
    agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=2, is_interpreted=True)
    decisions = []
    for t in range(1000):
        decisions.append(agent.choose())
        if t >= 20:
            if (t - 20) % 4 == 0:
                agent.learn(decisions[t - 20], 0.5)
            elif is_told:
                agent.give_up(decisions[t - 20])
    assert agent.memory.pending.gram.sum() == pytest.approx(20 / 4, abs=1.0)


def test_a_giant_that_lands_leaves_no_trace() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1, action_norm=1e8), dimension=2, is_interpreted=True)
    small = agent.choose([[0.3, 0.1]])
    giant = agent.choose([[1e8, 3e7]])
    agent.choose([[0.2, 0.7]])
    agent.give_up(giant)
    row = small.action
    wanted = np.tril(np.outer(row, row))
    assert agent.memory.pending.gram == pytest.approx(wanted, rel=1e-14)
    agent.give_up(small)
    assert not agent.memory.pending.gram.any()


def test_late_rewards_cost_little() -> None:
    """Without the count, ten rounds of delay cost two and a half times as much."""
    world = dw.worlds.Sinusoid(horizon=3000, variation=1.0, noise=0.1)
    policy = dw.SlidingWindowUCB(window=200, noise=0.1)
    at_once, late = (
        np.mean([dw.simulate(policy, world, seed=s, delay=delay).total_regret for s in range(4)])
        for delay in (0, 10)
    )
    assert late < 1.3 * at_once
