"""Regret over the rounds of a world: the mean of each policy, with its 95% interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...pages.palette import GREY
from ..analysis.curves import Curve
from ..analysis.standings import Standings
from ..spec.experiment import Experiment
from .colours import MOST_SHOWN, policy_styles
from .drawing import Drawing, Style, blank, format_of, look, render, tidy
from .labels import EndLabel, frame, label_ends
from .ticks import mark_across, mark_evenly, written

__all__ = ["draw_over_time"]


def draw_over_time(
    curves: Iterable[Curve],
    standings: Standings,
    experiment: Experiment,
    *,
    style: Style = "screen",
) -> Drawing:
    """Draw the regret of all contestants; the eight with the least of it have colours."""
    curves = sorted(curves, key=lambda curve: float(curve.mean[-1]))
    styles, form = policy_styles(experiment), format_of(style)
    world, horizon = standings.key
    shown, others = curves[:MOST_SHOWN], curves[MOST_SHOWN:]
    labels = [
        EndLabel(float(curve.mean[-1]), curve.policy, styles[curve.policy]) for curve in shown
    ]
    with look(style):
        figure = blank(form.width, 0.56 * form.width if form.has_title else 0.66 * form.width)
        axes = frame(figure, labels, form, rows=2.6 if form.has_title else 0.6)
        for curve in others:
            axes.plot(*_line(curve), color=GREY, lw=0.5 * form.line)
        for curve in shown:
            own = styles[curve.policy]
            axes.fill_between(
                curve.rounds, curve.low, curve.high, color=own.colour, alpha=0.22, lw=0
            )
            axes.plot(*_line(curve), color=own.colour, ls=own.line, lw=form.line)
        axes.set_xlim(0, horizon)
        # Those without a colour may leave the picture: they must not flatten the others.
        bottom, top = (
            min(float(each.low.min()) for each in shown),
            max(float(each.high.max()) for each in shown),
        )
        axes.set_ylim(min(0.0, 1.05 * bottom), 1.06 * max(top, 1e-9))
        mark_across(axes, form.font)
        mark_evenly(axes.yaxis, 5)
        axes.grid(axis="y", color="#e6e6e6", lw=0.6)
        axes.set_axisbelow(True)
        tidy(axes)
        axes.set_xlabel("round")
        axes.set_ylabel("cumulative regret (reward)")
        if form.has_title:
            axes.set_title(f"Regret over time, {world}", loc="left", pad=24, weight="bold")
            axes.annotate(
                _key(standings.replications, len(others)), (0.0, 1.03),
                xycoords="axes fraction", fontsize=form.small, color="#555555",
            )  # fmt: skip
        label_ends(axes, horizon, labels, form)
        return render(figure, _words(world, horizon, curves))


def _line(curve: Curve) -> tuple[list[float], list[float]]:
    """Return a line that begins before the first round, where there is no regret yet."""
    return [0.0, *curve.rounds.tolist()], [0.0, *curve.mean.tolist()]


def _key(n: int, n_others: int) -> str:
    key = "One replication" if n == 1 else f"Mean of {n} replications, band: its 95% interval"
    return key + (f"; grey: {n_others} with more regret, cut off at the top" if n_others else "")


def _words(world: str, horizon: int, curves: Sequence[Curve]) -> str:
    ends = ", ".join(f"{curve.policy} {written(float(curve.mean[-1]))}" for curve in curves)
    return (
        f"Mean cumulative regret over the rounds of {world}. After {horizon:,} rounds, the least"
        f" first: {ends}."
    )
