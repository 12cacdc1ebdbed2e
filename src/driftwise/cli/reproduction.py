"""The paper's experiments, called from the command line."""

from __future__ import annotations

from pathlib import Path

from ..experiments import Outcome, reproduce
from ..experiments.reproduce import papers_experiments
from ..experiments.spec.limits import require_jobs
from .complaints import InputError, complaints

__all__ = ["run_paper"]


def run_paper(
    *, replications: int | None, jobs: int | None, seed: int, out: Path, quick: bool, quiet: bool
) -> Outcome:
    """Run `driftwise.experiments.reproduce`, with what is wrong with the input told apart.

    Numbers are judged before: a ``ValueError`` out of hours of work is a bug, not a complaint.
    A disk that is full, or a folder that cannot be written, is for the person to mend.
    """
    with complaints():
        require_jobs(jobs)
        papers_experiments(replications=replications, seed=seed, quick=quick)
    try:
        return reproduce(
            replications=replications, jobs=jobs, seed=seed, out=out, quick=quick, quiet=quiet
        )
    except OSError as error:
        raise InputError(str(error)) from error
