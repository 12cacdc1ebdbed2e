"""Rounds in which nothing was learnt: windows move on, discounts fade, periods pass."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.compiler.compiled import compiled
from driftwise.core.contract.optional import tick
from tests.core.agents import bits
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

Array = NDArray[np.float64]
Weights = Callable[[int], NDArray[Any]]  # of so many rounds, the oldest first
AXES = np.diag([1.0, 2.0, 0.5])
TILTED = np.random.default_rng(8).standard_normal((5, 3))

bounded = settings(derandomize=True, deadline=None, max_examples=25, database=None)


def recent(window: int) -> Weights:
    return lambda n: np.arange(n - 1, -1, -1) < window * 1.0


def fading(discount: float) -> Weights:
    return lambda n: np.asarray(discount ** np.arange(n - 1, -1, -1.0))


def since_restart(period: int) -> Weights:
    return lambda n: np.arange(n) >= n - n % period


def since_change(points: list[int]) -> Weights:
    return lambda n: np.arange(n) >= max([p for p in points if p <= n], default=0)


LINEAR: dict[str, tuple[Any, Weights]] = {
    "window": (dw.SlidingWindowUCB(window=6, noise=0.2), recent(6)),
    "discount": (dw.DiscountedLinUCB(discount=0.8, noise=0.2), fading(0.8)),
    "restarts": (dw.RestartUCB(restart_every=7, noise=0.2), since_restart(7)),
    "changes": (dw.OracleRestart(change_points=[5, 11], noise=0.2), since_change([5, 11])),
    "everything": (dw.LinUCB(noise=0.2), np.ones),
}
ARMS: dict[str, tuple[Any, Weights]] = {
    "window": (dw.SlidingWindowArmsUCB(window=6), recent(6)),
    "discount": (dw.DiscountedArmsUCB(discount=0.8), fading(0.8)),
    "beta": (dw.SlidingWindowBetaTS(window=6), recent(6)),
}
rounds = st.lists(st.booleans(), min_size=1, max_size=40)  # whether something was learnt


def played(agent: dw.Agent, rows: Array, has_reward: list[bool]) -> tuple[Array, Array]:
    """Return what each round taught: its action, zero where nothing was learnt, and its reward."""
    rng = np.random.default_rng(3)
    actions, rewards = np.zeros((len(has_reward), 3)), rng.random(len(has_reward))
    for t, is_learnt in enumerate(has_reward):
        if not is_learnt:
            tick(agent.policy, agent.memory)
            continue
        decision = agent.choose()
        agent.learn(decision, float(rewards[t]))
        actions[t] = rows[decision.arm]
    return actions, rewards


@pytest.mark.parametrize("rows", [AXES, TILTED], ids=["axes", "tilted"])
@pytest.mark.parametrize("name", LINEAR)
@given(has_reward=rounds)
@bounded
def test_regressions_on_the_rounds_that_count(
    name: str, rows: Array, has_reward: list[bool]
) -> None:
    policy, weights_of = LINEAR[name]
    agent = dw.Agent(policy, decision_set=rows, is_interpreted=True)
    actions, rewards = played(agent, rows, has_reward)
    weights = weights_of(len(has_reward))
    gram = np.eye(3) + (actions.T * weights) @ actions
    estimate = np.linalg.solve(gram, actions.T @ (weights * rewards))
    assert agent.estimate == pytest.approx(estimate, rel=1e-9, abs=1e-12)
    squares = np.eye(3) + (actions.T * weights**2) @ actions
    inverse = np.linalg.inv(gram)
    shape = inverse @ squares @ inverse if name == "discount" else inverse
    bounds = rows @ estimate
    bounds += agent.memory.radius[0] * np.sqrt(np.einsum("ki,ij,kj->k", rows, shape, rows))
    assert agent.choose().value == pytest.approx(bounds.max(), rel=1e-9)


@pytest.mark.parametrize("name", ARMS)
@given(has_reward=rounds)
@bounded
def test_arms_by_the_rounds_that_count(name: str, has_reward: list[bool]) -> None:
    policy, weights_of = ARMS[name]
    agent = dw.Agent(policy, n_arms=3, is_interpreted=True)
    actions, rewards = played(agent, np.eye(3), has_reward)
    weights = weights_of(len(has_reward))
    assert agent.memory.counts == pytest.approx(weights @ actions, rel=1e-12, abs=1e-15)
    assert agent.memory.sums == pytest.approx((weights * rewards) @ actions, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("cls", [dw.SlidingWindowGLMUCB, dw.DiscountedGLMUCB])
def test_clicks_by_the_rounds_that_count(cls: Any) -> None:
    """After as many ticks as matter, what was learnt before is forgotten."""
    policy = cls(3) if cls is dw.SlidingWindowGLMUCB else cls(0.1)
    agent = dw.Agent(policy, decision_set=AXES, is_interpreted=True)
    agent.learn(agent.choose(), 1.0)
    before = np.abs(agent.estimate).max()
    for _ in range(4):
        tick(policy, agent.memory)
    assert before > 0.1
    assert np.abs(agent.estimate).max() < 1e-3 * before


def test_a_base_is_told() -> None:
    base = dw.SlidingWindowUCB(window=4, noise=0.1)
    policy = dw.BanditOverBandit(base, settings=[4], block_length=50, mixing=0.5, reward_scale=9.0)
    agent = dw.Agent(policy, n_arms=2, is_interpreted=True)
    agent.learn(agent.choose(), 1.0)
    for _ in range(4):
        assert agent.estimate.any()
        tick(policy, agent.memory)
    assert not agent.estimate.any()


@compiled
def tick_compiled(policy: Any, memory: Any) -> None:
    tick(policy, memory)


@pytest.mark.parametrize("kind", [{"n_arms": 2}, {"decision_set": TILTED}])
@pytest.mark.parametrize("name", ["window", "discount"])
def test_compiled_ticks_have_the_same_bits(name: str, kind: dict[str, Any]) -> None:
    policy, _ = LINEAR[name]
    agents = [dw.Agent(policy, is_interpreted=True, **kind) for _ in range(2)]
    for t in range(60):
        for agent, passing in zip(agents, (tick, tick_compiled), strict=True):
            if t % 3 == 2:
                passing(policy, agent.memory)
            else:
                agent.learn(agent.choose(), 0.1 * t)
    assert bits(agents[0]) == bits(agents[1])


def test_an_agent_that_ticked_is_saved_and_explained() -> None:
    for policy in (LINEAR["window"][0], ARMS["window"][0]):
        agent = dw.Agent(policy, n_arms=2, is_interpreted=True)
        agent.learn(agent.choose(), 1.0)
        for _ in range(3):
            tick(policy, agent.memory)
        assert agent.explain()["effective_memory"] == 1.0
        assert dw.Agent.from_bytes(agent.to_bytes()).digest == agent.digest
