"""The gallery, called from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..experiments.gallery import Gallery, make_gallery, plan_gallery
from ..experiments.spec.limits import require_jobs
from .complaints import InputError, complaints

__all__ = ["exhibit"]


def exhibit(
    *,
    worlds: Sequence[str] | None,
    policies: Sequence[str] | None,
    horizon: int | None,
    replications: int | None,
    seed: int,
    jobs: int | None,
    out: Path,
    quick: bool,
    quiet: bool,
) -> Gallery:
    """Plan and make a gallery, with what is wrong with the input told apart.

    Names and numbers are judged before: a ``ValueError`` out of minutes of work is a bug.
    """
    with complaints():
        require_jobs(jobs)
        plan = plan_gallery(
            worlds=worlds,
            policies=policies,
            horizon=horizon,
            replications=replications,
            seed=seed,
            quick=quick,
        )
    try:
        made = make_gallery(plan, out=out, jobs=jobs, quiet=quiet)
    except OSError as error:
        raise InputError(str(error)) from error
    if not made.halls and not made.is_interrupted:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in made.left_out.items())
        raise InputError(
            f"gallery must have a world where some policy can play, got none ({reasons})"
        )
    return made
