"""`driftwise run`: an experiment from a file or by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..options import AsJson, Jobs, Modules, Quiet, a_flag, a_name, a_whole_number
from ..outside import names_from

__all__ = ["run"]


@app.command()
def run(
    experiment: Annotated[
        str,
        a_name("EXPERIMENT", "A name from `driftwise experiments`, or the path of a TOML file."),
    ],
    replications: Annotated[
        int | None, a_whole_number("N", "How often to play; what the file says if left out.")
    ] = None,
    seed: Annotated[
        int | None,
        a_whole_number("N", "Where all randomness begins; what the file says if left out."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for everything; results/NAME if left out."),
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
        a_whole_number("SEED", "For the scoreboard: play scenarios drawn by this seed instead."),
    ] = None,
    modules: Modules = None,
    quick: Annotated[bool, a_flag("--quick", "Play what the file calls quick: a first look.")] = (
        False
    ),
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run an experiment, or go on with it where it was stopped.

    Writes numbers, figures and a report. Ctrl-C stops early with exit code 130; what is finished
    is kept, and the same command goes on from there.
    """
    from ..experimenting import run_experiment
    from ..output import print_json
    from ..standing import print_outcome

    with names_from(modules):
        outcome = run_experiment(
            experiment,
            replications=replications,
            seed=seed,
            out=out,
            jobs=jobs,
            backend=backend,
            scheduler=scheduler,
            style=style,
            fuzz=fuzz,
            modules=modules or [],
            quick=quick,
            quiet=quiet,
        )
    if as_json:
        print_json(outcome.as_dict())
    else:
        print_outcome(outcome)
    if outcome.is_interrupted:
        raise typer.Exit(130)
