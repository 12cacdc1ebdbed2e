"""The field: families of scenarios that every product meets, and papers seldom have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .laboratory import Draw, Random, Scenario, between, linear, sinusoid, stationary, switching

__all__ = ["FIELD"]


def _units(random: Random, horizon: int) -> Scenario:
    """Draw rewards of any size: cents, dollars, seconds, bytes."""
    return _in_units(random, unit=between(random, 1e-4, 1e4), offset=0.0)


def _offsets(random: Random, horizon: int) -> Scenario:
    """Draw rewards far from 0, up to a thousand times as far as they are apart."""
    sign = float(random.choice([-1.0, 1.0]))
    return _in_units(random, unit=1.0, offset=sign * between(random, 1.0, 1000.0))


def _in_units(random: Random, unit: float, offset: float) -> Scenario:
    noise = between(random, 0.05, 0.5) * unit
    if random.integers(2):
        return {
            "name": "Seasonal",
            "dimension": int(random.integers(2, 7)),
            "period": int(between(random, 500, 4000)),
            "centre": (offset + 0.5) * unit,
            "amplitude": 0.3 * unit,
            "noise": noise,
        }
    n_changes, n_arms = int(random.integers(0, 9)), int(random.integers(2, 11))
    levels = random.uniform(0.0, 1.0, (n_changes + 1, n_arms)).round(3)
    return {
        "name": "Switching",
        "n_changes": n_changes,
        "times": "random",
        "parameters": ((offset + levels) * unit).tolist(),
        "noise": noise,
    }


def _late(random: Random, horizon: int) -> Scenario:
    """Draw rewards that come late, by a law of any kind, up to a tenth of all rounds."""
    mean = between(random, 10.0, horizon / 10.0)
    laws: list[dict[str, Any]] = [
        {"name": "Constant", "rounds": int(mean)},
        {"name": "Geometric", "mean": mean},
        {"name": "HeavyTailed", "median": mean / 4.0, "exponent": 1.5},
        {"name": "Batches", "period": int(mean)},
    ]
    return _anywhere(random, horizon) | {"delay": laws[int(random.integers(len(laws)))]}


def _missing(random: Random, horizon: int) -> Scenario:
    """Draw rewards some of which never come, and the others late."""
    delay = {
        "name": "Missing",
        "probability": round(float(random.uniform(0.1, 0.8)), 2),
        "delay": {"name": "Geometric", "mean": between(random, 1.0, 100.0)},
    }
    return _anywhere(random, horizon) | {"delay": delay}


def _anywhere(random: Random, horizon: int) -> Scenario:
    return [sinusoid, switching, stationary, linear("jumps")][int(random.integers(4))](
        random, horizon
    )


def _rare_clicks(random: Random, horizon: int) -> Scenario:
    n_changes, n_arms = int(random.integers(0, 4)), int(random.integers(3, 11))
    lowest = between(random, 0.001, 0.01)
    rates = [
        [between(random, lowest, 5.0 * lowest) for _ in range(n_arms)] for _ in range(n_changes + 1)
    ]
    return {
        "name": "Switching",
        "horizons": [4 * horizon],  # or there would be a handful of clicks
        "n_changes": n_changes,
        "times": "random",
        "parameters": rates,
        "rewards": "bernoulli",
    }


def _coming_and_going(random: Random, horizon: int) -> Scenario:
    highest = between(random, 0.01, 0.2)
    return {
        "name": "Slate",
        "n_arms": int(random.integers(3, 7)),
        "ads_per_place": int(random.integers(2, 4)),
        "lifetime": between(random, 200, 4000),
        "lowest": highest / 10.0,
        "highest": highest,
    }


def _prices(random: Random, horizon: int) -> Scenario:
    currency, n_prices = between(random, 0.1, 10.0), int(random.integers(4, 13))
    return {
        "name": "PostedPrices",
        "prices": (currency * np.linspace(10.0, 120.0, n_prices)).tolist(),
        "middle": currency * between(random, 30.0, 90.0),
        "swing": currency * between(random, 2.0, 30.0),
        "spread": currency * between(random, 5.0, 20.0),
        "period": int(between(random, 2000, 16000)),
    }


def _mixed_scales(random: Random, horizon: int) -> Scenario:
    dimension = int(random.integers(2, 6))
    return {
        "name": "FreshSets",
        "motion": str(random.choice(["rotation", "jumps", "walk"])),
        "dimension": dimension,
        "n_arms": int(random.integers(5, 21)),
        "variation": between(random, 1.0, 12.0),
        "noise": between(random, 0.05, 0.5),
        "scales": [between(random, 1e-3, 1e3) for _ in range(dimension)],
    }


def _improvement_from_any_level(random: Random, horizon: int) -> Scenario:
    usual = round(float(random.uniform(0.5, 0.9)), 3)
    return {
        "name": "HiddenImprovement",
        "n_arms": int(random.integers(2, 7)),
        "time": int(horizon * random.uniform(0.2, 0.8)),
        "usual": usual,
        "poor": round(float(random.uniform(0.0, 0.4)), 3),
        "improved": round(float(random.uniform(usual + 0.05, 1.0)), 3),
        "noise": between(random, 0.05, 0.5),
    }


def _common_season(random: Random, horizon: int) -> Scenario:
    return {
        "name": "CommonSeason",
        "levels": random.uniform(0.0, 1.0, int(random.integers(2, 7))).round(3).tolist(),
        "amplitude": between(random, 0.1, 1.0),
        "period": int(between(random, 100, 4000)),
        "noise": between(random, 0.05, 0.5),
    }


def _outliers(random: Random, horizon: int) -> Scenario:
    base = [sinusoid, switching][int(random.integers(2))](random, horizon)
    return base | {"rewards": "outliers", "noise": between(random, 0.05, 0.4)}


FIELD: Mapping[str, Draw] = {
    "units": _units,
    "offsets": _offsets,
    "late rewards": _late,
    "missing rewards": _missing,
    "rare clicks": _rare_clicks,
    "ads that come and go": _coming_and_going,
    "prices with revenue": _prices,
    "mixed feature scales": _mixed_scales,
    "improvement from any level": _improvement_from_any_level,
    "common season": _common_season,
    "outliers": _outliers,
}
