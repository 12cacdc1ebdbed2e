"""Every number of a run as files that the page carries, and the files that lie beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

import polars as pl

from ...pages.pieces import download
from ..analysis.curves import Curve
from ..analysis.findings import Findings
from ..analysis.summary import summarise
from ..execution.results import FILE_NAME

__all__ = ["downloads", "file_links"]


def downloads(
    findings: Findings, curves: Mapping[str, Iterable[Curve]], folder: str, names: Iterable[str]
) -> str:
    """Return links for one experiment.

    Parameters
    ----------
    findings
        The numbers.
    curves
        Regret over time, for each world.
    folder
        Where the files beside the report lie, from the report; empty if next to it.
    names
        The figures.
    """
    name, kind = findings.experiment.name, "text/csv"
    carried = {
        f"{name}-summary.csv": (
            summarise(findings.standings),
            "every table of standings, at every horizon",
        ),
        f"{name}-slopes.csv": (_slopes(findings), "slopes of the log-log plots"),
        f"{name}-curves.csv": (_curves(findings, curves), "regret over time as charted"),
        f"{name}-replications.csv": (
            _replications(findings),
            "final regret of every replication, with its seed",
        ),
    }
    items = [
        f"<li>{download(file, frame.write_csv(), kind)}: {escape(what)}</li>"
        for file, (frame, what) in carried.items()
        if len(frame)
    ]
    experiment = download(f"{name}.toml", findings.experiment.text, "text/plain")
    items.append(f"<li>{experiment}: the experiment itself</li>")
    results = f'<a href="{escape(folder + FILE_NAME)}">{escape(folder + FILE_NAME)}</a>'
    items.append(
        f"<li>beside this page: {results}, the regret of every replication at every checkpoint,"
        f" and the figures {', '.join(file_links(each, folder) for each in names)}</li>"
    )
    return "<ul>\n" + "\n".join(items) + "\n</ul>"


def file_links(name: str, folder: str) -> str:
    """Return links to the files of a figure, as HTML."""
    png, svg = (escape(f"{folder}{name}.{ending}") for ending in ("png", "svg"))
    return f'<a href="{png}">{escape(name)}.png</a> and <a href="{svg}">.svg</a>'


def _curves(findings: Findings, curves: Mapping[str, Iterable[Curve]]) -> pl.DataFrame:
    rows = [
        (world, curve.policy, int(curve.rounds[-1]), *point)
        for world, each in curves.items()
        for curve in each
        for point in zip(
            curve.rounds.tolist(),
            curve.mean.tolist(),
            curve.low.tolist(),
            curve.high.tolist(),
            strict=True,
        )
    ]
    schema = ["world", "policy", "horizon", "round", "regret", "low 95%", "high 95%"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _slopes(findings: Findings) -> pl.DataFrame:
    rows = [
        (world, each.policy, *each.slope, findings.exponents.get(each.policy))
        for world, growth in findings.growth.items()
        for each in growth
        if each.slope is not None
    ]
    schema = dict.fromkeys(("world", "policy"), pl.String) | dict.fromkeys(
        ("slope", "low 95%", "high 95%", "theory"), pl.Float64
    )
    return pl.DataFrame(rows, schema=schema, orient="row")


def _replications(findings: Findings) -> pl.DataFrame:
    return findings.finals.drop("round")
