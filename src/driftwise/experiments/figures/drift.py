"""How a world of an experiment drifts, along the path of its first replication."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...worlds import LinearWorld
from ..analysis.world_path import Band, WorldPath, follow
from ..execution.cells import seed_of
from ..setup.building import Builder
from .drawing import Drawing, Style, blank, format_of, look, render, tidy
from .labels import EndLabel, frame, label_ends
from .palette import arm_styles
from .ticks import mark_across, mark_evenly
from .world_picture import draw_world

__all__ = ["draw_drift"]

_MOST_LINES = 8
# A line that crosses its own range more often than this is a block of colour, and what it seems
# to show is an interference of its waves with the points of the picture.
_MOST_CROSSINGS = 40
_CROSSINGS_SHOWN = 12


class _Lines(NamedTuple):
    names: list[str]
    unit: str
    rounds: NDArray[np.float64]
    band: Band
    is_close_up: bool


def draw_drift(builder: Builder, world: str, horizon: int, *, style: Style = "screen") -> Drawing:
    """Draw a world as `driftwise worlds` does; its main lines only in a paper or a close-up.

    A close-up of the first rounds takes the place of the whole where that could not be read.
    """
    place, seed = builder.world(world, horizon), seed_of(builder.experiment.seed, world, horizon, 0)
    path = follow(place, seed)
    lines = _main_lines(place, seed, path)
    if style == "screen" and not lines.is_close_up:
        return draw_world(place, seed=seed, path=path)
    styles, form, band = arm_styles(len(lines.names)), format_of(style), lines.band
    labels = [
        EndLabel(float(band.middle[-1, i]), name, styles[i]) for i, name in enumerate(lines.names)
    ]
    last = lines.rounds[-1] if lines.is_close_up else horizon
    with look(style):
        figure = blank(form.width, 0.45 * form.width if form.has_title else 0.6 * form.width)
        axes = frame(figure, labels, form, rows=2.6 if form.has_title else 0.6)
        for i, (colour, line, _) in enumerate(styles):
            if not lines.is_close_up:  # where every round has its point, a band has no width
                low, high = band.low[:, i], band.high[:, i]
                axes.fill_between(lines.rounds, low, high, color=colour, alpha=0.16, lw=0)
            axes.plot(lines.rounds, band.middle[:, i], color=colour, ls=line, lw=form.line)
        axes.set_xlim(0, last)
        mark_across(axes, form.font)
        mark_evenly(axes.yaxis, 5)
        tidy(axes)
        axes.set_xlabel("round")
        axes.set_ylabel(lines.unit)
        if form.has_title:
            axes.set_title(f"Drift of {world}", loc="left", pad=24, weight="bold")
            key = f"Close-up: the first {last:,.0f} of {horizon:,} rounds, seed {seed}"
            axes.annotate(
                key, (0.0, 1.03), xycoords="axes fraction", fontsize=form.small, color="#555555"
            )
        label_ends(axes, last, labels, form)
        return render(figure, _words(world, lines, last))


def _main_lines(world: Any, seed: int, path: WorldPath) -> _Lines:
    """Return the expected rewards of a few fixed arms, or the parameter, or what is offered."""
    names, unit, band = ["best action", "average action"], "expected reward", path.offered
    if path.parameter is not None and path.parameter.middle.shape[1] <= _MOST_LINES:
        names, unit, band = _numbered("coordinate", path.parameter), "parameter", path.parameter
    if path.arms is not None and path.arms.middle.shape[1] <= _MOST_LINES:
        names, unit, band = _numbered("arm", path.arms), "expected reward", path.arms
    middle = band.middle
    crossings = np.abs(np.diff(middle, axis=0)).sum(axis=0) / np.maximum(np.ptp(middle, 0), 1e-12)
    if crossings.max() <= _MOST_CROSSINGS or band is path.offered:
        return _Lines(names, unit, path.rounds, band, is_close_up=False)
    n = max(50, round(world.horizon * _CROSSINGS_SHOWN / crossings.max()))
    exact = _first(world, seed, n, is_parameter=band is path.parameter)
    rounds = np.arange(1.0, len(exact) + 1.0)
    return _Lines(names, unit, rounds, Band(exact, exact, exact), is_close_up=True)


def _numbered(name: str, band: Band) -> list[str]:
    return [f"{name} {i}" for i in range(band.middle.shape[1])]


def _first(world: Any, seed: int, n: int, *, is_parameter: bool) -> NDArray[np.float64]:
    """Return the parameters, or the means of all arms, of the first ``n`` rounds."""
    if is_parameter and isinstance(world, LinearWorld):
        return next(iter(world.path(seed, n)))[:n].copy()
    means: NDArray[np.float64] = next(iter(world.rounds(seed, n))).means
    return means[:n].copy()


def _words(world: str, lines: _Lines, last: float) -> str:
    parts = [f"Drift of {world} over {last:,.0f} rounds, {lines.unit}."]
    for i, name in enumerate(lines.names):
        values = lines.band.middle[:, i]
        parts.append(
            f"{name}: from {values[0]:.3g} to {values[-1]:.3g}, between {values.min():.3g} and"
            f" {values.max():.3g}."
        )
    return " ".join(parts)
