"""An experiment from the first cell to the report."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ..core.base.files import write
from ..core.base.validation import require_integer, require_known
from ..workers.engines import Backend, engine
from ..workers.progress import Progress, show_progress
from .analysis.findings import Findings
from .analysis.outcome import Outcome
from .analysis.summary import summarise
from .execution.cells import list_cells
from .execution.files import require_folder
from .execution.results import save_results
from .execution.running import collect, play_missing
from .execution.sources import own_modules
from .execution.store import CELLS, Store
from .figures import Style, draw_all
from .report import write_report
from .setup.building import Builder
from .spec.builtin import find_experiment
from .spec.experiment import Experiment
from .spec.limits import require_feasible, require_jobs

__all__ = ["carry_out", "run"]


def run(
    experiment: str | Path | Experiment,
    *,
    replications: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    backend: Backend = "threading",
    scheduler: str | None = None,
    quick: bool = False,
    quiet: bool = False,
    style: Style = "screen",
    command: str | None = None,
) -> Outcome:
    """Run an experiment, or resume it, and write numbers, figures and a report.

    Every finished cell is kept at once. After Ctrl-C, a crash or a power cut the same call resumes
    from there, and the numbers are the same, byte by byte, as without the interruption. Cells that
    a changed experiment shares with the old one are not played again.

    Parameters
    ----------
    experiment
        The name of a built-in experiment, the path of a TOML file, or an experiment.
    replications, seed
        Instead of those in the file.
    out
        The folder for everything; ``results/NAME`` by default.
    jobs, backend, scheduler
        How many cells to play at a time, and where; see `driftwise.workers.engines`. No
        number depends on it.
    quick
        Play what the file's table ``[quick]`` says: a first look.
    quiet
        Show no progress on standard error.
    style
        "screen", or "paper" for figures sized for a column of a two-column paper.
    command
        What was typed, for the report; put together from the other arguments by default.

    Raises
    ------
    ExperimentError
        If the file is wrong; the message names line, key and rule.
    OSError
        If ``out`` cannot be written; that is found out before the work begins.
    """
    typed = experiment.name if isinstance(experiment, Experiment) else str(experiment)
    if not isinstance(experiment, Experiment):
        experiment = find_experiment(typed, quick=quick)
    experiment = altered(experiment, replications, seed)
    folder = Path("results") / experiment.name if out is None else Path(out)
    return carry_out(
        experiment.title,
        [experiment],
        folders=[folder],
        jobs=jobs,
        backend=backend,
        scheduler=scheduler,
        quiet=quiet,
        style=style,
        command=command or _command(typed, experiment, folder),
    )


def altered(experiment: Experiment, replications: int | None, seed: int | None) -> Experiment:
    """Return the experiment with other replications or another seed, if given."""
    if replications is not None:
        wanted = require_integer("replications", replications)
        experiment = replace(experiment, replications=wanted)
    if seed is not None:
        experiment = replace(experiment, seed=require_integer("seed", seed, at_least=0))
    require_feasible(**experiment.size)
    return experiment


def carry_out(
    title: str,
    experiments: Sequence[Experiment],
    *,
    folders: Sequence[Path],
    jobs: int | None,
    backend: str,
    scheduler: str | None,
    quiet: bool,
    style: Literal["screen", "paper"],
    command: str,
) -> Outcome:
    """Play experiments one after the other, each into its folder; one report for all.

    The report is written into the folder that holds all of them.
    """
    require_known("style", style, ["screen", "paper"])
    require_jobs(jobs)
    for folder in folders:
        require_folder(folder)
    builders = [Builder(experiment) for experiment in experiments]
    for builder in builders:
        builder.build_all()
    stores = [Store(folder / CELLS) for folder in folders]
    total = sum(cell.rounds for builder in builders for cell in list_cells(builder))
    with (
        engine(backend, jobs, scheduler, own_modules(_players(builders))) as play_all,
        show_progress(total, quiet=quiet) as progress,
    ):
        for builder, store in zip(builders, stores, strict=True):
            if not play_missing(builder, store, play_all, progress):
                progress.say("Interrupted, writing what there is")
                break
        findings = tuple(
            Findings(builder.experiment, builder, *collect(builder, store), command)
            for builder, store in zip(builders, stores, strict=True)
        )
        files = _write_all(title, findings, folders, style, command, progress)
    return Outcome(title, findings, files, command)


def _players(builders: Sequence[Builder]) -> Iterator[Any]:
    """Yield every world and every policy once."""
    for builder in builders:
        for world, horizon in builder.experiment.settings:
            yield builder.world(world, horizon)
            for policy in builder.players(world, horizon):
                yield builder.policy(policy, world, horizon)


def _write_all(
    title: str,
    findings: Sequence[Findings],
    folders: Sequence[Path],
    style: Literal["screen", "paper"],
    command: str,
    progress: Progress,
) -> dict[str, Path]:
    """Write the numbers first: a second Ctrl-C must not cost them."""
    shown = [(each, folder) for each, folder in zip(findings, folders, strict=True) if each.pairs]
    if not shown:
        return {}
    files: list[Path] = []
    for each, folder in shown:
        files.append(save_results(folder, each.experiment, each.numbers))
        files.append(write(folder / "numbers.csv", each.finals.write_csv().encode()))
        summary = summarise(each.standings, each.best).write_csv().encode()
        files.append(write(folder / "summary.csv", summary))
    progress.say("Drawing")
    drawings = [draw_all(each) for each, _ in shown]
    for (each, folder), screen in zip(shown, drawings, strict=True):
        # The page keeps its own size; what is meant for a paper lies beside it.
        for name, drawing in (screen if style == "screen" else draw_all(each, style=style)).items():
            files += [
                write(folder / f"{name}.{ending}", content)
                for ending, content in drawing.files.items()
            ]
    top = folders[0] if len(folders) == 1 else folders[0].parent
    page = write_report(title, [each for each, _ in shown], drawings, command=command)
    report = write(top / "report.html", page.encode())
    return {str(path.relative_to(top)): path for path in [report, *files]}


def _command(typed: str, experiment: Experiment, folder: Path) -> str:
    words = ["driftwise", "run", typed, "--replications", str(experiment.replications)]
    words += ["--seed", str(experiment.seed), "--out", str(folder)]
    return shlex.join(words + ["--quick"] * experiment.is_quick)
