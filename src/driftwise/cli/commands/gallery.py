"""`driftwise gallery`: every world with every policy that may play there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import InputError, disk_errors, input_errors
from ..options import AsJson, Delay, Folder, Jobs, Modules, Quiet, Seed, a_flag, an_integer
from ..outside import names_from

__all__ = ["gallery"]


@app.command()
def gallery(
    world: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A world to show; may be repeated; all by default."),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A policy to show; may be repeated; all by default."),
    ] = None,
    horizon: Annotated[
        int | None,
        an_integer("T", "How many rounds to play; a world's own by default, or 5000."),
    ] = None,
    replications: Annotated[
        int | None, an_integer("N", "How often to play; 20 by default, or 8 with --quick.")
    ] = None,
    delay: Delay = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Folder = Path("gallery"),
    modules: Modules = None,
    quick: Annotated[bool, a_flag("--quick", "Play fewer rounds, less often.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show every world with all policies that apply.

    Writes a page, a figure for each world, sorted by regret, and the numbers. Ctrl-C stops early:
    what is finished is still written, and the exit code is 130.
    """
    from ...experiments.gallery import make_gallery, plan_gallery
    from ...experiments.spec.limits import require_jobs
    from ..output import answer

    with names_from(modules):
        with input_errors():
            require_jobs(jobs)
            plan = plan_gallery(
                worlds=world,
                policies=policy,
                horizon=horizon,
                replications=replications,
                seed=seed,
                quick=quick,
                delay=delay,
            )
        with disk_errors():
            outcome = make_gallery(plan, out=out, jobs=jobs, quiet=quiet)
    if not outcome.halls and not outcome.is_interrupted:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in outcome.left_out.items())
        raise InputError(
            f"gallery must have a world where some policy can play, got none ({reasons})"
        )
    answer(outcome, as_json)
    if outcome.is_interrupted:
        raise typer.Exit(130)
