"""What theory recommends for a problem: settings, bounds, and the rates that apply."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..core.base.validation import require_integer
from .blocks import block_length, block_mixing, block_reward_scale, window_grid
from .bounds import RATES, rate, regret_bound
from .exponential_weights import exp3_mixing, exp3s_mixing, exp3s_sharing
from .geometry import GEOMETRIES, Geometry
from .radius import radius
from .windows import window

__all__ = ["Problem", "recommend"]


class Problem(NamedTuple):
    """What is known before the first round."""

    horizon: int
    dimension: int
    variation: float | None = None  # None: unknown
    noise: float = 0.1
    n_arms: int = 2
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float | None = None  # None: one over the horizon


def recommend(problem: Problem) -> dict[str, Any]:
    """Return settings, bounds and rates as numbers, strings, lists and dictionaries, ready for JSON.

    Examples
    --------
    >>> found = recommend(Problem(horizon=30_000, dimension=2, variation=1.0))
    >>> found["sliding_window"][0]["window"], found["bandit_over_bandit"][0]["block_length"]
    (1532, 274)
    """
    require_integer("horizon", problem.horizon, unit="round")  # before anything is divided by it
    budgets = [None] if problem.variation is None else [problem.variation, None]
    windows = [_window(problem, geometry, budget) for geometry in GEOMETRIES for budget in budgets]
    blocks = [_blocks(problem, geometry) for geometry in GEOMETRIES]
    names = [row["rate"] for row in windows + blocks]
    if _is_hard(problem):
        names.append("lower-bound")
    arms, horizon = problem.n_arms, problem.horizon
    return {
        "problem": problem._asdict() | {"confidence": _confidence(problem)},
        "sliding_window": windows,
        "bandit_over_bandit": blocks,
        "exp3": {"mixing": exp3_mixing(n_arms=arms, horizon=horizon)},
        "exp3s": [
            {
                "variation": budget,
                "mixing": exp3s_mixing(n_arms=arms, horizon=horizon, variation=budget),
                "sharing": exp3s_sharing(horizon=horizon),
            }
            for budget in budgets
        ],
        "rates": [_rate(name, problem) for name in dict.fromkeys(names)],
    }


def _window(problem: Problem, geometry: Geometry, budget: float | None) -> dict[str, Any]:
    horizon, dimension = problem.horizon, problem.dimension
    scales: dict[str, Any] = {
        "noise": problem.noise,
        "action_norm": problem.action_norm,
        "parameter_norm": problem.parameter_norm,
        "ridge": problem.ridge,
        "confidence": _confidence(problem),
    }
    length = window(horizon=horizon, dimension=dimension, variation=budget, geometry=geometry)
    bound = None
    if geometry == "orthogonal" and problem.variation is not None:
        bound = regret_bound(
            horizon=horizon,
            dimension=dimension,
            variation=problem.variation,
            window=length,
            **scales,
        )
    name = "sliding-window" + _ending(geometry) + ("-unknown" if budget is None else "")
    if budget is not None and length == horizon:
        # So little drift that nothing is worth forgetting; the other rates ask for more.
        name = "sliding-window-stationary"
    return {
        "geometry": geometry,
        "variation": budget,
        "window": length,
        "radius": radius(window=length, dimension=dimension, **scales),
        "regret_bound": bound,
        "rate": name,
    }


def _blocks(problem: Problem, geometry: Geometry) -> dict[str, Any]:
    horizon = problem.horizon
    length = block_length(horizon=horizon, dimension=problem.dimension, geometry=geometry)
    return {
        "geometry": geometry,
        "block_length": length,
        "n_blocks": -(-horizon // length),
        "windows": list(window_grid(length)),
        "mixing": block_mixing(horizon=horizon, block_length=length),
        "reward_scale": block_reward_scale(
            horizon=horizon, block_length=length, noise=problem.noise
        ),
        "rate": "bandit-over-bandit" + _ending(geometry),
    }


def _rate(name: str, problem: Problem) -> dict[str, Any]:
    said, value = RATES[name], None
    if problem.variation is not None:
        value = rate(
            name,
            horizon=problem.horizon,
            dimension=problem.dimension,
            variation=problem.variation,
        )
    return {
        "name": name,
        "statement": said.statement,
        "value": value,
        "conditions": said.conditions,
        "source": said.source,
    }


def _confidence(problem: Problem) -> float:
    return 1.0 / problem.horizon if problem.confidence is None else problem.confidence


def _ending(geometry: Geometry) -> str:
    return "" if geometry == "orthogonal" else "-general"


def _is_hard(problem: Problem) -> bool:
    """Return whether the lower bound's conditions are met."""
    horizon, dimension, budget = problem.horizon, problem.dimension, problem.variation
    if budget is None or horizon < dimension:
        return False
    return dimension / math.sqrt(horizon) < budget <= 8.0 * horizon / dimension**2
