"""A policy in a world, played several times: the regret, and what to compare it with."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ..core.base.validation import require_integer
from ..core.engine.simulate import simulate
from ..core.engine.starting import started
from ..experiments.analysis.bootstrap import estimate, resample
from ..experiments.setup.pairing import Pair
from ..experiments.spec.limits import require_feasible
from .output import grid, heading, paragraph, plain_number, show, table_with_bars

__all__ = ["play", "print_simulation", "random_regret", "require_playable"]

_ROUNDS = 4096  # drawn at a time


def require_playable(pair: Pair, *, replications: int, checkpoints: int, seed: int) -> None:
    """Raise an error about whatever is wrong, before anything is played.

    Some worlds find out only in their rounds, such as coins whose chances leave [0, 1], so those of
    the first replication are drawn.
    """
    require_integer("replications", replications)
    require_integer("checkpoints", checkpoints)
    require_integer("seed", seed, at_least=0)
    world = pair.world
    require_feasible(horizons=[world.horizon], replications=replications, checkpoints=checkpoints)
    started(pair.policy, world.n_arms, world.dimension, world.decision_set)
    for _ in world.rounds(seed, _ROUNDS):
        pass


def play(pair: Pair, *, replications: int, checkpoints: int, seed: int) -> dict[str, Any]:
    """Play, and return everything as numbers, texts, lists and dictionaries, fit for JSON."""
    policy, world, n = pair.policy, pair.world, replications
    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    seeds = track(
        range(seed, seed + n),
        description="Playing",
        console=console,
        transient=True,
        disable=console.quiet,  # which alone ends with an empty line in Rich before 14.3
    )
    runs = [simulate(policy, world, seed=each, checkpoints=checkpoints) for each in seeds]
    regret = np.array([run.regret for run in runs])
    means = resample(regret.T, seed, "simulate")
    is_chance = bool((regret != regret[0]).any())  # or an interval would have no width
    rows = [
        (t, *estimate(each, has_interval=is_chance))
        for t, each in zip(runs[0].rounds.tolist(), means, strict=True)
    ]
    return {
        "policy": _plain(policy),
        "guarantee": getattr(getattr(policy, "card", None), "guarantee", ""),
        "tuned_with": _plain(pair.told),
        "set_by_hand": _plain(pair.replaced),
        "world": {
            "name": type(world).__name__,
            "settings": _plain(pair.world_settings),
            "assumption_one": pair.is_orthogonal,
            "n_arms": world.n_arms,
            "dimension": world.dimension,
            "noise": world.noise,
            "realised_variation": {
                name: None if fact is None or math.isnan(fact) else fact
                for name, fact in world.realised_variation(seed)._asdict().items()
            },
        },
        "horizon": world.horizon,
        "replications": n,
        "seed": seed,
        "checkpoints": [
            {"round": t, "regret": mean, "low": low, "high": high, "regret_per_round": mean / t}
            for t, mean, low, high in rows
        ],
        "total_regrets": [run.total_regret for run in runs],
        "random_regret": random_regret(world, seed),
    }


def print_simulation(document: dict[str, Any]) -> None:
    """Print what `play` returned: who played, how regret grew, what that means."""
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
    path = "" if moved is None else f"; the parameter moves by {plain_number(moved)} in all"
    rows = [
        ("world", _listed(world["settings"])),
        (
            "",
            f"{_counted(world['n_arms'], 'arm')} in {_counted(world['dimension'], 'dimension')}"
            f" (Assumption 1 {assumption}){path}",
        ),
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
        f"{document['policy']['name']} lost {plain_number(total)} in all against the best arm of "
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


def random_regret(world: Any, seed: int) -> float:
    """Return the expected regret of drawing every row of every decision set equally often."""
    lost = 0.0
    for rounds in world.rounds(seed, _ROUNDS):
        is_real = np.arange(rounds.means.shape[1]) < rounds.sizes[:, None]
        best = np.where(is_real, rounds.means, -np.inf).max(axis=1)
        average = np.where(is_real, rounds.means, 0.0).sum(axis=1) / rounds.sizes
        lost += float((best - average).sum())
    return lost


def _plain(value: Any) -> Any:
    """Return arrays as lists and policies as their names and settings."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if hasattr(value, "_asdict"):
        return {"name": type(value).__name__, "settings": _plain(value._asdict())}
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


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
