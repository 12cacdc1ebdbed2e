"""One policy or world of each class in the registry, made of facts that fit all of them."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import driftwise as dw

# Of test files that feed random numbers, whatever a policy was told; what it warns of is tested elsewhere.
BEYOND_SETTINGS = pytest.mark.filterwarnings(
    "ignore::driftwise.core.engine.expectations.SettingsWarning"
)

# What a person may know; each policy and each world takes from it what it asks for.
FACTS: dict[str, Any] = {
    "horizon": 700,
    "dimension": 3,
    "n_arms": 5,
    "noise": 0.1,
    "variation": 2.0,
    "change_points": [60, 120],
    "newton_steps": 1,  # each reads a whole window, which takes the interpreter long
    "parameter": [0.1, 0.9],
    "parameters": np.linspace(0.0, 1.0, 2100).reshape(700, 3),
    "decision_sets": [np.full((1 + t % 3, 3), 0.1 * t) for t in range(700)],
}

# The compiler takes longest for these; `make test-slow` has them.
SLOW = (
    "AdaptiveUCB", "BanditOverBandit", "Corral", "DetectingLinUCB", "DiscountedGLMUCB",
    "DiscountedLinTS", "DiscountedLinUCB", "DiscountedRandLinUCB", "Doubling", "Exploring", "Master",
    "OracleRestart", "SlidingWindowGLMUCB", "WeightedUCB",
)  # fmt: skip


def made(maker: Callable[..., Any]) -> Any:
    asked = inspect.signature(maker).parameters
    facts = dict(FACTS)
    if maker is dw.worlds.Recorded:  # elsewhere, rewards are of a kind
        facts["rewards"] = [np.arange(1.0 + t % 3) for t in range(700)]
    return maker(**{name: value for name, value in facts.items() if name in asked})


def marks_of(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if name in SLOW else []
