"""The paper's experiments, from the first cell to the report."""

from __future__ import annotations

import shlex
from pathlib import Path

import joblib

from ..core.files import write
from ..core.validation import require_integer
from .drawing import Drawing
from .experiment import Paper, load_paper
from .files import require_folder
from .findings import Findings, Order, find
from .growth import draw_growth
from .inside import draw_inside
from .numbers import as_csv, as_parquet, summarise, tabulate
from .outcome import Outcome
from .progress import Progress, show_progress
from .report import write_report
from .running import list_cells, run
from .trace import trace_run

__all__ = ["draw_all", "reproduce", "reproduce_paper"]

REPLICATIONS = 100


def reproduce(
    *,
    replications: int | None = None,
    jobs: int | None = None,
    seed: int = 0,
    out: Path = Path("results"),
    quick: bool = False,
    quiet: bool = False,
    command: str | None = None,
) -> Outcome:
    """Run both experiments of the paper, judge its claims and write a report.

    Ctrl-C ends the run early: what is finished is written and judged, and the outcome says that
    it was interrupted.

    Parameters
    ----------
    replications
        How often each horizon is played; 100 if left out, or a few if ``quick``.
    jobs
        How many cells are played at a time; as many as there are processors if left out. No
        result depends on it.
    seed
        Where all randomness begins.
    out
        The folder for the report, the figures and the numbers; created if need be.
    quick
        Play fewer horizons, and fewer replications unless told how many.
    quiet
        Show no progress on standard error.
    command
        What was typed, for the report; put together from the other arguments if left out.

    Raises
    ------
    OSError
        If ``out`` cannot be written; that is found out before the work begins.
    """
    paper = load_paper(quick=quick)
    if replications is None:
        replications = paper.quick_replications if quick else REPLICATIONS
    order = Order(
        replications=require_integer("replications", replications),
        seed=require_integer("seed", seed, at_least=0),
        quick=quick,
        command=command or _command(replications, seed, out, quick),
    )
    return reproduce_paper(paper, order, jobs=jobs, out=Path(out), quiet=quiet)


def reproduce_paper(
    paper: Paper, order: Order, *, jobs: int | None, out: Path, quiet: bool
) -> Outcome:
    """Do the work of `reproduce`, for any experiments of the paper's kind."""
    jobs = joblib.cpu_count() if jobs is None else require_integer("jobs", jobs)
    require_folder(out)
    cells = list_cells(paper.experiments, order.replications)
    with show_progress(sum(cell.horizon for cell in cells), quiet=quiet) as progress:
        rows, is_interrupted = run(cells, seed=order.seed, jobs=jobs, progress=progress)
        findings = find(paper, order, tabulate(rows), is_interrupted=is_interrupted)
        files = _write_all(findings, out, progress) if rows else {}
    return Outcome(findings, files)


def _write_all(findings: Findings, out: Path, progress: Progress) -> dict[str, Path]:
    """Write the numbers first: a second Ctrl-C must not cost them."""
    progress.say("Interrupted, writing what there is" if findings.is_interrupted else "Drawing")
    contents = {
        "numbers.parquet": as_parquet(findings.numbers),
        "numbers.csv": as_csv(findings.numbers),
        "summary.csv": as_csv(summarise(findings.analyses.values())),
    }
    files = {name: write(out / name, content) for name, content in contents.items()}
    drawings = draw_all(findings)
    for name, drawing in drawings.items():
        files[f"{name}.png"] = write(out / f"{name}.png", drawing.png)
        files[f"{name}.svg"] = write(out / f"{name}.svg", drawing.svg)
    report = write(out / "report.html", write_report(findings, drawings).encode())
    return {"report.html": report} | files


def draw_all(findings: Findings) -> dict[str, Drawing]:
    """Draw the figures, and one run from the inside."""
    drawings = {
        experiment.name: draw_growth(experiment, findings.analyses[experiment.name])
        for experiment in findings.paper.experiments
        if experiment.name in findings.analyses
    }
    experiment = findings.paper.experiments[-1]
    trace = trace_run(experiment, experiment.horizons[0], findings.order.seed)
    return drawings | {"one-run": draw_inside(trace)}


def _command(replications: int, seed: int, out: Path, quick: bool) -> str:
    words = ["driftwise", "reproduce", "--replications", str(replications), "--seed", str(seed)]
    words += ["--out", str(out)] + ["--quick"] * quick
    return shlex.join(words)
