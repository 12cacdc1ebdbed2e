"""Linear policies that forget nothing, by restarts or by discounts, against direct solves."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from tests.core.agents import drawn
from tests.making import BEYOND_SETTINGS
from tests.policies.rotated import rotated_agents

pytestmark = BEYOND_SETTINGS

Array = NDArray[np.float64]
COMMON: dict[str, Any] = {
    "noise": 0.3, "action_norm": 2.0, "parameter_norm": 1.5, "ridge": 0.7, "confidence": 0.05,
}  # fmt: skip
HORIZON = 400


def trace_radius(weight: float, d: int) -> float:
    """Radius of Abbasi-Yadkori et al. and of Russac et al., with the settings of COMMON."""
    growth = d * math.log(1.0 + weight * 2.0**2 / (0.7 * d))
    return 0.3 * math.sqrt(2.0 * math.log(1.0 / 0.05) + growth) + math.sqrt(0.7) * 1.5


class Twin:
    """All rounds, with a weight each: V, W, the estimate and the widths, from scratch."""

    def __init__(self, actions: list[Array], rewards: list[float], weights: Array, d: int) -> None:
        x, y = np.array(actions).reshape(-1, d), np.array(rewards)
        self.v = 0.7 * np.eye(d) + (x.T * weights) @ x
        self.w = 0.7 * np.eye(d) + (x.T * weights**2) @ x
        self.estimate = np.linalg.solve(self.v, x.T @ (weights * y))
        self.weight = float(np.sum(weights**2))

    def bounds(self, offer: Array, radius: float, is_sandwich: bool) -> Array:
        inverse = np.linalg.inv(self.v)
        shape = inverse @ self.w @ inverse if is_sandwich else inverse
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, shape, offer))
        return np.asarray(offer @ self.estimate + radius * widths)


def follow(
    policy: Any,
    weights_at: Callable[[int], Array],
    is_sandwich: bool = False,
    fixed: Array | None = None,
) -> None:
    """Play, and check every choice against bounds computed from scratch."""
    rng = np.random.default_rng(5)
    dimension = 3 if fixed is None else None
    agent = dw.Agent(policy, dimension=dimension, decision_set=fixed, seed=1, is_interpreted=True)
    actions: list[Array] = []
    rewards: list[float] = []
    near_ties = 0
    for t in range(HORIZON):
        offer = rng.standard_normal((int(rng.integers(2, 7)), 3)) if fixed is None else fixed
        weights = weights_at(t)
        recent = slice(t - len(weights), t)
        twin = Twin(actions[recent], rewards[recent], weights, 3)
        bounds = twin.bounds(offer, trace_radius(twin.weight, 3), is_sandwich)
        decision = agent.choose(offer if fixed is None else None)
        assert decision.value == pytest.approx(bounds.max(), rel=1e-9)
        gap = np.partition(bounds, -2)[-1] - np.partition(bounds, -2)[-2]
        near_ties += gap < 1e-9
        assert decision.arm == bounds.argmax() or gap < 1e-9
        assert agent.estimate == pytest.approx(twin.estimate, rel=1e-8, abs=1e-12)
        reward = float(offer[decision.arm] @ [0.5, -0.2, math.sin(t / 50)])
        reward += 0.3 * float(rng.standard_normal())
        agent.learn(decision, reward)
        actions.append(offer[decision.arm])
        rewards.append(reward)
    assert near_ties == 0


def test_lin_ucb_is_ridge_regression_on_everything() -> None:
    follow(dw.LinUCB(**COMMON), np.ones)


@pytest.mark.parametrize("period", [1, 7, 150])
def test_restart_ucb_is_lin_ucb_since_the_last_restart(period: int) -> None:
    follow(dw.RestartUCB(restart_every=period, **COMMON), lambda t: np.ones(t % period))


def test_oracle_restart_is_lin_ucb_since_the_last_change() -> None:
    changes = np.array([0, 50, 51, 300])
    follow(
        dw.OracleRestart(change_points=changes[1:], **COMMON),
        lambda t: np.ones(t - changes[changes <= t].max()),
    )


@pytest.mark.parametrize("discount", [0.3, 0.97, 1.0])
def test_discounted_lin_ucb(discount: float) -> None:
    def weights(t: int) -> Array:
        return np.asarray(discount ** np.arange(t - 1, -1, -1))

    # Many arms that stay have a layout of their own.
    for fixed in (None, np.random.default_rng(6).standard_normal((110, 3))):
        follow(dw.DiscountedLinUCB(discount=discount, **COMMON), weights, True, fixed)
        follow(dw.WeightedUCB(discount=discount, **COMMON), weights, False, fixed)


def test_the_determinant_radius_is_the_determinant() -> None:
    policy = dw.LinUCB(**COMMON, is_determinant=True)
    for arguments in (
        {"dimension": 2},
        {"decision_set": np.eye(2)},
        {"decision_set": [[1, 2], [3, 1]]},
    ):
        agent = dw.Agent(policy, **arguments, is_interpreted=True)
        v = 0.7 * np.eye(2)
        for reward in (0.1, 0.5, -0.4, 0.9):
            offer = [[1.0, 2.0], [3.0, 1.0]] if "dimension" in arguments else None
            decision = agent.choose(offer)
            agent.learn(decision, reward)
            v += np.outer(decision.action, decision.action)
            growth = math.log(np.linalg.det(v) / 0.7**2)
            wanted = 0.3 * math.sqrt(2.0 * math.log(20.0) + growth) + math.sqrt(0.7) * 1.5
            assert agent.memory.radius[0] == pytest.approx(wanted, rel=1e-12)


def test_rare_switching_acts_on_old_news_until_the_determinant_has_grown() -> None:
    policy = dw.LinUCB(**COMMON, patience=1.0)
    rng = np.random.default_rng(0)
    agent = dw.Agent(policy, dimension=2, is_interpreted=True)
    v, old, estimate, switches = 0.7 * np.eye(2), 0.7 * np.eye(2), np.zeros(2), 0
    for _ in range(200):
        offer = rng.standard_normal((4, 2))
        decision = agent.choose(offer)
        inverse = np.linalg.inv(old)
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, inverse, offer))
        bounds = offer @ estimate + agent.memory.radius[0] * widths
        assert decision.value == pytest.approx(bounds.max(), rel=1e-9)
        agent.learn(decision, float(rng.standard_normal()))
        v += np.outer(decision.action, decision.action)
        if np.linalg.det(v) > 2.0 * np.linalg.det(old):
            old, estimate, switches = v.copy(), agent.estimate, switches + 1
    assert 5 < switches < 40


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("discounted", [True, False])
def test_thompson_sampling_plays_the_best_arm_of_its_sample(fixed: bool, discounted: bool) -> None:
    """With a tiny spread it is greedy; how often a wide one deviates is what theory says."""
    cls: Any = dw.DiscountedLinTS if discounted else dw.LinTS
    extra = {"discount": 0.9} if discounted else {}
    greedy = dw.Agent(
        cls(**COMMON, **extra, inflation=1e-9), decision_set=np.eye(2), is_interpreted=True
    )
    for t in range(30):
        greedy.learn(greedy.choose(), 1.0 - t % 2)
    assert {drawn(greedy).arm for _ in range(20)} == {int(greedy.estimate.argmax())}

    agent = dw.Agent(
        cls(**COMMON, **extra, inflation=0.3),
        **({"decision_set": np.eye(2)} if fixed else {"dimension": 2}),
        is_interpreted=True,
    )
    offer = None if fixed else np.eye(2)
    rng = np.random.default_rng(0)
    actions: list[Array] = []
    rewards: list[float] = []
    for _ in range(25):
        decision = agent.choose(offer)
        reward = float(rng.random())
        agent.learn(decision, reward)
        actions.append(decision.action)
        rewards.append(reward)
    weights = (0.9 if discounted else 1.0) ** np.arange(24.0, -1.0, -1.0)
    twin = Twin(actions, rewards, weights, 2)
    inverse = np.linalg.inv(twin.v)
    shape = inverse @ twin.w @ inverse if discounted else inverse
    spread = 0.3 if discounted else 0.3 * trace_radius(25.0, 2)
    gap = np.array([1.0, -1.0])
    z = float(gap @ twin.estimate) / (spread * math.sqrt(float(gap @ shape @ gap)))
    wanted = 0.5 * math.erfc(-z / math.sqrt(2.0))
    share = np.mean([drawn(agent, offer).arm == 0 for _ in range(4000)])
    assert share == pytest.approx(wanted, abs=4.5 * math.sqrt(0.25 / 4000))
    assert 0.02 < wanted < 0.98  # otherwise this would show nothing


def test_random_optimism_is_a_random_share_of_the_radius() -> None:
    policy = dw.DiscountedRandLinUCB(discount=0.95, **COMMON)
    agent = dw.Agent(policy, decision_set=[[1.0]], is_interpreted=True)
    radius = trace_radius(0.0, 1) / math.sqrt(0.7)
    values = np.array([drawn(agent).value for _ in range(4000)]) / (0.4 * radius)
    # |Z| of a standard normal Z: mean sqrt(2/pi), mean square 1.
    assert values.min() >= 0.0
    assert values.mean() == pytest.approx(math.sqrt(2.0 / math.pi), abs=4.5 * 0.6 / math.sqrt(4000))
    assert np.mean(values**2) == pytest.approx(1.0, abs=4.5 * math.sqrt(2.0 / 4000))


@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 4))
def test_what_forgets_nothing_is_lin_ucb(seed: int, dimension: int) -> None:
    rng = np.random.default_rng(seed)
    policies: list[Any] = [
        dw.LinUCB(**COMMON),
        dw.RestartUCB(restart_every=1000, **COMMON),
        dw.DiscountedLinUCB(discount=1.0, **COMMON),
        dw.WeightedUCB(discount=1.0, **COMMON),
        dw.OracleRestart(change_points=[1000], **COMMON),
    ]
    agents = [
        dw.Agent(each, dimension=dimension, seed=seed, is_interpreted=True) for each in policies
    ]
    for _ in range(40):
        offer, noise = rng.standard_normal((5, dimension)), float(rng.standard_normal())
        decisions = [agent.choose(offer) for agent in agents]
        for agent, decision in zip(agents, decisions, strict=True):
            assert decision.arm == decisions[0].arm
            assert decision.value == pytest.approx(decisions[0].value, rel=1e-9)
            agent.learn(decision, noise)


@settings(derandomize=True, deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_rotating_the_world_changes_no_choice(seed: int) -> None:
    for policy in (
        dw.LinUCB(**COMMON),
        dw.RestartUCB(restart_every=9, **COMMON),
        dw.DiscountedLinUCB(discount=0.9, **COMMON),
        dw.DiscountedRandLinUCB(discount=0.9, **COMMON),
        dw.WeightedUCB(discount=0.9, **COMMON),
        dw.OracleRestart(change_points=[9], **COMMON),
        dw.DetectingLinUCB(**COMMON),
        dw.Master.tuned(horizon=100, dimension=3, base="OFUL"),
        dw.BanditOverBandit.tuned(horizon=100, dimension=3, noise=0.1),
        dw.Corral.tuned(horizon=100, noise=0.1, bases=[dw.LinUCB(**COMMON), dw.RestartUCB(9, 0.1)]),
    ):
        rotated_agents(
            policy,
            seed,
            25,
            lambda rng: (rng.standard_normal((4, 3)), float(rng.standard_normal())),
        )
