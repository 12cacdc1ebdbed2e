"""The scoreboard at a glance: a bar per policy, a dot per scenario, on a scale in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from ...scores.board import Scoreboard
from ..analysis.target import MEAN, WORST
from .drawing import Drawing, Format, Style, blank, format_of, look, render, tidy

__all__ = ["Paper", "describe_scoreboard", "draw_scoreboard"]

Paper = Literal["white", "light page", "dark page"]
_ROW, _GAP = 0.29, 1.2  # a line in inches; the room between two groups in lines
_LEFT, _RIGHT, _NARROW = 1.98, 1.72, 1.22  # inches, for names and for numbers
_LETTER = 0.089  # inches, at 11 points: names that are longer than most need more room
# What a person would call a ratio of regrets; shorter where there is little room.
_WORDS = {
    0.01: ("a hundredth", "1/100"), 0.1: ("a tenth", "1/10"), 0.5: ("half", "½"),
    1.0: ("same", "1"), 2.0: ("twice", "2"), 10.0: ("10 times", "10"),
    100.0: ("100 times", "100"), 1000.0: ("1,000 times", "1,000"), 10000.0: ("10,000 times", ""),
}  # fmt: skip


class _Inks(NamedTuple):
    """Colours that can be told apart on one kind of paper, also by those who see few colours."""

    paper: str
    text: str
    quiet: str
    better: str
    worse: str
    dots: str
    target: str


_LIGHT = _Inks("white", "#333333", "#666666", "#0072B2", "#D55E00", "#5a5a5a", "#e0f0e6")
_INKS: dict[Paper, _Inks] = {
    "white": _LIGHT,
    "light page": _LIGHT._replace(paper="none"),
    "dark page": _Inks(
        "none", "#e6edf3", "#9da7b3", "#58a6ff", "#f0883e", "#c3cbd4", "#15322a",
    ),
}  # fmt: skip


def draw_scoreboard(
    board: Scoreboard, *, style: Style = "screen", paper: Paper = "white", is_short: bool = False
) -> Drawing:
    """Draw every policy against the first comparator, the best at the top.

    Parameters
    ----------
    board
        The scores.
    style
        As for all figures.
    paper
        What the picture will lie on: white, or a web page of its own colour.
    is_short
        Whether to leave out the policies that cannot play in every scenario.
    """
    comparator, form, inks = board.comparators[0], format_of(style), _INKS[paper]
    ranked = board.ranked(comparator)
    full = [policy for policy in ranked if board.plays_everywhere(policy)]
    partial = [] if is_short else [policy for policy in ranked if policy not in full]
    rows = {policy: float(row) for row, policy in enumerate(full)}
    below = len(full) + _GAP * bool(full)
    rows |= {policy: below + row for row, policy in enumerate(partial)}
    with look(style), mpl.rc_context({"text.color": inks.text}):
        scale = form.font / 11.0
        n_lines = below + len(partial) if partial else len(full)
        top, bottom = (1.16 if form.has_title else 0.4) * scale, 0.78 * scale
        width, height = form.width * 1.14, _ROW * n_lines * scale + top + bottom
        left, right = (
            _room_for(rows) * scale,
            (_RIGHT if partial and form.has_title else _NARROW) * scale,
        )
        figure = blank(width, height)
        figure.set_facecolor(inks.paper)
        box = (left / width, bottom / height, 1.0 - (left + right) / width)
        axes = figure.add_axes((*box, 1.0 - (top + bottom) / height), facecolor="none")
        axes.set_xscale("log")
        axes.set_ylim(n_lines - 0.4, -0.6)
        _set_ticks(axes, board, comparator, form)
        _shade_target(axes, inks)
        for policy, row in rows.items():
            _draw_row(axes, row, board, policy, form, inks)
        axes.set_yticks(list(rows.values()), list(rows))
        tidy(axes)
        _set_inks(axes, inks)
        verb = "regret, compared with that of" if form.has_title else "regret over"
        axes.set_xlabel(f"{verb} the {comparator} in hindsight", labelpad=6)
        for points, name in zip(_columns(form), ("mean", "worst"), strict=True):
            _beside(axes, -0.95, points, name, form, color=inks.quiet)
        if partial and full:
            text = "In some scenarios only: fixed arms, or clicks"
            axes.annotate(
                text, (0.012, below - 0.95), xycoords=("figure fraction", "data"), va="center",
                fontsize=form.small, style="italic", color=inks.quiet,
            )  # fmt: skip
        if form.has_title:
            _write_title(figure, board, comparator, form, inks)
        return render(figure, describe_scoreboard(board, is_short=is_short))


def _room_for(names: Iterable[str]) -> float:
    """Return the inches that the longest name needs at 11 points, beside its tick."""
    return max(_LEFT, _LETTER * max(map(len, names), default=0) + 0.12)


def describe_scoreboard(board: Scoreboard, *, is_short: bool = False) -> str:
    """Return what the figure shows, in words for those who cannot see it."""
    comparator = board.comparators[0]
    parts = [
        f"{policy} {_short(board.scores[policy][comparator].geometric_mean)}"
        for policy in board.ranked(comparator)
        if not is_short or board.plays_everywhere(policy)
    ]
    return (
        f"Geometric mean over {board.origin} of each policy's regret over that of the {comparator}"
        f" in hindsight, the best first: {', '.join(parts)}."
    )


def _write_title(
    figure: Figure, board: Scoreboard, comparator: str, form: Format, inks: _Inks
) -> None:
    inch = 1.0 / figure.get_figheight()
    title = f"Who loses how much, in {board.origin}"
    said = (
        f"Dot: one scenario. Bar: geometric mean. Left of the line: less regret than the {comparator},"
        f"\nwhich nobody can know in advance. Shaded: the target, a mean below {MEAN:g} and no dot beyond"
        f" {WORST:g}."
    )
    figure.text(0.012, 1.0 - 0.12 * inch, title, size=form.font + 2.0, weight="bold", va="top")
    figure.text(
        0.012,
        1.0 - 0.43 * inch,
        said,
        size=form.small,
        color=inks.quiet,
        va="top",
        linespacing=1.35,
    )


def _draw_row(
    axes: Axes, row: float, board: Scoreboard, policy: str, form: Format, inks: _Inks
) -> None:
    own = board.scores[policy][board.comparators[0]]
    mean, values = own.geometric_mean, np.array(list(own.ratios.values()))
    colour = inks.better if mean <= 1.0 else inks.worse
    edge = axes.get_xlim()[0]  # where no regret at all is drawn, which is nowhere on this scale
    axes.barh(
        row, max(mean, edge) - 1.0, left=1.0, height=0.66, color=colour, alpha=0.4, lw=0, zorder=2
    )
    axes.plot([max(mean, edge)] * 2, [row - 0.36, row + 0.36], color=colour, lw=2.6, zorder=4)
    axes.plot(
        np.maximum(values, edge), np.full(len(values), row), "o", ms=form.marker * 0.85, mec="none",
        color=inks.dots, alpha=0.7, zorder=3,
    )  # fmt: skip
    of_mean, of_worst = _columns(form)
    _beside(axes, row, of_mean, _short(mean), form, color=colour, weight="bold")
    _beside(axes, row, of_worst, _short(own.worst), form, color=inks.text)
    if len(own.ratios) < len(board.scenarios) and form.has_title:
        note = f"in {len(own.ratios)}"
        _beside(axes, row, of_worst + 3.7 * form.small, note, form, color=inks.quiet)


def _columns(form: Format) -> tuple[float, float]:
    """Return where the numbers end, in points right of the plot."""
    return 3.4 * form.small, 7.2 * form.small


def _beside(axes: Axes, row: float, points: float, text: str, form: Format, **looks: Any) -> None:
    """Write text right of the plot, flush right."""
    axes.annotate(
        text, (1.0, row), xytext=(points, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", va="center", ha="right", fontsize=form.small, **looks,
    )  # fmt: skip


def _shade_target(axes: Axes, inks: _Inks) -> None:
    low, _ = axes.get_xlim()
    axes.axvspan(low, WORST, color=inks.target, alpha=0.55, lw=0, zorder=0)
    axes.axvspan(low, MEAN, color=inks.target, lw=0, zorder=0)
    axes.axvline(1.0, color=inks.text, lw=1.0, zorder=5)


def _set_ticks(axes: Axes, board: Scoreboard, comparator: str, form: Format) -> None:
    values = [r for own in board.scores.values() for r in own[comparator].ratios.values()]
    low = min(MEAN, *(value for value in values if value > 0.0)) / 1.25
    high = max(WORST, *values) * 1.25
    ticks = [tick for tick in _WORDS if low <= tick <= high]
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    labels = [_WORDS[tick][0 if form.has_title else 1] for tick in ticks]
    axes.set_xticks(ticks, labels, fontsize=form.small)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(axis="x", color="#888888", alpha=0.25, lw=0.6)
    axes.set_axisbelow(True)


def _set_inks(axes: Axes, inks: _Inks) -> None:
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_color(inks.quiet)
    axes.tick_params(axis="y", length=0, labelcolor=inks.text)
    axes.tick_params(axis="x", color=inks.quiet, labelcolor=inks.text)
    axes.xaxis.label.set_color(inks.text)


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:,.0f}"
