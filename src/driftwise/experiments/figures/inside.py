"""A picture of one run: why a long window lags behind, and what BOB does about it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.ticker import StrMethodFormatter

from ...pages.palette import ARM_COLOURS
from ..analysis.trace import Play, Trace
from .blocks_picture import draw_blocks
from .drawing import Drawing, blank, look, render, tidy

__all__ = ["draw_inside", "words_of"]

_ARMS = ARM_COLOURS[:2]
Colours = Mapping[str, str]


def draw_inside(trace: Trace, colours: Colours) -> Drawing:
    """Draw the close-up of a run, one panel below the other, and below it the windows of the whole run.

    ``colours`` are those of the two policies, by label.
    """
    with look():
        figure = blank(9.6, 12.2)
        upper = figure.add_gridspec(
            4, 1, height_ratios=[2.4, 2.4, 1.2, 1.9], hspace=0.42,
            left=0.115, right=0.845, top=0.955, bottom=0.345,
        )  # fmt: skip
        panels = [figure.add_subplot(upper[0])]
        panels += [figure.add_subplot(upper[row], sharex=panels[0]) for row in (1, 2, 3)]
        _draw_beliefs(panels[0], trace, trace.sliding_window)
        panels[0].set_title(_lag(trace), loc="left")
        _draw_beliefs(panels[1], trace, trace.bandit_over_bandit)
        panels[1].set_title(_restarts(trace), loc="left", pad=20)
        _write_windows(panels[1], trace, colours)
        _draw_arms(panels[2], trace, colours)
        _draw_regret(panels[3], trace, colours)
        for panel in panels[:3]:
            panel.tick_params(labelbottom=False)
        for panel in panels:
            tidy(panel)
            _mark_blocks(panel, trace)
        panels[0].set_xlim(*trace.close_up)
        panels[3].set_xlabel("round (close-up from the middle of the run)")
        panels[3].xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        draw_blocks(figure, trace, colours)
        return render(figure, words_of(trace))


def _draw_beliefs(axes: Axes, trace: Trace, play: Play) -> None:
    first, last = trace.close_up
    rounds = np.arange(first, last)
    for arm, colour in enumerate(_ARMS):
        axes.plot(rounds, trace.means[first:last, arm], color=colour, lw=5, alpha=0.35)
        axes.plot(rounds, play.estimates[:, arm], color=colour, lw=0.9)
    low, high = trace.means.min(), trace.means.max()
    axes.set_ylim(low - 0.4 * (high - low), high + 0.35 * (high - low))
    axes.set_ylabel("expected reward")
    for height, arm in ((0.72, 0), (0.50, 1)):
        axes.text(
            1.015,
            height,
            f"arm {arm}",
            color=_ARMS[arm],
            weight="bold",
            transform=axes.transAxes,
        )
    note = f"pale: the truth\ndark: {play.policy}'s\nestimate"
    axes.text(1.015, 0.36, note, fontsize=9.5, va="top", transform=axes.transAxes)


def _write_windows(axes: Axes, trace: Trace, colours: Colours) -> None:
    blocks = trace.blocks
    for block in range(*_blocks_shown(trace)):
        window = blocks.windows[blocks.drawn[block]]
        axes.annotate(
            f"window {window}",
            (blocks.edges[block : block + 2].mean(), 1.03),
            xycoords=("data", "axes fraction"),
            color=colours[trace.bandit_over_bandit.policy], weight="bold", fontsize=9.5, ha="center", va="bottom",
        )  # fmt: skip


def _draw_arms(axes: Axes, trace: Trace, colours: Colours) -> None:
    first, last = trace.close_up
    plays = (trace.sliding_window, trace.bandit_over_bandit)
    axes.imshow(
        np.stack([trace.better_arms, *(play.arms for play in plays)]), cmap=ListedColormap(_ARMS), vmin=0, vmax=1,
        aspect="auto", interpolation="nearest", extent=(first, last, 2.5, -0.5),
    )  # fmt: skip
    axes.hlines([0.5, 1.5], first, last, color="white", lw=4)
    axes.set_yticks(range(3), ["better arm", *(play.policy for play in plays)])
    for tick, name in zip(axes.get_yticklabels()[1:], (p.policy for p in plays), strict=True):
        tick.set(color=colours[name], weight="bold")
    axes.tick_params(axis="y", length=0)
    axes.set_title("Which arm is played, and which one is better", loc="left")
    for row, play in enumerate(plays, start=1):
        axes.text(last, row, f"  {trace.share_right(play):.0%} right", fontsize=9.5, va="center")


def _draw_regret(axes: Axes, trace: Trace, colours: Colours) -> None:
    first, last = trace.close_up
    for play in (trace.sliding_window, trace.bandit_over_bandit):
        before = play.regret[first - 1] if first else 0.0
        since = play.regret[first:last] - before
        axes.plot(np.arange(first, last), since, color=colours[play.policy], lw=1.8)
        axes.text(
            last, since[-1], f"  {play.policy}\n  whole run: {play.regret[-1]:,.0f}",
            color=colours[play.policy], weight="bold", fontsize=9.5, va="center",
        )  # fmt: skip
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("regret")
    axes.set_title("Regret, counted from the start of the close-up", loc="left")


def _mark_blocks(axes: Axes, trace: Trace) -> None:
    for block in range(_blocks_shown(trace)[0] + 1, _blocks_shown(trace)[1]):
        axes.axvline(trace.blocks.edges[block], color="#999999", lw=0.7, ls=(0, (2, 2)))


def _blocks_shown(trace: Trace) -> tuple[int, int]:
    first, last = np.searchsorted(trace.blocks.edges, trace.close_up)
    return int(first), int(last)


def _lag(trace: Trace) -> str:
    text = f"{trace.sliding_window.policy} averages over {trace.window:,} rounds"
    if trace.swing is None:
        return text
    return f"{text}: {trace.window / trace.swing:.1f} full swings of the means"


def _restarts(trace: Trace) -> str:
    return (
        f"{trace.bandit_over_bandit.policy} restarts after every {trace.blocks.length} rewards, with"
        " a window that it draws"
    )


def words_of(trace: Trace) -> str:
    """Return what the picture of a run shows, in words."""
    counts, costs = trace.blocks.per_window()
    slow, quick = trace.sliding_window, trace.bandit_over_bandit
    right = [trace.share_right(play) for play in (slow, quick)]
    cheapest = int(np.nanargmin(costs))
    return (
        f"One run of {trace.horizon:,} rounds. {_lag(trace)}. {_restarts(trace)}. In the close-up"
        f" {slow.policy} plays the better arm in {right[0]:.0%} of the rounds and {quick.policy} in"
        f" {right[1]:.0%}. Over the whole run {quick.policy} draws each window"
        f" {counts.min():.0f} to {counts.max():.0f} times; the window of"
        f" {trace.blocks.windows[cheapest]} rounds costs least. Total regret:"
        f" {slow.regret[-1]:,.0f} for {slow.policy}, {quick.regret[-1]:,.0f} for {quick.policy}."
    )
