"""All figures of one experiment."""

from __future__ import annotations

from ..analysis.findings import Findings
from .blocks_picture import draw_blocks_alone
from .colours import policy_styles
from .drawing import Drawing, Style
from .drift import draw_drift
from .growth import draw_growth
from .inside import draw_inside, words_of
from .naming import DRIFT, GROWTH, ONE_RUN, OVER_TIME, SCOREBOARD, name_figure
from .over_time import draw_over_time
from .scoreboard_picture import draw_scoreboard
from .sweep_picture import draw_sweep

__all__ = ["draw_all"]


def draw_all(findings: Findings, *, style: Style = "screen") -> dict[str, Drawing]:
    """Draw what the numbers of an experiment allow, by the names that files will have.

    For each world: regret over time at the longest horizon, regret against the horizon if there
    are two, regret over each grid of a setting, the drift, and one run from the inside where
    BOB and SW-UCB meet on two fixed arms. Where worlds belong to families there are too many of
    them to look at one by one: the scoreboard sums them up.

    Parameters
    ----------
    findings
        The numbers and what follows from them.
    style
        "screen", or "paper" for a column of a two-column paper: no titles, small type, thin lines.
    """
    if findings.experiment.has_families:
        return {SCOREBOARD: draw_scoreboard(findings.scoreboard, style=style)}
    drawings: dict[str, Drawing] = {}
    for world in dict.fromkeys(world for world, _ in findings.pairs):
        drawings |= {
            name_figure(kind, findings.experiment, world): drawing
            for kind, drawing in _draw_world(findings, world, style).items()
        }
    return drawings


def _draw_world(findings: Findings, world: str, style: Style) -> dict[str, Drawing]:
    standings = [each for each in findings.standings if each.world == world]
    experiment, longest, growth = findings.experiment, standings[-1].horizon, findings.growth[world]
    curves = findings.curves(world, longest)
    drawings = {OVER_TIME: draw_over_time(curves, standings[-1], experiment, style=style)}
    if len(standings) > 1 and any(each.is_positive for each in growth):
        exponents = findings.exponents
        drawings[GROWTH] = draw_growth(growth, exponents, standings, experiment, style=style)
    for sweep in findings.sweeps(world, longest):
        kind = f"regret-over-{sweep.setting.replace('_', '-')}s"
        while kind in drawings:
            kind += "-2"
        drawings[kind] = draw_sweep(sweep, experiment, style=style)
    drawings[DRIFT] = draw_drift(findings.drift(world, longest), world, style=style)
    trace = findings.trace(world, standings[0].horizon)
    if trace is not None:
        colours = {name: own.colour for name, own in policy_styles(experiment).items()}
        drawings[ONE_RUN] = (
            draw_inside(trace, colours)
            if style == "screen"
            else draw_blocks_alone(trace, colours, words_of(trace))
        )
    return drawings
