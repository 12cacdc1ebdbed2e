"""What theory recommends, printed."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from ..output import grid, heading, paragraph, plain_number, show, table

__all__ = ["print_recommendation"]


def print_recommendation(document: dict[str, Any]) -> None:
    """Print what `theory.recommend` returned."""
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
