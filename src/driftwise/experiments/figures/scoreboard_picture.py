"""The scoreboard at a glance: one line per policy, one dot per scenario."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ..scoreboard.scoring import Scoreboard
from .drawing import Drawing, Style, blank, format_of, look, render, tidy

__all__ = ["draw_scoreboard"]

_BETTER, _WORSE, _DOTS = "#0072B2", "#D55E00", "#b9b9b9"
_ROW = 0.27  # inches


def draw_scoreboard(board: Scoreboard, *, style: Style = "screen") -> Drawing:
    """Draw every policy against the first comparator, the best at the top."""
    comparator = board.comparators[0]
    policies = board.ranked(comparator)
    form = format_of(style)
    with look(style):
        height = (_ROW * len(policies)) * form.font / 11.0 + 1.5
        figure = blank(form.width * 1.2, height)
        axes = figure.add_axes((0.25, 0.75 / height, 0.50, 1.0 - 1.45 / height))
        axes.set_xscale("log")
        axes.axvline(1.0, color="#333333", lw=1.0, zorder=1)
        for row, policy in enumerate(policies):
            _draw_row(axes, row, board, policy, form.marker)
        axes.set_yticks(range(len(policies)), policies)
        axes.set_ylim(len(policies) - 0.4, -0.6)
        _set_ticks(axes, board, comparator)
        tidy(axes)
        axes.set_xlabel(f"regret, as a multiple of that of the {comparator} in hindsight")
        if form.has_title:
            title = "Better than the best window in hindsight is left of the line"
            axes.set_title(title, loc="left", pad=24, weight="bold", x=-0.48)
        axes.annotate(
            f"dot: one of {len(board.scenarios)} scenarios; diamond: geometric mean; "
            "right: mean, worst",
            (-0.48, 1.0), xytext=(0, 8), xycoords="axes fraction", textcoords="offset points",
            fontsize=form.small, color="#555555",
        )  # fmt: skip
        axes.grid(axis="x", color="#ececec", lw=0.6)
        axes.set_axisbelow(True)
        return render(figure, _words(board, comparator, policies))


def _draw_row(axes: Axes, row: int, board: Scoreboard, policy: str, marker: float) -> None:
    own = board.scores[policy][board.comparators[0]]
    values = np.array(list(own.ratios.values()))
    colour = _BETTER if own.geometric_mean <= 1.0 else _WORSE
    axes.plot(
        values, np.full(len(values), row), "o", ms=marker * 0.8, mec="none", color=_DOTS, alpha=0.7
    )
    axes.plot([own.geometric_mean], [row], "D", ms=marker * 1.5, color=colour, zorder=3)
    missing = len(board.scenarios) - len(own.ratios)
    note = f", {len(own.ratios)} of {len(board.scenarios)}" if missing else ""
    axes.annotate(
        f"{_short(own.geometric_mean)}, {_short(own.worst)}{note}",
        (1.02, row), xycoords=("axes fraction", "data"), va="center", fontsize=8.5, color=colour,
    )  # fmt: skip


def _set_ticks(axes: Axes, board: Scoreboard, comparator: str) -> None:
    values = [r for own in board.scores.values() for r in own[comparator].ratios.values()]
    low, high = min(values) / 1.3, max(values) * 1.3
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    ticks = [10.0**d for d in decades]
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.0f}"


def _words(board: Scoreboard, comparator: str, policies: list[str]) -> str:
    parts = [
        f"{policy} {_short(board.scores[policy][comparator].geometric_mean)}" for policy in policies
    ]
    return (
        f"Geometric mean over scenarios of each policy's regret over that of the {comparator} in"
        f" hindsight, the best first: {', '.join(parts)}."
    )
