"""The laboratory: families of scenarios as the literature has them, with rewards of size 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

__all__ = [
    "LABORATORY",
    "Draw",
    "Random",
    "Scenario",
    "between",
    "linear",
    "sinusoid",
    "stationary",
    "switching",
]

Random = np.random.Generator
Scenario: TypeAlias = dict[str, Any]  # the settings of one world, as in an experiment file
Draw: TypeAlias = Callable[[Random, int], Scenario]  # of a horizon


def sinusoid(random: Random, horizon: int) -> Scenario:
    """Draw two arms that take turns, smoothly."""
    return {
        "name": "Sinusoid",
        "variation": between(random, 0.4, 30.0),
        "noise": between(random, 0.05, 1.0),
    }


def switching(random: Random, horizon: int) -> Scenario:
    """Draw arms that jump now and then."""
    return {
        "name": "Switching",
        "n_changes": int(random.integers(1, 16)),
        "times": str(random.choice(["even", "random"])),
        "dimension": int(random.integers(2, 11)),
        "noise": between(random, 0.05, 1.0),
    }


def stationary(random: Random, horizon: int) -> Scenario:
    """Draw arms that stand still."""
    n_arms = int(random.integers(2, 11))
    return {
        "name": "Stationary",
        "parameter": random.uniform(0.0, 1.0, n_arms).round(3).tolist(),
        "noise": between(random, 0.05, 1.0),
    }


def _hidden_improvement(random: Random, horizon: int) -> Scenario:
    return {
        "name": "HiddenImprovement",
        "n_arms": int(random.integers(2, 7)),
        "time": int(horizon * random.uniform(0.2, 0.8)),
        "improved": round(float(random.uniform(0.6, 1.0)), 3),
        "noise": between(random, 0.05, 0.5),
    }


def _random_walk(random: Random, horizon: int) -> Scenario:
    return {
        "name": "RandomWalk",
        "dimension": int(random.integers(2, 7)),
        "step": between(random, 0.001, 0.03),
        "noise": between(random, 0.05, 1.0),
    }


def _seasonal(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Seasonal",
        "dimension": int(random.integers(2, 7)),
        "period": int(between(random, 200, 4000)),
        "noise": between(random, 0.05, 0.5),
    }


def _late_change(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Switching",
        "times": [int(horizon * random.uniform(0.7, 0.9))],
        "dimension": int(random.integers(2, 7)),
        "noise": between(random, 0.05, 0.5),
    }


def _stopping_drift(random: Random, horizon: int) -> Scenario:
    return {
        "name": "StoppingDrift",
        "variation": between(random, 1.0, 10.0),
        "moving": round(float(random.uniform(0.2, 0.6)), 3),
        "noise": between(random, 0.05, 0.5),
    }


def linear(motion: str) -> Draw:
    """Return what draws fresh actions in every round, with a parameter that moves in some way."""

    def draw(random: Random, horizon: int) -> Scenario:
        return {
            "name": "FreshSets",
            "motion": motion,
            "dimension": int(random.integers(2, 7)),
            "n_arms": int(random.integers(5, 21)),
            "variation": between(random, 1.0, 12.0),
            "noise": between(random, 0.05, 1.0),
        }

    return draw


def _pricing(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Pricing",
        "variation": between(random, 0.1, 4.0),
        "demand_noise": between(random, 0.05, 0.3),
    }


def _ads(random: Random, horizon: int) -> Scenario:
    return {
        "name": "AdsAllocation",
        "dimension": int(random.integers(3, 8)),
        "n_arms": int(random.integers(5, 13)),
        "variation": between(random, 0.5, 10.0),
    }


def _collinear(random: Random, horizon: int) -> Scenario:
    return {"name": "NearlyCollinear", "offset": between(random, 0.05, 0.3)}


def _odd_noise(random: Random, horizon: int) -> Scenario:
    kind = str(random.choice(["heavy-tailed", "heteroscedastic"]))
    base = [sinusoid, switching][int(random.integers(2))](random, horizon)
    return base | {"rewards": kind, "noise": between(random, 0.05, 0.4)}


def _bernoulli(random: Random, horizon: int) -> Scenario:
    base = [sinusoid, _hidden_improvement][int(random.integers(2))](random, horizon)
    del base["noise"]
    return base | {"rewards": "bernoulli"}


def between(random: Random, low: float, high: float) -> float:
    """Draw a number, all orders of magnitude alike; three digits are enough to write it down."""
    return float(f"{np.exp(random.uniform(np.log(low), np.log(high))):.3g}")


LABORATORY: Mapping[str, Draw] = {
    "sinusoid": sinusoid,
    "switching": switching,
    "stationary": stationary,
    "hidden improvement": _hidden_improvement,
    "random walk": _random_walk,
    "seasonal": _seasonal,
    "late change": _late_change,
    "drift that stops": _stopping_drift,
    "linear rotation": linear("rotation"),
    "linear jumps": linear("jumps"),
    "linear walk": linear("walk"),
    "pricing": _pricing,
    "ads": _ads,
    "collinear": _collinear,
    "odd noise": _odd_noise,
    "bernoulli": _bernoulli,
}
