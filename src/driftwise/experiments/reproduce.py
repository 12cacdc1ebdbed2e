"""The paper's experiments, with a verdict on what the paper says of them."""

from __future__ import annotations

import shlex
from pathlib import Path

from .analysis.outcome import Outcome
from .run import altered, carry_out
from .spec.builtin import find_experiment
from .spec.experiment import Experiment

__all__ = ["papers_experiments", "reproduce"]

_TITLE = "Learning to Optimize under Non-Stationarity: the paper's experiments"
_NAMES = ("paper-figure-1", "paper-figure-2")


def reproduce(
    *,
    replications: int | None = None,
    jobs: int | None = None,
    seed: int = 0,
    out: str | Path = Path("results"),
    quick: bool = False,
    quiet: bool = False,
    command: str | None = None,
) -> Outcome:
    """Run both experiments of the paper, judge its claims and write a report.

    It is `run` for the built-in experiments ``paper-figure-1`` and ``paper-figure-2``, with one
    report for both. Ctrl-C ends the run early: what is finished is kept, written and judged, and
    the same call resumes from there.

    Parameters
    ----------
    replications
        How often each horizon is played; 100 by default, or a few if ``quick``.
    jobs
        How many cells are played at a time; as many as there are processors by default. No
        result depends on it.
    seed
        The seed of all randomness.
    out
        The folder for the report, the figures and the numbers; created if need be.
    quick
        Play fewer horizons, and fewer replications unless told how many.
    quiet
        Show no progress on standard error.
    command
        What was typed, for the report; put together from the other arguments by default.

    Raises
    ------
    OSError
        If ``out`` cannot be written; that is found out before the work begins.
    """
    experiments = papers_experiments(replications=replications, seed=seed, quick=quick)
    if command is None:
        words = ["driftwise", "reproduce", "--replications", str(experiments[0].replications)]
        words += ["--seed", str(seed), "--out", str(out), *["--quick"] * quick]
        command = shlex.join(words)
    return carry_out(
        _TITLE,
        experiments,
        folders=[Path(out) / name for name in _NAMES],
        jobs=jobs,
        backend="threading",
        scheduler=None,
        quiet=quiet,
        style="screen",
        command=command,
    )


def papers_experiments(*, replications: int | None, seed: int, quick: bool) -> list[Experiment]:
    """Return both experiments of the paper, or refuse numbers that cannot be played."""
    return [altered(find_experiment(name, quick=quick), replications, seed) for name in _NAMES]
