"""What a policy says of itself over time: its memory, its estimates, the noise, what it lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from ...pages.palette import ARM_COLOURS
from ..analysis.account import Account, Track
from .drawing import Drawing, blank, look, render, tidy
from .ticks import mark_powers

__all__ = ["draw_explanation"]

_LINE, _PALE = "#333333", "#8c8c8c"
_NOTICE = "#CC3311"  # far from all the others
_LEFT, _WIDTH = 0.095, 0.735  # of the figure; what is right of it holds the notes
_ABOVE, _BELOW, _GAP = 1.02, 0.6, 0.52  # inches
_FEW = 3  # points make no line if there are fewer


def draw_explanation(account: Account) -> Drawing:
    """Draw an account, one panel below the other.

    Vertical lines are where changes showed that the policy noticed; triangles on the axis are where
    the world changed, if it jumps. Arms and coordinates are counted from 0, as `Agent.explain` does.
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
            # Dots need room beside the notes.
            axes.set_xlim(0, int(account.rounds[-1]) * (1.06 if _is_short(account) else 1.0))
            axes.xaxis.set_major_locator(
                MaxNLocator("auto", integer=True, min_n_ticks=1, steps=[1, 2, 2.5, 5, 10])
            )
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
    facts = f"one run of {_rounds(account.rounds[-1])}, seed {account.seed}; asked {asked}"
    figure.text(_LEFT, 1.0 - 0.42 * inch, facts, size=9.5, color="#555555", va="top")


def _mark_changes(axes: Axes, account: Account) -> None:
    for notice in account.notices or []:
        axes.axvline(notice, color=_NOTICE, lw=0.9, alpha=0.7, zorder=0)
    if account.changes:
        axes.plot(
            account.changes, np.zeros(len(account.changes)), "^", ms=6.5, color=_LINE, mec="white",
            mew=0.5, transform=axes.get_xaxis_transform(), clip_on=False, zorder=5,
        )  # fmt: skip


def _draw_memory(axes: Axes, account: Account) -> None:
    ring = _dots(account, face="none", size=9.0)
    axes.plot(account.rounds, account.rounds, color=_PALE, lw=1.0, ls=(0, (3, 2)), **ring)
    # Just after a restart nothing counts, which a logarithm cannot show.
    memory = np.maximum(account.memory, 1.0)
    axes.plot(account.rounds, memory, color=_LINE, lw=1.3, **_dots(account))
    axes.set_yscale("log")
    most = max(1.4 * account.rounds[-1], 2.0)
    axes.set_ylim(1.0, most)
    mark_powers(axes.yaxis, 1.0, most, most=6)
    axes.set_ylabel("rounds")
    axes.set_title("Effective memory: how many rounds still count", loc="left")
    notes = [(f"{'ring' if ring else 'dashed'}: all rounds\nso far", _PALE)]
    notes += [("line: a change showed\nthat it noticed", _NOTICE)] if account.notices else []
    notes += [("triangle: the world\nchanged", _LINE)] if account.changes else []
    for place, (text, colour) in enumerate(notes):
        _note(axes, text, 1.02 - 0.36 * place, colour)


def _draw_estimates(axes: Axes, account: Account) -> None:
    assert account.track is not None
    kind, values, errors, truth = account.track
    n, ring = values.shape[1], _dots(account, face="none", size=9.0)
    for column in range(n):
        middle, error, colour = values[:, column], errors[:, column], ARM_COLOURS[column]
        low, high = middle - error, middle + error
        if _is_short(account):  # bars of several widths, since all are at the same place
            axes.vlines(account.rounds, low, high, color=colour, alpha=0.25, lw=14.0 - 3.0 * column)
        else:
            axes.fill_between(account.rounds, low, high, color=colour, alpha=0.25, lw=0)
        axes.plot(account.rounds, middle, color=colour, lw=1.2, **_dots(account))
        if truth is not None:
            axes.plot(
                account.rounds, truth[:, column], color=colour, lw=1.1, ls=(0, (1, 1)), **ring
            )
        axes.text(
            1.015, 1.0 - 0.11 * column, f"{kind} {column}",
            color=colour, weight="bold", transform=axes.transAxes, va="top",
        )  # fmt: skip
    axes.set_ylim(*_limits(account.track))
    axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    axes.set_ylabel("mean reward" if kind == "arm" else "parameter")
    what = "mean reward of each arm" if kind == "arm" else "unknown parameter"
    axes.set_title(f"Estimate of the {what}", loc="left")
    # Who forgets by a fixed rule has no idea how far its estimate lags behind, or is shrunk.
    others = "and for drift" if account.has_drift_in_errors else "alone: drift\nand ridge add to it"
    point, span = ("ring", "bar") if ring else ("dotted", "band")
    note = "" if truth is None else f"{point}: the truth\n"
    note += "" if np.isnan(errors).all() else f"{span}: one standard\nerror, for noise\n{others}"
    _note(axes, note, 0.97 - 0.11 * n)


def _limits(track: Track) -> tuple[float, float]:
    """Return what to show of the estimates: the first guesses would flatten the rest."""
    later = track.values[len(track.values) // 20 :]
    later = later[~np.isnan(later)]  # an arm may never have been played
    ends = np.quantile(later, [0.02, 0.98]).tolist() if later.size else [0.0, 1.0]
    if track.truth is not None:
        ends += [float(track.truth.min()), float(track.truth.max())]
    # An estimate that hits the truth is no reason to show how it rounds.
    room = 0.2 * max(max(ends) - min(ends), 0.05 * max(map(abs, ends)), 1e-9)
    return min(ends) - room, max(ends) + room


def _draw_noise(axes: Axes, account: Account) -> None:
    assert account.noise is not None
    axes.axhline(account.true_noise, color=_PALE, lw=1.1, ls=(0, (1, 1)))
    axes.plot(account.rounds, account.noise, color=_LINE, lw=1.3, **_dots(account))
    # The first guesses would flatten the rest.
    later = account.noise[len(account.noise) // 20 :]
    most = max(*later[~np.isnan(later)].tolist(), account.true_noise, 0.0)
    axes.set_ylim(0.0, 1.15 * most or 1.0)
    axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.set_ylabel("reward")
    axes.set_title("Estimate of the noise", loc="left")
    _note(axes, "dotted: R, the noise\nthat the world tells", colour=_PALE)


def _draw_regret(axes: Axes, account: Account) -> None:
    axes.plot([0, *account.rounds], [0.0, *account.regret], color=_LINE, lw=1.3, **_dots(account))
    # Less than that is rounding.
    axes.set_ylim(0.0, 1.05 * account.regret[-1] if account.regret[-1] > 1e-9 else 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    axes.set_ylabel("reward lost")
    axes.set_title("Regret: lost so far against the best action of each round", loc="left")
    _note(axes, f"{account.regret[-1]:,.1f} at the end")


def _is_short(account: Account) -> bool:
    return len(account.rounds) < _FEW


def _dots(account: Account, face: str | None = None, size: float = 5.0) -> dict[str, Any]:
    """Return how to mark points that are too few for a line, also those on the frame."""
    if not _is_short(account):
        return {}
    return {"marker": "o", "ms": size, "mfc": face, "clip_on": False, "zorder": 4}


def _note(axes: Axes, text: str, height: float = 1.0, colour: str = _LINE) -> None:
    axes.text(1.015, height, text, color=colour, fontsize=9.5, va="top", transform=axes.transAxes)


def _rounds(count: float) -> str:
    text = f"{count:,.0f}"
    return f"{text} round" if text == "1" else f"{text} rounds"


def _words(account: Account) -> str:
    noise = "" if account.noise is None else f" The noise is estimated at {account.noise[-1]:.3g}."
    notices = "" if account.notices is None else f" Changes noticed: {len(account.notices)}."
    return (
        f"What {account.policy} says of itself in {account.world} over "
        f"{_rounds(account.rounds[-1])}. Its effective memory is between "
        f"{account.memory.min():,.0f} and {_rounds(account.memory.max())}, "
        f"{account.memory[-1]:,.0f} at the end.{noise}{notices} "
        f"Its regret is {account.regret[-1]:,.1f}."
    )
