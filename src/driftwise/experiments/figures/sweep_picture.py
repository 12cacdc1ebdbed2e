"""Regret over a grid of windows, or of any one setting, with theory's choice and the best."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ...pages.palette import Style as LineStyle
from ..analysis.sweep import Point, Sweep
from ..spec.experiment import Experiment
from .colours import policy_styles
from .drawing import Drawing, Format, Style, blank, format_of, look, render, tidy
from .ticks import mark_evenly, mark_powers, room_across, written

__all__ = ["draw_sweep"]

_INK = "#333333"
_UNITS = {"window": "rounds", "block_length": "rounds", "epoch": "rounds"}


def draw_sweep(sweep: Sweep, experiment: Experiment, *, style: Style = "screen") -> Drawing:
    """Draw the final regret of every point of a grid."""
    styles, form = policy_styles(experiment), format_of(style)
    with look(style):
        figure = blank(form.width, 0.54 * form.width if form.has_title else 0.7 * form.width)
        left, top = 6.6 * form.font / 72.0 / form.width, 0.84 if form.has_title else 0.95
        bottom = 3.4 * form.font / 72.0 / figure.get_figheight()
        axes = figure.add_axes((left, bottom, 0.965 - left, top - bottom))
        _draw_points(axes, sweep, form)
        for point in sweep.theory:
            _mark_theory(axes, point, styles[point.label], form)
        _mark_best(axes, sweep.best, form)
        _set_limits(axes, sweep, form)
        _write_labels(axes, sweep, styles, form)
        axes.grid(axis="y", color="#e6e6e6", lw=0.6)
        axes.set_axisbelow(True)
        tidy(axes)
        word = sweep.setting.replace("_", " ")
        unit = f" ({_UNITS[sweep.setting]})" if sweep.setting in _UNITS else ""
        axes.set_xlabel(word + unit)
        axes.set_ylabel("regret at T (reward)")
        if form.has_title:
            title = f"Regret over {word}s, {sweep.world}"
            axes.set_title(title, loc="left", pad=24, weight="bold")
            axes.annotate(
                _key(sweep), (0.0, 1.03), xycoords="axes fraction", fontsize=form.small,
                color="#555555",
            )  # fmt: skip
        return render(figure, _words(sweep))


def _draw_points(axes: Axes, sweep: Sweep, form: Format) -> None:
    values = [point.value for point in sweep.points]
    spans = np.array([point.regret.span for point in sweep.points])
    axes.fill_between(values, spans[:, 0], spans[:, 1], color=_INK, alpha=0.15, lw=0)
    axes.plot(
        values, [point.regret.value for point in sweep.points], color=_INK, lw=form.line,
        marker="o", markersize=form.marker,
    )  # fmt: skip


def _mark_theory(axes: Axes, point: Point, own: LineStyle, form: Format) -> None:
    axes.plot([point.value] * 2, point.regret.span, color=own.colour, lw=2.2 * form.line, alpha=0.4)
    axes.plot(point.value, point.regret.value, color=own.colour, marker="D", ms=1.6 * form.marker)


def _mark_best(axes: Axes, best: Point, form: Format) -> None:
    axes.plot(
        best.value, best.regret.value, marker="o", ms=2.8 * form.marker, mfc="none", mec=_INK,
        mew=form.line, ls="none",
    )  # fmt: skip


def _set_limits(axes: Axes, sweep: Sweep, form: Format) -> None:
    everyone = (*sweep.points, *sweep.theory)
    values = [point.value for point in everyone]
    if min(values) > 0.0:
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 1.15, max(values) * 1.15)
        mark_powers(axes.xaxis, *axes.get_xlim(), room_across(axes, form.font))
    # From zero: a grid whose regrets are much alike must look so. Room above is for labels.
    top = max(point.regret.span[1] for point in everyone)
    axes.set_ylim(
        min(0.0, *(point.regret.span[0] for point in everyone)),
        (1.15 + 0.12 * (1 + len(sweep.theory))) * top,
    )
    mark_evenly(axes.yaxis, 5)


def _write_labels(axes: Axes, sweep: Sweep, styles: dict[str, LineStyle], form: Format) -> None:
    """Name theory's choice and the best of the grid above all points, each on a row of its own."""
    named = [
        (point, f"{point.label}: {written(point.value)} by theory", styles[point.label].colour)
        for point in sweep.theory
    ]
    named.append((sweep.best, f"best of the grid: {written(sweep.best.value)}", _INK))
    place = axes.transScale + axes.transLimits
    for row, (point, text, colour) in enumerate(named):
        across, height = place.transform((point.value, point.regret.value))
        top = 0.99 - 0.09 * row
        axes.axvline(
            point.value, float(height), top, color=colour, lw=0.6 * form.line, ls=(0, (4, 2))
        )
        axes.annotate(
            text, (point.value, top), xytext=(4 if across < 0.5 else -4, 0),
            xycoords=("data", "axes fraction"), textcoords="offset points",
            ha="left" if across < 0.5 else "right", va="top",
            color=colour, weight="bold", fontsize=form.small,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip


def _key(sweep: Sweep) -> str:
    parts = [sweep.name, f"T = {sweep.horizon:,}"]
    parts.append("mean and its 95% band" if sweep.best.regret.has_interval else "one replication")
    return "; ".join(
        [*parts, "ring: the best", *["diamond: as theory sets it"] * bool(sweep.theory)]
    )


def _words(sweep: Sweep) -> str:
    word = sweep.setting.replace("_", " ")
    points = ", ".join(f"{written(p.value)}: {written(p.regret.value)}" for p in sweep.points)
    theory = "".join(
        f" {point.label}, set by theory, has {word} {written(point.value)} and regret"
        f" {written(point.regret.value)}."
        for point in sweep.theory
    )
    return (
        f"Regret of {sweep.name} in {sweep.world} after {sweep.horizon:,} rounds by {word}:"
        f" {points}. The best {word} of the grid is {written(sweep.best.value)}.{theory}"
    )
