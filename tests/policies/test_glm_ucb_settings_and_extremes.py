"""Logistic bandits: the settings they take, extreme input that they bear, and a known run."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.base.validation import LARGEST_ACTION
from driftwise.core.contract.records import arrays_in
from driftwise.core.models.glm.kept_rounds import rounds_that_count
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS


def test_tuned_values() -> None:
    facts: dict[str, Any] = {"horizon": 6000, "dimension": 2, "variation": 4 + math.sqrt(2)}
    linear = dw.SlidingWindowUCB.tuned(**facts, noise=0.5)
    window = dw.SlidingWindowGLMUCB.tuned(**facts, radius_scale=0.1)
    assert window == dw.SlidingWindowGLMUCB(
        window=linear.window, confidence=1 / 6000**2, radius_scale=0.1
    )
    discount = dw.DiscountedGLMUCB.tuned(**facts)
    assert discount.discount == dw.DiscountedLinUCB.tuned(**facts, noise=0.5).discount
    assert (discount.confidence, discount.rounds_kept) == (1 / 6000**2, 6000)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dw.SlidingWindowGLMUCB(window=0), "window must be at least 1 round, got 0"),
        (lambda: dw.DiscountedGLMUCB(discount=1.5), r"discount must be in \(0, 1\], got 1.5"),
        (
            lambda: dw.SlidingWindowGLMUCB(window=5, action_norm=50, parameter_norm=3),
            r"action_norm \* parameter_norm must be at most 100, .+, got 150",
        ),
        (
            lambda: dw.SlidingWindowGLMUCB(window=5, newton_steps=0),
            "newton_steps must be at least 1, got 0",
        ),
        (
            lambda: dw.DiscountedGLMUCB(discount=0.5, radius_scale=-1),
            "radius_scale must be at least 0, got -1.0",
        ),
        (
            lambda: dw.DiscountedGLMUCB(discount=0.5, rounds_kept=0),
            "rounds_kept must be at least 1 round, got 0",
        ),
        (lambda: dw.DiscountedGLMUCB(discount=0.5, noise=-1), "noise must be at least 0, got -1.0"),
    ],
)
def test_bad_settings(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("discount", [1e-300, 0.001, 0.5, 0.97, 0.99999])
def test_rounds_are_kept_while_they_count(discount: float) -> None:
    n = rounds_that_count(discount, 10**9)
    assert discount**n <= 1e-3 * (1 + 1e-9)
    assert n == 1 or discount ** (n - 1) > 1e-3
    assert rounds_that_count(discount, 3) == min(n, 3)


@pytest.mark.parametrize("rewards", ["clicks", "far outside", "enormous"])
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e3])
@pytest.mark.parametrize(
    "policy",
    [
        dw.SlidingWindowGLMUCB(window=15),
        dw.SlidingWindowGLMUCB(window=15, ridge=1e-6, confidence=1e-300),
        dw.SlidingWindowGLMUCB(window=15, action_norm=10.0, parameter_norm=10.0, ridge=1e6),
        dw.DiscountedGLMUCB(discount=0.8),
    ],
    ids=["window", "slight ridge", "flat link", "discount"],
)
def test_extreme_input_leaves_everything_finite(policy: Any, scale: float, rewards: str) -> None:
    rng = np.random.default_rng(1)
    agent = dw.Agent(policy, dimension=3, is_interpreted=True)
    for t in range(60):
        decision = agent.choose(scale * rng.standard_normal((3, 3)))
        reward = {
            "clicks": float(decision.action[0] > 0.0),  # separable
            "far outside": 1e3 * float(rng.standard_normal()),
            "enormous": 1e100 * (-1.0) ** t,
        }[rewards]
        agent.learn(decision, reward)
        assert all(np.isfinite(array).all() for array in arrays_in(agent.memory))
        assert math.isfinite(decision.value)


@pytest.mark.parametrize("ratio", [1e20, LARGEST_ACTION])
def test_the_window_bears_actions_of_any_length(ratio: float) -> None:
    agent = dw.Agent(dw.SlidingWindowGLMUCB(window=15), dimension=2, is_interpreted=True)
    for t in range(40):
        decision = agent.choose([[1.0, 2.0], [2.0, -1.0], [ratio, ratio]])
        agent.learn(decision, t % 2)
        assert all(np.isfinite(array).all() for array in arrays_in(agent.memory))


# Total regret of one run of 1,000 rounds of ads, seed 0: measured once, to notice change.
GOLDEN = {"SlidingWindowGLMUCB": 21.893096923631298, "DiscountedGLMUCB": 18.592456939593834}


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN)
def test_golden_runs(name: str) -> None:
    world = dw.worlds.AdsAllocation(horizon=1000, variation=2.0)
    policy = getattr(dw, name).tuned(
        horizon=1000, dimension=6, variation=2.0, parameter_norm=world.parameter_norm,
        radius_scale=0.01,
    )  # fmt: skip
    run = dw.simulate(policy, world, seed=0)
    assert run.total_regret == pytest.approx(GOLDEN[name], rel=1e-9), run.total_regret
