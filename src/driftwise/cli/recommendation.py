"""What theory recommends for a problem: settings, bounds, and the rates that apply."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rich.table import Table

from .. import theory
from ..core.base.validation import require_integer
from .output import grid, heading, paragraph, plain_number, show, table

__all__ = ["Problem", "print_recommendation", "recommend"]


class Problem(NamedTuple):
    """What is known before the first round."""

    horizon: int
    dimension: int
    variation: float | None  # None: unknown
    noise: float
    n_arms: int
    action_norm: float
    parameter_norm: float
    ridge: float
    confidence: float | None  # None: one over the horizon


def recommend(problem: Problem) -> dict[str, Any]:
    """Return everything as numbers, texts, lists and dictionaries, fit for JSON."""
    require_integer("horizon", problem.horizon, unit="round")  # before anything is divided by it
    budgets = [None] if problem.variation is None else [problem.variation, None]
    windows = [
        _window(problem, geometry, budget) for geometry in theory.GEOMETRIES for budget in budgets
    ]
    blocks = [_blocks(problem, geometry) for geometry in theory.GEOMETRIES]
    names = [row["rate"] for row in windows + blocks]
    if _is_hard(problem):
        names.append("lower-bound")
    arms, horizon = problem.n_arms, problem.horizon
    return {
        "problem": problem._asdict() | {"confidence": _confidence(problem)},
        "sliding_window": windows,
        "bandit_over_bandit": blocks,
        "exp3": {"mixing": theory.exp3_mixing(n_arms=arms, horizon=horizon)},
        "exp3s": [
            {
                "variation": budget,
                "mixing": theory.exp3s_mixing(n_arms=arms, horizon=horizon, variation=budget),
                "sharing": theory.exp3s_sharing(horizon=horizon),
            }
            for budget in budgets
        ],
        "rates": [_rate(name, problem) for name in dict.fromkeys(names)],
    }


def print_recommendation(document: dict[str, Any]) -> None:
    """Print what `recommend` returned."""
    problem = document["problem"]
    show(
        heading("What theory recommends for"),
        grid(_given(problem)),
        "",
        heading("SlidingWindowUCB: how many rounds to remember"),
        _sliding_window(document["sliding_window"], problem["horizon"]),
        paragraph(_GEOMETRIES),
        "",
        heading("BanditOverBandit: blocks, and windows to try in them"),
        _bandit_over_bandit(document["bandit_over_bandit"]),
        paragraph(_BLOCKS),
        "",
        heading("Exp3 and Exp3S: how much to explore and to share"),
        _exponential_weights(document),
        heading("Rates that apply, up to constants and logarithms"),
    )
    for rate in document["rates"]:
        here = "" if rate["value"] is None else f", here {plain_number(rate['value'])}"
        show(
            "",
            paragraph(f"{rate['name']}: {rate['statement']}{here}", indent="  "),
            grid([("  if", rate["conditions"]), ("  source", rate["source"])]),
        )
    show("", heading("If none of these numbers is known"), paragraph(_WITHOUT_NUMBERS))


def _window(problem: Problem, geometry: theory.Geometry, budget: float | None) -> dict[str, Any]:
    horizon, dimension = problem.horizon, problem.dimension
    scales: dict[str, Any] = {
        "noise": problem.noise,
        "action_norm": problem.action_norm,
        "parameter_norm": problem.parameter_norm,
        "ridge": problem.ridge,
        "confidence": _confidence(problem),
    }
    window = theory.window(
        horizon=horizon, dimension=dimension, variation=budget, geometry=geometry
    )
    bound = None
    if geometry == "orthogonal" and problem.variation is not None:
        bound = theory.regret_bound(
            horizon=horizon,
            dimension=dimension,
            variation=problem.variation,
            window=window,
            **scales,
        )
    rate = "sliding-window" + _ending(geometry) + ("-unknown" if budget is None else "")
    if budget is not None and window == horizon:
        # So little drift that nothing is worth forgetting; the other rates ask for more.
        rate = "sliding-window-stationary"
    return {
        "geometry": geometry,
        "variation": budget,
        "window": window,
        "radius": theory.radius(window=window, dimension=dimension, **scales),
        "regret_bound": bound,
        "rate": rate,
    }


def _blocks(problem: Problem, geometry: theory.Geometry) -> dict[str, Any]:
    horizon = problem.horizon
    length = theory.block_length(horizon=horizon, dimension=problem.dimension, geometry=geometry)
    return {
        "geometry": geometry,
        "block_length": length,
        "n_blocks": -(-horizon // length),
        "windows": list(theory.window_grid(length)),
        "mixing": theory.block_mixing(horizon=horizon, block_length=length),
        "reward_scale": theory.block_reward_scale(
            horizon=horizon, block_length=length, noise=problem.noise
        ),
        "rate": "bandit-over-bandit" + _ending(geometry),
    }


def _rate(name: str, problem: Problem) -> dict[str, Any]:
    rate, value = theory.RATES[name], None
    if problem.variation is not None:
        value = theory.rate(
            name,
            horizon=problem.horizon,
            dimension=problem.dimension,
            variation=problem.variation,
        )
    return {
        "name": name,
        "statement": rate.statement,
        "value": value,
        "conditions": rate.conditions,
        "source": rate.source,
    }


def _confidence(problem: Problem) -> float:
    return 1.0 / problem.horizon if problem.confidence is None else problem.confidence


def _ending(geometry: theory.Geometry) -> str:
    return "" if geometry == "orthogonal" else "-general"


def _is_hard(problem: Problem) -> bool:
    """Tell whether the lower bound's conditions are met."""
    horizon, dimension, budget = problem.horizon, problem.dimension, problem.variation
    if budget is None or horizon < dimension:
        return False
    return dimension / math.sqrt(horizon) < budget <= 8.0 * horizon / dimension**2


def _given(problem: dict[str, Any]) -> list[tuple[str, str]]:
    budget = problem["variation"]
    return [
        ("T", f"{problem['horizon']:,} rounds"),
        ("d", f"{problem['dimension']:,}, the dimension of an action"),
        ("K", f"{problem['n_arms']:,} arms, for Exp3 and Exp3S"),
        ("B", "unknown variation" if budget is None else f"{plain_number(budget)}, the variation"),
        ("R", f"{plain_number(problem['noise'])}, the noise"),
        (
            "L, S",
            f"{plain_number(problem['action_norm'])} and "
            f"{plain_number(problem['parameter_norm'])}, lengths of actions and parameters",
        ),
        (
            "λ, δ",
            f"{plain_number(problem['ridge'])} and {plain_number(problem['confidence'])}, "
            "ridge and confidence",
        ),
    ]


def _sliding_window(rows: list[dict[str, Any]], horizon: int) -> Table:
    lines = table("decision sets", "variation", ">window", ">radius", ">paper's bound on regret")
    for row in rows:
        bound = row["regret_bound"]
        lines.add_row(
            row["geometry"],
            _budget(row["variation"]),
            f"{row['window']:,}",
            f"{row['radius']:.4f}",
            "-"
            if bound is None
            else plain_number(bound) + " (above 2T: void)" * (bound > 2 * horizon),
        )
    return lines


def _bandit_over_bandit(rows: list[dict[str, Any]]) -> Table:
    lines = table("decision sets", ">block", ">blocks", "windows", ">mixing", ">reward scale")
    for row in rows:
        lines.add_row(
            row["geometry"],
            f"{row['block_length']:,}",
            f"{row['n_blocks']:,}",
            " ".join(map(str, row["windows"])),
            f"{row['mixing']:.4f}",
            f"{row['reward_scale']:,.1f}",
        )
    return lines


def _exponential_weights(document: dict[str, Any]) -> Table:
    lines = table("policy", "variation", ">mixing", ">sharing")
    lines.add_row("Exp3", "-", plain_number(document["exp3"]["mixing"]), "-")
    for row in document["exp3s"]:
        numbers = (plain_number(row[name]) for name in ("mixing", "sharing"))
        lines.add_row("Exp3S", _budget(row["variation"]), *numbers)
    return lines


def _budget(budget: float | None) -> str:
    return "unknown" if budget is None else f"B = {plain_number(budget)}"


_GEOMETRIES = (
    "Orthogonal: every action is a multiple of one vector of a fixed orthonormal basis "
    "(Assumption 1), as in a K-armed bandit. General: any other decision sets. The bound needs "
    "Assumption 1, a variation and expected rewards in [-1, 1]."
)
_BLOCKS = (
    "It need not know the variation. Mixing is the share of uniform exploration among the windows; "
    "a block's sum of rewards is divided by the reward scale."
)
_WITHOUT_NUMBERS = (
    "AdaptiveUCB asks for neither horizon, noise nor variation, and finds out by itself how fast to "
    "forget. It has no proof, so theory has nothing to recommend for it; `driftwise run scoreboard` "
    "measures it. SlidingWindowUCB and BanditOverBandit are the choices with guarantees."
)
