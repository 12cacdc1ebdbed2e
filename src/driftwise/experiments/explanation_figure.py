"""What a policy says of itself over time: its memory, its estimates, the noise, what it lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, StrMethodFormatter

from .account import Account, Track
from .figures.drawing import Drawing, blank, look, render, tidy

__all__ = ["draw_explanation"]

_COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7"]
_LINE, _PALE = "#333333", "#8c8c8c"
_NOTICE = "#6a3d9a"  # far from all the others
_LEFT, _WIDTH = 0.095, 0.735  # of the figure; what is right of it holds the notes
_ABOVE, _BELOW, _GAP = 1.02, 0.6, 0.52  # inches


def draw_explanation(account: Account) -> Drawing:
    """Draw an account, panel under panel.

    Vertical lines are where the policy noticed a change; triangles on the axis are where the
    world changed, if it jumps.
    """
    panels: list[tuple[Callable[[Axes, Account], None], float]] = [(_draw_memory, 1.7)]
    panels += [(_draw_estimates, 2.2)] if account.track is not None else []
    panels += [(_draw_noise, 1.3)] if account.noise is not None else []
    panels += [(_draw_regret, 1.5)]
    with look():
        inches = [tall for _, tall in panels]
        height = _ABOVE + sum(inches) + _GAP * (len(panels) - 1) + _BELOW
        figure, top = blank(9.6, height), height - _ABOVE
        for draw, tall in panels:
            axes = figure.add_axes((_LEFT, (top - tall) / height, _WIDTH, tall / height))
            draw(axes, account)
            _mark_changes(axes, account)
            axes.set_xlim(0, int(account.rounds[-1]))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axes.tick_params(labelbottom=draw is _draw_regret)
            tidy(axes)
            top -= tall + _GAP
        axes.set_xlabel("round")
        _write_title(figure, account)
        return render(figure, _words(account))


def _write_title(figure: Figure, account: Account) -> None:
    inch = 1.0 / figure.get_figheight()
    title = f"{account.policy} in {account.world}: what it believes"
    figure.text(_LEFT, 1.0 - 0.14 * inch, title, size=13, weight="bold", va="top")
    every = int(account.rounds[0])
    asked = (
        "in every round" if every == 1 else f"every {every:,} rounds, what is between is not seen"
    )
    facts = f"one run of {account.rounds[-1]:,} rounds, seed {account.seed}; asked {asked}"
    figure.text(_LEFT, 1.0 - 0.42 * inch, facts, size=9.5, color="#555555", va="top")


def _mark_changes(axes: Axes, account: Account) -> None:
    for notice in account.notices:
        axes.axvline(notice, color=_NOTICE, lw=0.9, alpha=0.7, zorder=0)
    if account.changes:
        axes.plot(
            account.changes, np.zeros(len(account.changes)), "^", ms=6.5, color=_LINE, mec="white",
            mew=0.5, transform=axes.get_xaxis_transform(), clip_on=False, zorder=5,
        )  # fmt: skip


def _draw_memory(axes: Axes, account: Account) -> None:
    axes.plot(account.rounds, account.rounds, color=_PALE, lw=1.0, ls=(0, (3, 2)))
    # Just after a restart nothing counts, which a logarithm cannot show.
    axes.plot(account.rounds, np.maximum(account.memory, 1.0), color=_LINE, lw=1.3)
    axes.set_yscale("log")
    axes.set_ylim(bottom=1.0)
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_ylabel("rounds")
    axes.set_title("Effective memory: how many rounds still count", loc="left")
    notes = [("dashed: all rounds\nso far", _PALE)]
    notes += [("line: it noticed\na change", _NOTICE)] if account.notices else []
    notes += [("triangle: the world\nchanged", _LINE)] if account.changes else []
    for place, (text, colour) in enumerate(notes):
        _note(axes, text, 1.02 - 0.36 * place, colour)


def _draw_estimates(axes: Axes, account: Account) -> None:
    assert account.track is not None
    kind, values, errors, truth = account.track
    n = values.shape[1]
    for column in range(n):
        middle, error, colour = values[:, column], errors[:, column], _COLOURS[column]
        axes.fill_between(
            account.rounds, middle - error, middle + error, color=colour, alpha=0.25, lw=0
        )
        axes.plot(account.rounds, middle, color=colour, lw=1.2)
        if truth is not None:
            axes.plot(account.rounds, truth[:, column], color=colour, lw=1.1, ls=(0, (1, 1)))
        axes.text(
            1.015, 1.0 - 0.11 * column, f"{kind} {column + 1}",
            color=colour, weight="bold", transform=axes.transAxes, va="top",
        )  # fmt: skip
    axes.set_ylim(*_limits(account.track))
    axes.set_ylabel("mean reward" if kind == "arm" else "parameter")
    what = "mean reward of each arm" if kind == "arm" else "unknown parameter"
    axes.set_title(f"Estimate of the {what}", loc="left")
    # Who forgets by a fixed rule has no idea how far its estimate lags behind, or is shrunk.
    others = "and for drift" if account.has_drift_in_errors else "alone: drift\nand ridge add to it"
    dotted = "" if truth is None else "dotted: the truth\n"
    band = "" if np.isnan(errors).all() else f"band: one standard\nerror, for noise\n{others}"
    _note(axes, dotted + band, 0.97 - 0.11 * n)


def _limits(track: Track) -> tuple[float, float]:
    """Return what to show of the estimates: the first guesses would flatten the rest."""
    later = track.values[len(track.values) // 20 :]
    later = later[~np.isnan(later)]  # an arm may never have been played
    ends = np.quantile(later, [0.02, 0.98]).tolist() if later.size else [0.0, 1.0]
    if track.truth is not None:
        ends += [float(track.truth.min()), float(track.truth.max())]
    room = 0.2 * max(max(ends) - min(ends), 1e-9)
    return min(ends) - room, max(ends) + room


def _draw_noise(axes: Axes, account: Account) -> None:
    assert account.noise is not None
    axes.axhline(account.true_noise, color=_PALE, lw=1.1, ls=(0, (1, 1)))
    axes.plot(account.rounds, account.noise, color=_LINE, lw=1.3)
    usual = max(1.5 * float(np.median(account.noise)), 1.15 * account.true_noise)
    axes.set_ylim(0.0, usual or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.set_ylabel("reward")
    axes.set_title("Estimate of the noise", loc="left")
    _note(axes, "dotted: R, the noise\nthat the world tells", colour=_PALE)


def _draw_regret(axes: Axes, account: Account) -> None:
    axes.plot([0, *account.rounds], [0.0, *account.regret], color=_LINE, lw=1.3)
    axes.set_ylim(bottom=0.0)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel("reward lost")
    axes.set_title("Regret: lost so far against the best action of each round", loc="left")
    _note(axes, f"{account.regret[-1]:,.1f} at the end")


def _note(axes: Axes, text: str, height: float = 1.0, colour: str = _LINE) -> None:
    axes.text(1.015, height, text, color=colour, fontsize=9.5, va="top", transform=axes.transAxes)


def _words(account: Account) -> str:
    noise = "" if account.noise is None else f" The noise is estimated at {account.noise[-1]:.3g}."
    notices = f" Changes noticed: {len(account.notices)}." if account.noise is not None else ""
    return (
        f"What {account.policy} says of itself in {account.world} over {account.rounds[-1]:,} "
        f"rounds. Its effective memory is between {account.memory.min():,.0f} and "
        f"{account.memory.max():,.0f} rounds, {account.memory[-1]:,.0f} at the end.{noise}{notices} "
        f"Its regret is {account.regret[-1]:,.1f}."
    )
