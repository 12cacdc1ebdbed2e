"""One world of an experiment: charts, standings, and the still figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...pages.charts import Chart
from ...pages.pieces import folded, picture, prose
from ..analysis.curves import Curve
from ..analysis.findings import Findings
from ..figures.drawing import Drawing
from ..figures.naming import DRIFT, GROWTH, ONE_RUN, OVER_TIME, name_figure
from .charts import chart_figure, growth_chart, time_chart
from .downloads import file_links
from .settings import list_settings
from .tables import standings_table

__all__ = ["WorldSection", "show_world"]

_TIME = (
    "Mean over replications; the band is its 95% interval, and where none is to be seen it is"
    " narrower than the line."
)
_GROWTH = (
    "Regret at the end of runs of different length, both axes logarithmic: a power of the horizon"
    " is a straight line. Dashed, where theory tells: its slope, drawn through the first mean."
)
_SWEEP = (
    "What the setting costs: each point is a policy of its own, and the ring is chosen by looking"
    " at the results, which no policy can do beforehand."
)
_DRIFT = "The path of the first replication at the longest horizon."
_ONE_RUN = (
    "The first replication at the shortest horizon. Top: a window that holds several swings sees"
    " their average. Below: what a window redrawn for every block makes of it, how often each"
    " was drawn and what it cost."
)


class WorldSection(NamedTuple):
    """The part of the page about one world, and the charts in it."""

    body: str
    charts: list[Chart]


def show_world(
    findings: Findings,
    world: str,
    curves: Sequence[Curve],
    drawings: Mapping[str, Drawing],
    *,
    prefix: str,
    folder: str,
) -> WorldSection:
    """Return the section of a world.

    Parameters
    ----------
    findings, world
        Which.
    curves
        Regret over time at the longest horizon.
    drawings
        All figures of the experiment, by name.
    prefix
        What the ids of its charts begin with.
    folder
        Where the files of the figures lie, from the report.
    """
    own = _own(findings, world, drawings)
    standings = [each for each in findings.standings if each.world == world]
    charts, parts = [], []
    if OVER_TIME in own:
        name, drawing = own[OVER_TIME]
        charts.append(time_chart(findings, world, curves, f"{prefix}-time"))
        parts.append(chart_figure(charts[-1], drawing, _caption(_TIME, name, folder)))
    longest = standings[-1]
    parts.append(f"<h4>At T = {longest.horizon:,}, {_replications(longest.replications)}</h4>")
    parts.append(standings_table(findings, longest))
    parts += [
        folded(
            f"At T = {each.horizon:,}, {_replications(each.replications)}",
            standings_table(findings, each),
        )
        for each in reversed(standings[:-1])
    ]
    if GROWTH in own:
        name, drawing = own[GROWTH]
        charts.append(growth_chart(findings, world, f"{prefix}-growth"))
        parts.append(chart_figure(charts[-1], drawing, _caption(_GROWTH, name, folder)))
    for kind, (name, drawing) in own.items():
        if kind not in (OVER_TIME, GROWTH):
            text = {DRIFT: _DRIFT, ONE_RUN: _ONE_RUN}.get(kind, _SWEEP)
            parts.append(picture(drawing, _caption(text, name, folder)))
    parts.append(
        folded("Settings of the world and of every policy", list_settings(findings, world))
    )
    return WorldSection("\n".join(parts), charts)


def _own(
    findings: Findings, world: str, drawings: Mapping[str, Drawing]
) -> dict[str, tuple[str, Drawing]]:
    """Return the figures of one world by kind, each with its name."""
    end = name_figure("", findings.experiment, world)  # what the names of its figures end in
    others = [
        name_figure("", findings.experiment, entry.label) for entry in findings.experiment.worlds
    ]
    found = {}
    for name, drawing in drawings.items():
        # One world's name may end in another's: the longest that fits is meant.
        if max((each for each in others if name.endswith(each)), key=len, default=None) == end:
            found[name.removesuffix(end) if end else name] = (name, drawing)
    return found


def _caption(text: str, name: str, folder: str) -> str:
    return f"{prose(text)} Files: {file_links(name, folder)}."


def _replications(n: int) -> str:
    return f"{n} replication" + "s" * (n != 1)
