"""`driftwise run`: an experiment from a file or by its name."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..app import app
from ..completion import experiment_names
from ..errors import InputError, disk_errors, input_errors
from ..options import AsJson, Jobs, Modules, Quiet, a_flag, a_name, an_integer
from ..outside import names_from

if TYPE_CHECKING:
    from ...experiments import Experiment

__all__ = ["run"]

_STYLES = ("screen", "paper")


@app.command()
def run(
    experiment: Annotated[
        str,
        a_name(
            "EXPERIMENT",
            "A name from `driftwise experiments`, or the path of a TOML file.",
            experiment_names,
        ),
    ],
    replications: Annotated[
        int | None, an_integer("N", "How often to play; what the file says by default.")
    ] = None,
    seed: Annotated[
        int | None,
        an_integer("N", "The seed of all randomness; what the file says by default."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for everything; results/NAME by default."),
    ] = None,
    jobs: Jobs = None,
    backend: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where to play: threading or loky (processes) on this machine, dask or ray.",
        ),
    ] = "threading",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask scheduler or a Ray cluster that is running."),
    ] = None,
    style: Annotated[
        str,
        typer.Option(metavar="NAME", help="Figures for the screen, or for a two-column paper."),
    ] = "screen",
    fuzz: Annotated[
        int | None,
        an_integer("SEED", "For the scoreboard: play scenarios drawn by this seed instead."),
    ] = None,
    modules: Modules = None,
    quick: Annotated[bool, a_flag("--quick", "Play what the file calls quick: a first look.")] = (
        False
    ),
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run an experiment, or resume it where it stopped.

    Writes numbers, figures and a report. Ctrl-C stops early with exit code 130; what is finished
    is kept, and the same command resumes from there.
    """
    from ...core.base.validation import require_known
    from ...experiments.run import altered
    from ...experiments.run import run as play_and_write
    from ...experiments.setup.building import Builder
    from ...experiments.spec.limits import require_jobs
    from ...workers.engines import BACKENDS, require_cluster
    from ..output import print_json
    from ..views.standing import print_outcome

    with names_from(modules):
        with input_errors():
            require_jobs(jobs)
            require_known("backend", backend, BACKENDS)
            require_known("style", style, _STYLES)
            require_cluster(backend, scheduler)
            chosen = altered(_find(experiment, fuzz, quick=quick), replications, seed)
            # Everything is built once here, so that a wrong setting at any horizon is found at
            # once: a ``ValueError`` out of hours of work is a bug, not bad input.
            Builder(chosen).build_all()
        # What changes what is written; where it is played does not.
        options = {
            "fuzz": fuzz,
            "from": modules,
            "replications": replications,
            "seed": seed,
            "out": out,
            "style": None if style == "screen" else style,
        }
        with disk_errors():
            outcome = play_and_write(
                chosen,
                replications=replications,
                seed=seed,
                out=out,
                jobs=jobs,
                backend=cast(Any, backend),
                scheduler=scheduler,
                quick=quick,
                quiet=quiet,
                style=cast(Any, style),
                command=_command(experiment, options, quick),
            )
    if as_json:
        print_json(outcome.as_dict())
    else:
        print_outcome(outcome)
    if outcome.is_interrupted:
        raise typer.Exit(130)


def _find(name: str, fuzz: int | None, *, quick: bool) -> Experiment:
    from ...experiments import find_experiment
    from ...experiments.scoreboard.fuzz import fuzz_experiment

    if fuzz is None:
        return find_experiment(name, quick=quick)
    if name != "scoreboard":
        raise InputError(f"fuzz must be left out, except with the scoreboard, got {name}")
    return fuzz_experiment(fuzz, quick=quick)


def _command(name: str, options: Mapping[str, Any], quick: bool) -> str:
    """Return what was typed, for the report: all that it takes to make the same files again."""
    words = ["driftwise", "run", name]
    for option, given in options.items():
        for value in given if isinstance(given, list) else [given]:
            words += [] if value is None else [f"--{option}", str(value)]
    return shlex.join(words + ["--quick"] * quick)
