"""Experiments and their results, called from the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl

from ..core.base.validation import require_known
from ..experiments import (
    Experiment,
    Findings,
    Outcome,
    find_experiment,
    load_results,
    merge_results,
    run,
)
from ..experiments.analysis.hindsight import name_best
from ..experiments.analysis.standings import Standings, stand
from ..experiments.execution.engines import BACKENDS, require_cluster
from ..experiments.execution.results import Origin
from ..experiments.run import altered
from ..experiments.scoreboard.fuzz import fuzz_experiment
from ..experiments.setup.building import Builder
from ..experiments.spec.limits import require_jobs
from .complaints import InputError, complaints

__all__ = ["load_all", "run_experiment", "stand_all"]

_STYLES = ("screen", "paper")


def run_experiment(
    name: str,
    *,
    fuzz: int | None,
    modules: Sequence[str],
    backend: str,
    style: str,
    **settings: Any,
) -> Outcome:
    """Run `driftwise.experiments.run`, with what is wrong with the input told apart.

    The file is read, and the numbers are judged, before: a ``ValueError`` out of hours of work is
    a bug, not a complaint. A disk that is full is for the person to mend.
    """
    with complaints():
        require_jobs(settings["jobs"])
        require_known("backend", backend, BACKENDS)
        require_known("style", style, _STYLES)
        require_cluster(backend, settings["scheduler"])
        experiment = altered(
            _experiment(name, fuzz, quick=settings["quick"]),
            settings["replications"],
            settings["seed"],
        )
        # Everything is built once here, so that a wrong setting at any horizon is found at once.
        Builder(experiment).build_all()
    drawn = [] if fuzz is None else ["--fuzz", str(fuzz)]
    command = shlex.join(["driftwise", "run", name, *drawn, *_words(modules, style, settings)])
    try:
        return run(
            experiment,
            backend=cast(Any, backend),
            style=cast(Any, style),
            command=command,
            **settings,
        )
    except OSError as error:
        raise InputError(str(error)) from error


def _experiment(name: str, fuzz: int | None, *, quick: bool) -> Experiment:
    if fuzz is None:
        return find_experiment(name, quick=quick)
    if name != "scoreboard":
        raise InputError(f"fuzz must be left out, except with the scoreboard, got {name}")
    return fuzz_experiment(fuzz, quick=quick)


def load_all(folders: Sequence[Path], merge: Path | None) -> tuple[pl.DataFrame, list[Origin]]:
    """Return the numbers of one folder, or of several that are merged into another."""
    if merge is not None:
        merge.mkdir(parents=True, exist_ok=True)
        merge_results(folders, merge)
        return load_results(merge)
    if len(folders) > 1:
        raise InputError("several folders must be merged to be compared: add --merge DIR")
    return load_results(folders[0])


def stand_all(
    numbers: pl.DataFrame, origins: Sequence[Origin], round_: int | None
) -> tuple[list[Standings], dict[tuple[str, int], dict[str, str]]]:
    """Return the standings of every world and horizon, and who was best behind comparators."""
    builders = [Builder(origin.experiment) for origin in origins]
    comparators: dict[str, list[str]] = {}
    for builder in builders:
        for label, members in builder.experiment.comparators.items():
            own = comparators.setdefault(label, [])
            own += [member for member in members if member not in own]
    shown = list(dict.fromkeys(pair for pair in _finished_pairs(numbers, builders)))
    if round_ is not None:
        shown = [(world, horizon) for world, horizon in shown if horizon >= round_]
    if not shown:
        raise ValueError(
            "results must have a world and a horizon that all policies have finished a replication"
            " of" + (f", and that is {round_} rounds long" if round_ is not None else "")
        )
    standings = [
        stand(numbers, world, horizon, seed=origins[0].seed, comparators=comparators, round_=round_)
        for world, horizon in shown
    ]
    best = {
        each.key: name_best(builder, each)
        for each in standings
        for builder in builders
        if each.key in builder.experiment.settings
        and each.best_of.keys() <= builder.experiment.comparators.keys()
    }
    return standings, {each.key: best.get(each.key, each.best_of) for each in standings}


def _finished_pairs(
    numbers: pl.DataFrame, builders: Sequence[Builder]
) -> Iterator[tuple[str, int]]:
    """Yield the worlds and horizons that can be compared: all who play there have results."""
    for builder in builders:
        yield from Findings(builder.experiment, builder, numbers, (), "").pairs


def _words(modules: Sequence[str], style: str, settings: dict[str, Any]) -> list[str]:
    """Return the options that change what is written; where it is played does not."""
    words = [word for name in modules for word in ("--from", name)]
    for key in ("replications", "seed", "out"):
        if settings[key] is not None:
            words += [f"--{key}", str(settings[key])]
    words += ["--style", style] * (style != "screen")
    return words + ["--quick"] * settings["quick"]
