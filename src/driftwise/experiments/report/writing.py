"""The report: one HTML file that opens anywhere, with the verdicts first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from ...pages.charts import Chart
from ...pages.pieces import definitions, paragraph
from ...pages.whole import Part, write_page
from ..analysis.curves import Curve
from ..analysis.findings import Findings
from ..figures.drawing import Drawing
from .board import show_board, show_scenarios
from .bound import list_bounds
from .claims import list_verdicts
from .downloads import downloads
from .overview import describe_run, extent_of, notices_of, versions
from .tables import slopes_table
from .world_section import show_world

__all__ = ["write_report"]

_SLOPES = (
    "Regret grows as a power of the horizon; the power is the slope of the log-log plot, fitted by"
    " least squares to the means. Theory's exponents belong to upper bounds and leave out"
    " logarithms."
)
_DOWNLOADS = (
    "The first files are inside this page; those beside it are in the folder that the run wrote."
)


def write_report(
    title: str,
    findings: Sequence[Findings],
    drawings: Sequence[Mapping[str, Drawing]],
    *,
    command: str,
) -> str:
    """Return one page for one experiment or several; it needs no network and no other file.

    Parameters
    ----------
    title
        The heading of the page.
    findings
        What each experiment led to; each must have a world and a horizon that all policies have
        finished a replication of.
    drawings
        For each experiment, its figures by name, in the style for screens.
    command
        What makes the same numbers again.
    """
    parts, charts = [Part("verdicts", "Verdicts", list_verdicts(findings))], list[Chart]()
    carried = []
    for place, (each, own) in enumerate(zip(findings, drawings, strict=True)):
        shown, links, drawn = _experiment(each, own, place, is_alone=len(findings) == 1)
        parts += shown
        charts += drawn
        carried.append(links)
    slopes = slopes_table(findings)
    bounds = "\n".join(
        text for each in findings if not each.experiment.has_families for text in list_bounds(each)
    )
    parts += [
        Part("slopes", "Slopes", slopes and paragraph(_SLOPES) + slopes),
        Part("bound", "The bound beside the measurement", bounds),
        *_notes(findings),
        Part("downloads", "Every number", paragraph(_DOWNLOADS) + "\n".join(carried)),
        Part("again", "How to reproduce these numbers", _again(findings, command)),
    ]
    return write_page(
        title,
        extent_of(findings),
        notices_of(findings),
        [part for part in parts if part.body],
        charts,
    )


def _experiment(
    findings: Findings, drawings: Mapping[str, Drawing], place: int, *, is_alone: bool
) -> tuple[list[Part], str, list[Chart]]:
    """Return the parts of an experiment, its downloads and its charts."""
    experiment, prefix = findings.experiment, f"experiment-{place + 1}"
    folder = "" if is_alone else f"{experiment.name}/"
    title = "What was run" if is_alone else experiment.title
    about = paragraph(experiment.description, "lead") if experiment.description else ""
    parts = [Part(prefix, title, about + describe_run(findings))]
    charts: list[Chart] = []
    curves: dict[str, Sequence[Curve]] = {}
    if experiment.has_families:
        board = show_board(findings, drawings, folder)
        parts.insert(0, Part(f"{prefix}-board", "Scoreboard", board))
        parts.append(Part(f"{prefix}-scenarios", "Scenarios", show_scenarios(findings), 3))
        return parts, downloads(findings, curves, folder, drawings), charts
    for number, world in enumerate(findings.growth, start=1):
        longest = max(horizon for label, horizon in findings.pairs if label == world)
        curves[world] = findings.curves(world, longest)
        name = f"{prefix}-world-{number}"
        shown = show_world(findings, world, curves[world], drawings, prefix=name, folder=folder)
        parts.append(Part(name, world, shown.body, 3))
        charts += shown.charts
    heading = "" if is_alone else f"<h3>{escape(experiment.title)}</h3>\n"
    return parts, heading + downloads(findings, curves, folder, drawings), charts


def _notes(findings: Sequence[Findings]) -> list[Part]:
    """Return the notes by kind; what two experiments have in common is said once."""
    kinds: dict[str, dict[tuple[str, str], None]] = {}
    for each in findings:
        for note in each.experiment.notes:
            kinds.setdefault(note.kind, {})[note.what, note.text] = None
    return [
        Part(f"notes-{place}", kind or "Notes", definitions(entries))
        for place, (kind, entries) in enumerate(kinds.items(), start=1)
    ]


def _again(findings: Sequence[Findings], command: str) -> str:
    seeds = ", ".join(dict.fromkeys(str(each.experiment.seed) for each in findings))
    return f"<pre><code>{escape(command)}</code></pre>\n" + "\n".join(
        [
            paragraph(
                f"Seed {seeds}; every replication has a seed of its own, derived from it and"
                " listed with its regret. The number of jobs, and where they run, changes nothing."
            ),
            paragraph(versions()),
            paragraph("Charts are drawn by uPlot (MIT licence, Copyright (c) 2022 Leon Sorokin)."),
        ]
    )
