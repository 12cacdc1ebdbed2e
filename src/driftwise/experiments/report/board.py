"""The scoreboard's part of the page: the figure, and every policy against every yardstick."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from ...pages.pieces import folded, paragraph, picture, table
from ...scores.board import Score, Scoreboard
from ..analysis.findings import Findings
from ..figures.drawing import Drawing
from ..figures.naming import SCOREBOARD
from .downloads import file_links
from .tables import standings_table

__all__ = ["show_board", "show_scenarios"]

_READING = (
    "A policy's score in a scenario is its mean regret over that of the yardstick, which was picked"
    " in hindsight for that very scenario. Below 1 is better than the yardstick. Scores are summed"
    " up by geometric means, so that twice and half as good cancel. Policies that cannot play in"
    " all scenarios come last, with the number that they played."
)


def show_board(findings: Findings, drawings: Mapping[str, Drawing], folder: str) -> str:
    """Return the figure and a table for each comparator."""
    board = findings.scoreboard
    caption = "Files: " + file_links(SCOREBOARD, folder)
    origin = f"{board.origin[0].upper()}{board.origin[1:]}."
    parts = [paragraph(f"{origin} {_READING}"), picture(drawings[SCOREBOARD], caption)]
    for comparator in board.comparators:
        parts.append(f"<h3>Against the {escape(comparator)}</h3>")
        parts.append(_table(board, comparator))
    return "\n".join(parts)


def show_scenarios(findings: Findings) -> str:
    """Return the standings of every scenario, each shown when it is asked for."""
    return "\n".join(
        folded(f"{each.world}, T = {each.horizon:,}", standings_table(findings, each))
        for each in findings.standings
    )


def _table(board: Scoreboard, comparator: str) -> str:
    head = (
        "policy", "geometric mean", "where something changes", "worst", "in", "scenarios",
        *board.families, "must be told",
    )  # fmt: skip
    rows = [
        (
            escape(policy),
            *_numbers(board.scores[policy][comparator]),
            *(_family(board.scores[policy][comparator], family) for family in board.families),
            escape(board.told[policy]),
        )
        for policy in board.ranked(comparator)
    ]
    return table(f"Against the {comparator}", head, rows)


def _numbers(own: Score) -> tuple[str, ...]:
    return (
        f"{own.geometric_mean:.2f}",
        f"{own.drifting:.2f}",
        f"{own.worst:.2f}",
        escape(own.worst_scenario),
        str(len(own.ratios)),
    )


def _family(own: Score, family: str) -> str:
    return f"{own.families[family]:.2f}" if family in own.families else ""
