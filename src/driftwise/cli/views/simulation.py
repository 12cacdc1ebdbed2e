"""A policy in a world, played several times: who played, how regret grew, what that means."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from rich.table import Table

from ..output import grid, heading, paragraph, plain_number, show, table_with_bars

__all__ = ["print_simulation"]


def print_simulation(document: dict[str, Any]) -> None:
    """Print what `analysis.replications.replicate` returned: who played, how regret grew, what that means."""
    n = document["replications"]
    show(
        heading(
            f"{document['policy']['name']} in {document['world']['name']}: "
            f"{_counted(document['horizon'], 'round')}, {_counted(n, 'replication')} from seed "
            f"{document['seed']}"
        ),
        grid(_setup(document)),
        "",
        heading("Mean cumulative regret; latest is per round since the row above"),
        _growth(document["checkpoints"]),
        paragraph(_meaning(document)),
    )
    if n > 1 and document["checkpoints"][-1]["low"] is None:
        is_recorded = document["world"]["name"] == "Recorded"
        reason = ": records are the same each time" if is_recorded else ""
        show("", paragraph(f"All {n} replications are equal{reason}, so there is no interval."))
    if document["guarantee"].startswith("none"):
        show("", paragraph(_without_proof(document["policy"]["name"])))
    if document.get("picture"):
        show("", paragraph(f"What it believes: {document['picture']}"))


def _setup(document: dict[str, Any]) -> list[tuple[str, str]]:
    world = document["world"]
    assumption = "holds" if world["assumption_one"] else "fails"
    moved = world["realised_variation"]["l2"]
    path = "" if moved is None else f"; the parameter moves by {plain_number(moved)} in total"
    rows = [
        ("world", _listed(world["settings"])),
        (
            "",
            f"{_counted(world['n_arms'], 'arm')} in {_counted(world['dimension'], 'dimension')}"
            f" (Assumption 1 {assumption}){path}",
        ),
        ("delay", world["delay"] or ""),
        ("policy", _listed(document["policy"]["settings"])),
        ("tuned with", _listed(document["tuned_with"])),
        ("then set", _listed(document["set_by_hand"])),
        ("guarantee", document["guarantee"]),
    ]
    return [(name, text) for name, text in rows if text]


def _growth(checkpoints: list[dict[str, Any]]) -> Table:
    steps = pairwise([{"round": 0, "regret": 0.0}, *checkpoints])
    latest = [(b["regret"] - a["regret"]) / (b["round"] - a["round"]) for a, b in steps]
    sums, rates = _decimals(checkpoints[-1]["regret"]), _decimals(max(latest))
    rows = []
    for row, loss in zip(checkpoints, latest, strict=True):
        low, mean, high = (
            "" if row[name] is None else f"{row[name]:,.{sums}f}"
            for name in ("low", "regret", "high")
        )
        interval = f"{low} to {high}" if low else "-"
        per_round = f"{row['regret_per_round']:.{rates}f}"
        rows.append([f"{row['round']:,}", mean, interval, per_round, f"{loss:.{rates}f}"])
    columns = (">round", ">regret", ">95% interval", ">per round", ">latest")
    return table_with_bars(columns, rows, latest)


def _meaning(document: dict[str, Any]) -> str:
    total, random = document["checkpoints"][-1]["regret"], document["random_regret"]
    share = f": {100 * total / random:.3g}% of what" if random > 0.0 else "; as much as"
    return (
        f"{document['policy']['name']} lost {plain_number(total)} in total against the best arm of "
        f"each round{share} drawing arms at random would lose ({plain_number(random)})."
    )


def _without_proof(policy: str) -> str:
    return (
        f"There is no proof that {policy} does well under drift. SlidingWindowUCB, and "
        "BanditOverBandit where the variation is unknown, are the choices with guarantees."
    )


def _decimals(largest: float) -> int:
    """Return how many decimals show four digits of the largest number of a column."""
    return max(0, 3 - math.floor(math.log10(largest))) if largest > 0.0 else 0


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _listed(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_shown(value)}" for name, value in settings.items())


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['name']}({_listed(value['settings'])})"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value[:12]))}{', ...' * (len(value) > 12)}]"
    return plain_number(value) if isinstance(value, int | float) else str(value)
