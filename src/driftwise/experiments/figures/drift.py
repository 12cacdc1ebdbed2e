"""How a world of an experiment drifts, along the path of its first replication."""

from __future__ import annotations

from ...pages.palette import arm_styles
from ..analysis.drift import Drift
from .drawing import Drawing, Style, blank, format_of, look, render, tidy
from .labels import EndLabel, frame, label_ends
from .ticks import mark_across, mark_evenly
from .world_picture import course_of, draw_world

__all__ = ["draw_drift"]


def draw_drift(drift: Drift, label: str, *, style: Style = "screen") -> Drawing:
    """Draw a world as `driftwise worlds` does; its main lines only in a paper or a close-up."""
    path = drift.path
    if style == "screen" and not drift.is_close_up:
        return draw_world(path)
    styles, form, band = arm_styles(len(drift.names)), format_of(style), drift.band
    labels = [
        EndLabel(float(band.middle[-1, i]), name, styles[i]) for i, name in enumerate(drift.names)
    ]
    last = drift.rounds[-1] if drift.is_close_up else path.horizon
    with look(style):
        figure = blank(form.width, 0.45 * form.width if form.has_title else 0.6 * form.width)
        axes = frame(figure, labels, form, rows=2.6 if form.has_title else 0.6)
        for i, (colour, line, _) in enumerate(styles):
            if not drift.is_close_up:  # where every round has its point, a band has no width
                low, high = band.low[:, i], band.high[:, i]
                axes.fill_between(drift.rounds, low, high, color=colour, alpha=0.16, lw=0)
            axes.plot(drift.rounds, band.middle[:, i], color=colour, ls=line, lw=form.line)
        axes.set_xlim(0, last)
        mark_across(axes, form.font)
        mark_evenly(axes.yaxis, 5)
        tidy(axes)
        axes.set_xlabel("round")
        axes.set_ylabel(drift.unit)
        if form.has_title:
            axes.set_title(f"Drift of {label}", loc="left", pad=24, weight="bold")
            key = f"Close-up: the first {last:,.0f} of {path.horizon:,} rounds, seed {path.seed}"
            axes.annotate(
                key, (0.0, 1.03), xycoords="axes fraction", fontsize=form.small, color="#555555"
            )
        label_ends(axes, last, labels, form)
        return render(figure, _words(label, drift, last))


def _words(label: str, drift: Drift, last: float) -> str:
    parts = [f"Drift of {label} over {last:,.0f} rounds, {drift.unit}."]
    for i, name in enumerate(drift.names):
        parts.append(course_of(name, drift.band.middle[:, i]))
    return " ".join(parts)
