"""Windowed and discounted logistic bandits against direct solves, and what must always hold."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import root
from scipy.special import expit

import driftwise as dw
from driftwise.core.contract.policy import Choice
from tests.making import BEYOND_SETTINGS
from tests.policies.rotated import rotated_agents

pytestmark = BEYOND_SETTINGS

Array = NDArray[np.float64]
COMMON: dict[str, Any] = {
    "noise": 0.4, "action_norm": 1.5, "parameter_norm": 2.0, "ridge": 0.3, "confidence": 0.05,
    "radius_scale": 0.02,
}  # fmt: skip
EXACT: dict[str, Any] = {**COMMON, "newton_steps": 100}
PARAMETER = np.array([1.5, -1.0, 0.7])
few = settings(derandomize=True, deadline=None, max_examples=10, database=None)


def root_of(x: Array, y: Array, weights: Array, ridge: float) -> Array:
    """Return the root of the score equation, by somebody else's solver."""

    def score(theta: Array) -> Array:
        return np.asarray(x.T @ (weights * (expit(x @ theta) - y)) + ridge * theta)

    def slope(theta: Array) -> Array:
        z = x @ theta
        return np.asarray((x.T * (weights * expit(z) * expit(-z))) @ x + ridge * np.eye(len(theta)))

    found = root(score, np.zeros(x.shape[1]), jac=slope, tol=1e-12)
    assert np.abs(score(found.x)).max() < 1e-10
    return np.asarray(found.x)


class Twin:
    """All rounds, with a weight each, from scratch; written for reading."""

    def __init__(self, x: Array, y: Array, weights: Array) -> None:
        # Section 5.2 of the formulas: slope bounds k and c, V and W with the ridge over c.
        least = expit(1.5 * 2.0) * expit(-1.5 * 2.0)
        ridge, d = 0.3, x.shape[1]
        self.v = (x.T * weights) @ x + ridge / least * np.eye(d)
        self.w = (x.T * weights**2) @ x + ridge / least * np.eye(d)
        seen = weights > 1e-3  # what fainter rounds have to say is not read
        self.estimate = root_of(x[seen], y[seen], weights[seen], ridge)
        growth = d * math.log(1.0 + least * 1.5**2 * float(weights @ weights) / (d * ridge))
        noise_part = 0.4 * math.sqrt(2.0 * math.log(1.0 / 0.05) + growth)
        self.radius = 2.0 * 0.25 / least * (noise_part + math.sqrt(ridge * least) * 2.0)

    def bounds(self, offer: Array) -> Array:
        inverse = np.linalg.inv(self.v)
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, inverse @ self.w @ inverse, offer))
        return np.asarray(expit(offer @ self.estimate) + 0.02 * self.radius * widths)


def clicks(rng: np.random.Generator, action: Array) -> float:
    return float(rng.random() < expit(action @ PARAMETER[: len(action)]))


@pytest.mark.parametrize(
    ("policy", "weights_at"),
    [
        (dw.SlidingWindowGLMUCB(window=1, **EXACT), lambda t: np.ones(min(t, 1))),
        (dw.SlidingWindowGLMUCB(window=25, **EXACT), lambda t: np.ones(min(t, 25))),
        (dw.DiscountedGLMUCB(discount=0.15, **EXACT), lambda t: 0.15 ** np.arange(t)),
        (dw.DiscountedGLMUCB(discount=0.85, **EXACT), lambda t: 0.85 ** np.arange(t)),
        (dw.DiscountedGLMUCB(discount=1.0, **EXACT), np.ones),
    ],
    ids=lambda value: None if callable(value) else repr(value)[:32],
)
def test_every_choice_is_that_of_the_twin(policy: Any, weights_at: Callable[[int], Array]) -> None:
    rng = np.random.default_rng(5)
    agent = dw.Agent(policy, dimension=3, seed=1, is_interpreted=True)
    actions: list[Array] = []  # newest first
    rewards: list[float] = []
    for t in range(90):
        offer = rng.uniform(-1.0, 1.0, (int(rng.integers(2, 7)), 3))
        weights = weights_at(t)
        n = len(weights)
        twin = Twin(np.array(actions[:n]).reshape(-1, 3), np.array(rewards[:n]), weights)
        bounds = twin.bounds(offer)
        decision = agent.choose(offer)
        assert decision.value == pytest.approx(bounds.max(), rel=1e-7)
        assert np.diff(np.sort(bounds))[-1] > 1e-6, "a tie would show nothing"
        assert decision.arm == bounds.argmax()
        np.testing.assert_allclose(agent.estimate, twin.estimate, rtol=1e-6, atol=1e-6)
        reward = clicks(rng, decision.action)
        agent.learn(decision, reward)
        actions.insert(0, decision.action)
        rewards.insert(0, reward)


class Learner:
    """A policy that is shown rounds, rather than playing them."""

    def __init__(self, policy: Any, dimension: int) -> None:
        self.policy, self.memory = policy, policy.start(0, dimension, None)
        policy.restart(self.memory, 0)

    def see(self, rng: np.random.Generator, n_rounds: int = 1) -> Array:
        """Take in rounds that owe nothing to each other; return the estimate."""
        for _ in range(n_rounds):
            action = rng.uniform(-1.0, 1.0, self.memory.fit.estimate.size)
            self.policy.learn(self.memory, action, Choice(0, 1.0, 0.0), clicks(rng, action), 0)
        return np.asarray(self.policy.estimate_in(self.memory))


def test_the_default_few_steps_come_close() -> None:
    """Within 1e-8 of the root; one step does not."""
    counts: list[dict[str, Any]] = [{}, {"newton_steps": 1}, {"newton_steps": 100}]
    learners = [Learner(dw.SlidingWindowGLMUCB(window=40, **each), 3) for each in counts]
    worst = np.zeros(2)
    for t in range(120):
        default, single, exact = (each.see(np.random.default_rng(t)) for each in learners)
        errors = np.abs([default - exact, single - exact]).max(axis=1)
        worst = np.maximum(worst, errors)
    assert worst[0] < 1e-8 < 1e-3 < worst[1]


@given(seed=st.integers(0, 10**6), window=st.integers(1, 12))
@few
def test_what_left_the_window_leaves_no_trace(seed: int, window: int) -> None:
    policy = dw.SlidingWindowGLMUCB(window=window, **EXACT)
    fresh, old = Learner(policy, 2), Learner(policy, 2)
    old.see(np.random.default_rng(seed + 1), 17)
    wanted = fresh.see(np.random.default_rng(seed), window)
    got = old.see(np.random.default_rng(seed), window)
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-9)
    assert old.memory.radius.tolist() == fresh.memory.radius.tolist()
    offer = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 2))
    values = [policy.choose(each.memory, offer, 0).value for each in (fresh, old)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 3))
@few
def test_without_a_discount_nothing_is_forgotten(seed: int, dimension: int) -> None:
    rng = np.random.default_rng(seed)
    policies = (
        dw.SlidingWindowGLMUCB(window=500, **EXACT),
        dw.DiscountedGLMUCB(discount=1.0, **EXACT),
    )
    agents = [
        dw.Agent(policy, dimension=dimension, seed=seed, is_interpreted=True) for policy in policies
    ]
    for _ in range(25):
        offer, reward = rng.uniform(-1.0, 1.0, (5, dimension)), float(rng.random() < 0.4)
        decisions = [agent.choose(offer) for agent in agents]
        assert decisions[0].arm == decisions[1].arm
        assert decisions[0].value == pytest.approx(decisions[1].value, rel=1e-9)
        for agent, decision in zip(agents, decisions, strict=True):
            agent.learn(decision, reward)


@given(seed=st.integers(0, 10**6))
@few
def test_rotating_the_world_changes_no_choice(seed: int) -> None:
    for policy in (
        dw.SlidingWindowGLMUCB(window=8, **COMMON),
        dw.DiscountedGLMUCB(discount=0.7, **COMMON),
    ):
        plain, rotated, turn = rotated_agents(
            policy,
            seed,
            20,
            lambda rng: (rng.uniform(-1.0, 1.0, (4, 3)), float(rng.random() < 0.5)),
        )
        np.testing.assert_allclose(rotated.estimate, plain.estimate @ turn, atol=1e-9)


def test_only_so_many_rounds_are_kept() -> None:
    """With no discount a ring of five is a window of five, for the estimate."""
    kept = Learner(dw.DiscountedGLMUCB(discount=1.0, rounds_kept=5, **EXACT), 2)
    window = Learner(dw.SlidingWindowGLMUCB(window=5, **EXACT), 2)
    for t in range(17):
        got, wanted = (each.see(np.random.default_rng(t)) for each in (kept, window))
        np.testing.assert_allclose(got, wanted, atol=1e-9)


@pytest.mark.parametrize(
    "base",
    [
        dw.SlidingWindowGLMUCB(window=5, **COMMON),
        dw.DiscountedGLMUCB(discount=0.9, **COMMON),
    ],
    ids=["window", "discount"],
)
def test_bandit_over_bandit_takes_them_as_base(base: Any) -> None:
    policy = dw.BanditOverBandit.tuned(horizon=150, dimension=3, noise=0.5, base=base)
    assert policy.settings.tolist() == list(base.candidates(policy.block_length))
    agent = dw.Agent(policy, dimension=3, seed=2, is_interpreted=True)
    rng, drawn, block = np.random.default_rng(3), set(), list[tuple[Any, float]]()
    for _ in range(190):
        decision = agent.choose(rng.uniform(-1.0, 1.0, (4, 3)))
        reward = clicks(rng, decision.action)
        if block and block[-1][0].choice.block != decision.choice.block:
            block.clear()
        block.append((decision, reward))
        agent.learn(decision, reward)
        drawn.add(decision.choice.candidate)
    assert len(drawn) > 2
    assert 0 < len(block) < policy.block_length
    # A base that plays nothing but this block, under the setting drawn for it, knows the same.
    alone = base.adjusted(policy.settings[block[-1][0].choice.candidate].item())
    memory = alone.start(0, 3, None)
    alone.restart(memory, 0)
    for decision, reward in block:
        alone.learn(memory, decision.action, decision.choice.base, reward, 0)
    assert agent.estimate.tobytes() == alone.estimate_in(memory).tobytes()
