"""The picture of a world: how its expected rewards, or its parameter, drift over the rounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from ...pages.palette import GREY, Style, arm_styles
from ..analysis.world_path import Band, WorldPath
from .drawing import Drawing, Kind, blank, look, render, tidy, write_title
from .labels import label_line, spread

__all__ = ["course_of", "draw_world"]

_MOST_LINES = 8  # more cannot be told apart, nor labelled
_MOST_MARKS = 60  # more changes than this would be a grey wall
_MOST_SPANS = 20
_LABEL = 9.5
_LEFT, _WIDTH = 0.12, 0.715  # of the figure
_REWARD = "expected reward\nper round"


class _Panel(NamedTuple):
    """One plot of those that stand one below the other."""

    title: str
    unit: str
    band: Band
    labels: list[str]
    styles: list[Style]
    height: float = 1.0


def draw_world(path: WorldPath, *, kind: Kind | None = None) -> Drawing:
    """Draw one path of a world, with the rounds in which it changes.

    A few arms that are the same in every round are shown by their expected rewards. Otherwise the
    coordinates of the parameter are shown, what the best action of each round brings, and what
    the average one does. If only one kind of file is wanted, only that is made: to make one takes
    longer than all the rest.
    """
    panels = _panels(path)
    has_strip = panels[0].band is path.arms and path.n_arms > 1
    with look():
        figure, every = _stack(panels, has_strip)
        for axes, panel in zip(every, panels, strict=False):
            _draw_panel(axes, path, panel)
            _mark_changes(axes, path)
        if has_strip:
            _draw_strip(every[-1], path, panels[0].styles)
        for axes in every[:-1]:
            axes.tick_params(labelbottom=False)
        every[-1].set_xlabel("round", fontsize=_LABEL)
        every[-1].tick_params(labelsize=_LABEL)
        every[-1].xaxis.set_major_locator(
            MaxNLocator("auto", integer=True, min_n_ticks=1, steps=[1, 2, 2.5, 5, 10])
        )
        every[-1].xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        every[0].set_xlim(1, max(2, path.horizon))
        write_title(figure, _LEFT, path.world, _facts(path))
        return render(figure, _words(path, panels), None if kind is None else (kind,))


def _stack(panels: list[_Panel], has_strip: bool) -> tuple[Figure, list[Axes]]:
    """Return axes one below the other, the last of them a narrow strip if there is one."""
    inches = [2.2 * panel.height for panel in panels]
    gap, above, below, strip = 0.5, 1.06, 0.62, 0.3 * has_strip
    height = above + sum(inches) + gap * (len(panels) - 1) + strip + below
    figure, every, top = blank(9.0, height), list[Axes](), height - above
    for tall in inches:
        box = (_LEFT, (top - tall) / height, _WIDTH, tall / height)
        every.append(figure.add_axes(box, sharex=every[0] if every else None))
        top -= tall + gap
    if has_strip:
        box = (_LEFT, below / height, _WIDTH, 0.16 / height)
        every.append(figure.add_axes(box, sharex=every[0]))
    return figure, every


def _panels(path: WorldPath) -> list[_Panel]:
    unit = _REWARD if path.has_means else "reward per round"
    if path.arms is not None and path.n_arms <= _MOST_LINES:
        names = [f"arm {k}" for k in range(path.n_arms)]
        title = "Expected reward of each arm" if path.has_means else "Recorded reward of each arm"
        return [_Panel(title, unit, path.arms, names, arm_styles(len(names)), 1.25)]
    panels = []
    if path.parameter is not None and path.dimension <= _MOST_LINES:
        names = [f"coordinate {i}" for i in range(path.dimension)]
        scale = (
            "reward per unit\nof the action" if path.is_linear else "score per unit\nof the action"
        )
        styles = arm_styles(len(names))
        panels.append(_Panel("Parameter", scale, path.parameter, names, styles))
    names = ["best action", "average action"]
    styles = [Style("#333333", "solid", "o"), Style(GREY, (0, (5.0, 1.6)), "s")]
    title = "Expected reward of what is offered" if path.has_means else "Recorded rewards"
    panels.append(_Panel(title, unit, path.offered, names, styles))
    if path.arms is not None:
        which = f"arm, from 0\nto {path.n_arms - 1}"
        panels.append(_Panel("Which arm is best", which, path.best, ["best arm"], styles[:1], 0.7))
    return panels


def _draw_panel(axes: Axes, path: WorldPath, panel: _Panel) -> None:
    middle, low, high = panel.band
    # Where an expected reward jumps about from round to round, its average is the line and its
    # extremes are too pale to hide the others.
    for column, style in enumerate(panel.styles):
        axes.fill_between(
            path.rounds, low[:, column], high[:, column], color=style.colour, alpha=0.16, lw=0
        )
    for column, style in enumerate(panel.styles):
        # Ever thinner, so that of lines on top of each other all can be seen.
        width = 2.2 - 0.9 * column / max(1, len(panel.styles) - 1)
        axes.plot(path.rounds, middle[:, column], color=style.colour, ls=style.line, lw=width)
    axes.margins(y=0.08)
    axes.set_title(panel.title, loc="left", fontsize=10.5, pad=5)
    axes.set_ylabel(panel.unit, fontsize=_LABEL)
    axes.yaxis.set_label_coords(-0.105, 0.5)  # clear of the widest numbers
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=panel.band is path.best))
    axes.grid(axis="y", color="#e6e6e6", lw=0.6)
    axes.set_axisbelow(True)
    tidy(axes)
    axes.tick_params(labelsize=_LABEL)
    _label_ends(axes, middle[-1], panel)


def _label_ends(axes: Axes, ends: NDArray[np.float64], panel: _Panel) -> None:
    low, high = axes.get_ylim()
    inches = axes.get_window_extent().height / axes.figure.get_dpi()
    order = np.argsort(ends, kind="stable")
    wanted = [float((ends[i] - low) / (high - low)) for i in order]
    for i, height in zip(order, spread(wanted, 0.175 / inches), strict=True):
        end = (ends[i] - low) / (high - low)
        label_line(axes, panel.labels[i], panel.styles[i], end, (1.025, height), _LABEL)


def _mark_changes(axes: Axes, path: WorldPath) -> None:
    """Mark jumps by lines; shade the rounds in which a world that also rests drifts."""
    changes = path.changes
    if changes is None or not len(changes):
        return
    if path.is_jumping:
        if len(changes) <= _MOST_MARKS:
            for change in changes:
                axes.axvline(change - 0.5, color="#555555", lw=0.8, ls=(0, (1.5, 1.5)), zorder=0.5)
        return
    if len(path.stretches) <= _MOST_SPANS and len(changes) < 0.98 * (path.horizon - 1):
        for first, last in path.stretches:
            axes.axvspan(first - 1, last, color="#f1f1f1", lw=0, zorder=0)


def _draw_strip(axes: Axes, path: WorldPath, styles: list[Style]) -> None:
    """Draw which arm is best, point by point."""
    assert path.arms is not None
    best = path.arms.middle.argmax(axis=1)
    edges = np.append(path.rounds - 0.5 * path.per_point, path.rounds[-1] + 0.5 * path.per_point)
    starts = np.flatnonzero(np.diff(best, prepend=-1))
    widths = np.diff(np.append(edges[starts], edges[-1]))
    spans = list(zip(edges[starts].tolist(), widths.tolist(), strict=True))
    axes.broken_barh(spans, (0, 1), color=[styles[arm].colour for arm in best[starts]], lw=0)
    axes.set(yticks=[0.5], yticklabels=["best arm"], ylim=(0, 1))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0, labelsize=_LABEL)


def _facts(path: WorldPath) -> str:
    length = "" if path.moved is None else f"moves by {path.moved:.3g} in total; "
    first = (
        f"{path.horizon:,} rounds, {_offer(path)} in {path.dimension}"
        f" dimension{'s' * (path.dimension != 1)}, noise {path.noise:.3g}, seed {path.seed}"
    )
    return f"{first}\n{length}{_motion(path)}{_averaging(path)}"


def _offer(path: WorldPath) -> str:
    arms = f"{path.n_arms} arm{'s' * (path.n_arms != 1)}"
    if path.offers == "fresh":
        return f"up to {arms}, different in every round,"
    return arms if path.offers == "fixed" else "all of the unit ball"


def _motion(path: WorldPath) -> str:
    changes = path.changes
    if changes is None:
        return "no expected rewards are known" if not path.has_means else "changes are not known"
    if not len(changes):
        return "never changes"
    n = f"{len(changes):,} change{'s' * (len(changes) != 1)}"
    if path.is_jumping:
        return n + (" (dotted)" if len(changes) <= _MOST_MARKS else ", too many to mark")
    if len(changes) >= 0.98 * (path.horizon - 1):
        return "drifts in every round"
    if len(path.stretches) <= _MOST_SPANS:
        return f"drifts in {len(changes):,} rounds (shaded)"
    return f"drifts in {len(changes):,} rounds"


def _averaging(path: WorldPath) -> str:
    if path.per_point == 1:
        return ""
    return f"; lines: means of {path.per_point} rounds, pale bands: their extremes"


def course_of(name: str, values: NDArray[np.float64]) -> str:
    """Return from where to where a line goes, in words, for whoever does not see it."""
    low, high = values.min(), values.max()
    return f"{name}: from {values[0]:.3g} to {values[-1]:.3g}, between {low:.3g} and {high:.3g}."


def _words(path: WorldPath, panels: list[_Panel]) -> str:
    parts = [f"{path.world}: {_motion(path)}."]
    for panel in panels:
        for column, label in enumerate(panel.labels):
            parts.append(f"{panel.title}, {course_of(label, panel.band.middle[:, column])}")
    return " ".join(parts)
