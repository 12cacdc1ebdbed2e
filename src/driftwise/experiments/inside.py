"""A picture of one run: why a long window lags behind, and what BOB does about it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from numpy.typing import NDArray

from .drawing import COLOURS, Drawing, blank, look, render, tidy
from .trace import Play, Trace

__all__ = ["draw_inside"]

_ARMS = [COLOURS["arm 1"], COLOURS["arm 2"]]


def draw_inside(trace: Trace) -> Drawing:
    """Draw the close-up of a run, panel under panel, and below it the windows of the whole run."""
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
        _write_windows(panels[1], trace)
        _draw_arms(panels[2], trace)
        _draw_regret(panels[3], trace)
        for panel in panels[:3]:
            panel.tick_params(labelbottom=False)
        for panel in panels:
            tidy(panel)
            _mark_blocks(panel, trace)
        panels[0].set_xlim(*trace.close_up)
        panels[3].set_xlabel("round (close-up from the middle of the run)")
        panels[3].xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        _draw_blocks(figure, trace)
        return render(figure, _words(trace))


def _draw_beliefs(axes: Axes, trace: Trace, play: Play) -> None:
    first, last = trace.close_up
    rounds = np.arange(first, last)
    for arm, colour in enumerate(_ARMS):
        axes.plot(rounds, trace.means[first:last, arm], color=colour, lw=5, alpha=0.35)
        axes.plot(rounds, play.estimates[first:last, arm], color=colour, lw=0.9)
    axes.set_ylim(-0.05, 1.0)
    axes.set_ylabel("expected reward")
    for height, arm in ((0.72, 0), (0.50, 1)):
        axes.text(
            1.015,
            height,
            f"arm {arm + 1}",
            color=_ARMS[arm],
            weight="bold",
            transform=axes.transAxes,
        )
    note = f"pale: the truth\ndark: {play.policy}'s\nestimate"
    axes.text(1.015, 0.36, note, fontsize=9.5, va="top", transform=axes.transAxes)


def _write_windows(axes: Axes, trace: Trace) -> None:
    blocks = trace.blocks
    for block in range(*_blocks_shown(trace)):
        window = blocks.windows[blocks.drawn[block]]
        axes.annotate(
            f"window {window}",
            ((block + 0.5) * blocks.length, 1.03),
            xycoords=("data", "axes fraction"),
            color=COLOURS["BOB"], weight="bold", fontsize=9.5, ha="center", va="bottom",
        )  # fmt: skip


def _draw_arms(axes: Axes, trace: Trace) -> None:
    first, last = trace.close_up
    plays = (trace.sliding_window, trace.bandit_over_bandit)
    best = trace.means.argmax(axis=1)
    rows = [best, *(play.arms for play in plays)]
    axes.imshow(
        np.stack([row[first:last] for row in rows]), cmap=ListedColormap(_ARMS), vmin=0, vmax=1,
        aspect="auto", interpolation="nearest", extent=(first, last, 2.5, -0.5),
    )  # fmt: skip
    axes.hlines([0.5, 1.5], first, last, color="white", lw=4)
    axes.set_yticks(range(3), ["better arm", *(play.policy for play in plays)])
    for tick, name in zip(axes.get_yticklabels()[1:], (p.policy for p in plays), strict=True):
        tick.set(color=COLOURS[name], weight="bold")
    axes.tick_params(axis="y", length=0)
    axes.set_title("Which arm is played, and which one is better", loc="left")
    for row, play in enumerate(plays, start=1):
        right = np.mean(play.arms[first:last] == best[first:last])
        axes.text(last, row, f"  {right:.0%} right", fontsize=9.5, va="center")


def _draw_regret(axes: Axes, trace: Trace) -> None:
    first, last = trace.close_up
    for play in (trace.sliding_window, trace.bandit_over_bandit):
        before = play.regret[first - 1] if first else 0.0
        since = play.regret[first:last] - before
        axes.plot(np.arange(first, last), since, color=COLOURS[play.policy], lw=1.8)
        axes.text(
            last, since[-1], f"  {play.policy}\n  whole run: {play.regret[-1]:,.0f}",
            color=COLOURS[play.policy], weight="bold", fontsize=9.5, va="center",
        )  # fmt: skip
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("regret")
    axes.set_title("Regret, counted from the start of the close-up", loc="left")


def _mark_blocks(axes: Axes, trace: Trace) -> None:
    for block in range(_blocks_shown(trace)[0] + 1, _blocks_shown(trace)[1]):
        axes.axvline(block * trace.blocks.length, color="#999999", lw=0.7, ls=(0, (2, 2)))


def _draw_blocks(figure: Figure, trace: Trace) -> None:
    """Draw which windows BOB drew over the whole run, how often, and what each of them cost."""
    blocks = trace.blocks
    lower = figure.add_gridspec(
        1, 3, width_ratios=[3.6, 1, 1], wspace=0.12, left=0.115, right=0.965, top=0.255, bottom=0.06
    )
    axes = figure.add_subplot(lower[0])
    edges = np.append(np.arange(len(blocks.drawn)) * blocks.length, trace.horizon)
    axes.axvspan(*trace.close_up, color="#dddddd", lw=0)
    axes.stairs(blocks.windows[blocks.drawn], edges, baseline=None, color=COLOURS["BOB"], lw=1.2)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(blocks.windows.tolist()))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0, trace.horizon)
    axes.set_ylim(blocks.windows[0] / 1.7, blocks.windows[-1] * 1.7)
    axes.set_ylabel("window (rounds)")
    axes.set_xlabel("round (the whole run; grey: the close-up)")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_title(f"The window that BOB drew in each of {len(blocks.drawn)} blocks", loc="left")
    tidy(axes)

    counts, costs = _per_window(trace)
    wide = 1.6 ** np.array([-0.5, 0.5])
    heights = blocks.windows * (wide[1] - wide[0])
    for column, values, title, form in (
        (1, counts, "blocks", "{:.0f}"),
        (2, costs, "regret per round", "{:.2f}"),
    ):
        side = figure.add_subplot(lower[column], sharey=axes)
        side.barh(
            blocks.windows, np.nan_to_num(values), height=heights, color=COLOURS["BOB"], alpha=0.6
        )
        for window, value in zip(blocks.windows, values, strict=True):
            if np.isfinite(value):
                side.annotate(
                    form.format(value), (value, window), (4, 0), textcoords="offset points",
                    fontsize=9, va="center",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                )  # fmt: skip
        side.set_xlim(0, 1.35 * np.nanmax(values))
        side.set_title(title, loc="left")
        if column == 2:
            fixed = trace.sliding_window.regret[-1] / trace.horizon
            side.axvline(fixed, color=COLOURS["SW-UCB"], lw=1.5)
            side.set_xlabel(f"line: SW-UCB, {fixed:.2f}", color=COLOURS["SW-UCB"])
        side.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)
        side.spines[["top", "right", "bottom"]].set_visible(False)


def _per_window(trace: Trace) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many blocks each window had and its mean regret per round; NaN if it had none."""
    blocks = trace.blocks
    counts = np.bincount(blocks.drawn, minlength=len(blocks.windows)).astype(float)
    totals = np.bincount(blocks.drawn, weights=blocks.regret, minlength=len(blocks.windows))
    costs = np.full(len(counts), np.nan)
    np.divide(totals, counts, out=costs, where=counts > 0)
    return counts, costs


def _blocks_shown(trace: Trace) -> tuple[int, int]:
    first, last = trace.close_up
    return first // trace.blocks.length, -(-last // trace.blocks.length)


def _lag(trace: Trace) -> str:
    swing = 2.0 * trace.horizon / (5.0 * trace.variation)
    return (
        f"SW-UCB averages over {trace.window:,} rounds: {trace.window / swing:.1f} full swings of"
        " the means"
    )


def _restarts(trace: Trace) -> str:
    return f"BOB starts afresh every {trace.blocks.length} rounds, with a window that it draws"


def _words(trace: Trace) -> str:
    counts, costs = _per_window(trace)
    first, last = trace.close_up
    best = trace.means.argmax(axis=1)[first:last]
    right = {
        play.policy: np.mean(play.arms[first:last] == best)
        for play in (trace.sliding_window, trace.bandit_over_bandit)
    }
    cheapest = int(np.nanargmin(costs))
    return (
        f"One run of {trace.horizon:,} rounds. {_lag(trace)}. {_restarts(trace)}. In the close-up"
        f" SW-UCB plays the better arm in {right['SW-UCB']:.0%} of the rounds and BOB in"
        f" {right['BOB']:.0%}. Over the whole run BOB draws each window"
        f" {counts.min():.0f} to {counts.max():.0f} times; the window of"
        f" {trace.blocks.windows[cheapest]} rounds costs least. Total regret:"
        f" {trace.sliding_window.regret[-1]:,.0f} for SW-UCB,"
        f" {trace.bandit_over_bandit.regret[-1]:,.0f} for BOB."
    )
