"""`driftwise reproduce`: the paper's experiments, with verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import disk_errors, input_errors
from ..options import AsJson, Folder, Jobs, Quiet, Seed, a_flag, an_integer

__all__ = ["reproduce"]


@app.command()
def reproduce(
    replications: Annotated[
        int | None,
        an_integer("N", "How often to play each horizon; 100 by default, or a few with --quick."),
    ] = None,
    jobs: Jobs = None,
    seed: Seed = 0,
    out: Folder = Path("results"),
    quick: Annotated[
        bool, a_flag("--quick", "Play fewer horizons, a few times each: under a minute.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run the paper's two experiments and judge its claims.

    Writes a report, figures and numbers. Ctrl-C stops early: what is finished is still written and
    judged, and the exit code is 130.
    """
    from ...experiments.reproduce import papers_experiments
    from ...experiments.reproduce import reproduce as play_and_write
    from ...experiments.spec.limits import require_jobs
    from ..output import answer

    with input_errors():
        require_jobs(jobs)
        papers_experiments(replications=replications, seed=seed, quick=quick)
    with disk_errors():
        outcome = play_and_write(
            replications=replications, jobs=jobs, seed=seed, out=out, quick=quick, quiet=quiet
        )
    answer(outcome, as_json)
    if outcome.is_interrupted:
        raise typer.Exit(130)
