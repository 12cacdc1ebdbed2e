"""Which windows BOB drew over a whole run, how often, and what each of them cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from ..analysis.trace import Trace
from .drawing import Drawing, blank, format_of, look, render, tidy
from .ticks import mark_across

__all__ = ["draw_blocks", "draw_blocks_alone"]

Colours = Mapping[str, str]


def draw_blocks_alone(trace: Trace, colours: Colours, words: str) -> Drawing:
    """Draw the window of each block for a column of a paper."""
    form = format_of("paper")
    with look("paper"):
        figure = blank(form.width, 0.6 * form.width)
        axes = figure.add_axes((0.17, 0.21, 0.76, 0.75))
        _draw_stairs(axes, trace, colours[trace.bandit_over_bandit.policy], form.line)
        mark_across(axes, form.font)
        axes.set_xlabel("round")
        return render(figure, words)


def draw_blocks(figure: Figure, trace: Trace, colours: Colours) -> None:
    """Draw which windows BOB drew over the whole run, how often, and what each of them cost."""
    blocks = trace.blocks
    lower = figure.add_gridspec(
        1, 3, width_ratios=[3.6, 1, 1], wspace=0.12, left=0.115, right=0.965, top=0.255, bottom=0.06
    )
    axes = figure.add_subplot(lower[0])
    axes.axvspan(*trace.close_up, color="#dddddd", lw=0)
    name = trace.bandit_over_bandit.policy
    _draw_stairs(axes, trace, colours[name], 1.2)
    axes.set_xlabel("round (the whole run; grey: the close-up)")
    axes.set_title(f"The window that {name} drew in each of {len(blocks.drawn)} blocks", loc="left")
    counts, costs = trace.blocks.per_window()
    wide = 1.6 ** np.array([-0.5, 0.5])
    heights = blocks.windows * (wide[1] - wide[0])
    for column, values, title, form in (
        (1, counts, "blocks", "{:.0f}"),
        (2, costs, "regret per round", "{:.2f}"),
    ):
        side = figure.add_subplot(lower[column], sharey=axes)
        side.barh(
            blocks.windows, np.nan_to_num(values), height=heights, color=colours[name], alpha=0.6
        )
        longest = float(np.nanmax(values))
        if column == 2:
            slow = trace.sliding_window
            fixed = slow.regret[-1] / trace.horizon
            side.axvline(fixed, color=colours[slow.policy], lw=1.5)
            side.set_xlabel(f"line: {slow.policy}, {fixed:.2f}", color=colours[slow.policy])
            longest = max(longest, fixed)
        for window, value in zip(blocks.windows, values, strict=True):
            if np.isfinite(value):
                side.annotate(  # right of all bars and of the line
                    form.format(value), (1.0, window), xycoords=("axes fraction", "data"),
                    fontsize=9, ha="right", va="center",
                )  # fmt: skip
        side.set_xlim(0, 1.4 * longest)
        side.set_title(title, loc="left")
        side.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)
        side.spines[["top", "right", "bottom"]].set_visible(False)


def _draw_stairs(axes: Axes, trace: Trace, colour: str, width: float) -> None:
    blocks = trace.blocks
    axes.stairs(blocks.windows[blocks.drawn], blocks.edges, baseline=None, color=colour, lw=width)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(blocks.windows.tolist()))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0, trace.horizon)
    axes.set_ylim(blocks.windows[0] / 1.7, blocks.windows[-1] * 1.7)
    axes.set_ylabel("window (rounds)")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    tidy(axes)
