"""The figure of one world: regret round by round, and the final regret of all, best at the top."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from ...pages.palette import Style
from ..analysis.curves import Curve
from ..figures.drawing import Drawing, blank, look, render, tidy, write_title
from ..figures.labels import label_line, spread

__all__ = ["HIGHLIGHTED", "YARDSTICK", "draw_regret"]

HIGHLIGHTED = 6  # the best so many have a line with a name
YARDSTICK = "Uniform"  # and this one, if it plays
_SIZE = 8.5  # of small print
_WIDTH = 11.6  # inches


def draw_regret(
    title: str, facts: str, curves: Sequence[Curve], styles: Mapping[str, Style]
) -> Drawing:
    """Draw the curves, the best first, as lines only; the few best and the yardstick stand out."""
    shown = [curve for i, curve in enumerate(curves) if i < HIGHLIGHTED or _is_yardstick(curve)]
    floor = _floor(curves)
    with look():
        height = max(4.4, 1.45 + 0.205 * len(curves))
        figure = blank(_WIDTH, height)
        above, below = 0.82 / height, 0.58 / height
        lines = figure.add_axes((0.068, below, 0.355, 1.0 - above - below))
        _draw_lines(lines, curves, shown, styles, floor)
        dots = figure.add_axes((0.705, below, 0.225, 1.0 - above - below))
        _draw_dots(dots, curves, styles, floor)
        write_title(figure, 0.012, title, facts)
        drawing = render(figure, _words(title, curves), ("svg",))
        return drawing._replace(svg=_shortened(drawing.svg))


def _draw_lines(
    axes: Axes,
    curves: Sequence[Curve],
    shown: Sequence[Curve],
    styles: Mapping[str, Style],
    floor: float,
) -> None:
    for curve in curves:
        if curve not in shown:
            axes.plot(curve.rounds, curve.mean, color="#c9c9c9", lw=0.9)
    for curve in reversed(shown):  # the best on top
        style = styles[curve.policy]
        axes.fill_between(curve.rounds, curve.low, curve.high, color=style.colour, alpha=0.2, lw=0)
        axes.plot(
            curve.rounds, curve.mean, color=style.colour, ls=style.line, lw=1.7,
            marker=style.marker, markersize=3.6, markevery=(4, 12),
        )  # fmt: skip
    axes.set_yscale("log", nonpositive="clip")  # what is zero comes from below the picture
    axes.set_xlim(0, curves[0].rounds[-1])
    # What happens in the first rounds fills a logarithmic scale, and decides little.
    early = len(curves[0].rounds) // 16
    lowest = min(curve.mean[early] for curve in shown)
    highest = max(curve.high[-1] for curve in curves)
    axes.set_ylim(0.75 * max(lowest, floor), 1.35 * max(highest, 2.0 * floor))
    axes.set_xlabel("round")
    axes.set_ylabel("cumulative regret (reward), log scale")
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    _set_logarithmic(axes.yaxis, axes.get_ylim())
    axes.grid(color="#ececec", lw=0.6)
    axes.set_axisbelow(True)
    tidy(axes)
    _label_ends(axes, shown, styles, floor)


def _label_ends(
    axes: Axes, shown: Sequence[Curve], styles: Mapping[str, Style], floor: float
) -> None:
    low, high = np.log(axes.get_ylim())
    inches = axes.get_window_extent().height / axes.figure.get_dpi()
    ends = [float((np.log(max(c.mean[-1], floor)) - low) / (high - low)) for c in shown]
    order = np.argsort(ends, kind="stable")
    heights = spread([ends[i] for i in order], 0.165 / inches)
    # Labels that were moved apart may stick out at the bottom: the whole stack moves up.
    lift = max(0.0, 0.01 - heights[0])
    for i, height in zip(order, heights, strict=True):
        policy = shown[i].policy
        label_line(axes, policy, styles[policy], ends[i], (1.04, height + lift), _SIZE)


def _draw_dots(
    axes: Axes, curves: Sequence[Curve], styles: Mapping[str, Style], floor: float
) -> None:
    axes.set_xscale("log")
    for place, curve in enumerate(curves):
        style = styles[curve.policy]
        low, mean, high = (max(each[-1], floor) for each in (curve.low, curve.mean, curve.high))
        axes.plot([low, high], [place, place], color=style.colour, lw=2.2, alpha=0.55)
        axes.plot([mean], [place], color=style.colour, marker=style.marker, markersize=4.6, ls="")
        axes.annotate(
            _number(curve.mean[-1]),
            xy=(1.24, place),
            xycoords=("axes fraction", "data"),
            fontsize=_SIZE,
            va="center",
            ha="right",
            annotation_clip=False,
        )
    lowest = min(max(curve.low[-1], floor) for curve in curves)
    highest = max(max(curve.high[-1], floor) for curve in curves)
    axes.set_xlim(lowest / 1.25, highest * 1.25)
    axes.set_ylim(len(curves) - 0.4, -0.6)
    axes.set_yticks(range(len(curves)), [curve.policy for curve in curves], fontsize=_SIZE)
    for label, curve in zip(axes.get_yticklabels(), curves, strict=True):
        label.set_color(styles[curve.policy].colour)
    axes.set_xlabel("final regret (reward), log scale")
    _set_logarithmic(axes.xaxis, axes.get_xlim())
    axes.grid(color="#ececec", lw=0.6)
    axes.set_axisbelow(True)
    tidy(axes)
    axes.tick_params(axis="y", length=0)


def _set_logarithmic(axis: Axis, limits: tuple[float, float]) -> None:
    """Label 1, 2, 5, 10, ... if they are few, else powers of ten."""
    low, high = limits
    decades = np.log10(high / low)
    steps: tuple[float, ...] = (1.0,)
    if decades < 0.6:
        steps = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)
    elif decades < 1.6:
        steps = (1.0, 2.0, 5.0)
    elif decades < 2.7:
        steps = (1.0, 3.0)
    axis.set_major_locator(LogLocator(10.0, subs=steps, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda x, _: _number(x)))
    axis.set_minor_locator(NullLocator())


def _shortened(svg: bytes) -> bytes:
    """Return lines and letters to a hundredth of a point: the page carries many of these."""
    # Only where points are listed: letters are scaled by small numbers.
    return re.sub(rb' d="[^"]*"', _rounded, svg)


def _rounded(points: re.Match[bytes]) -> bytes:
    return re.sub(rb"(\.\d\d)\d+", rb"\1", points[0])


def _is_yardstick(curve: Curve) -> bool:
    return curve.policy == YARDSTICK


def _floor(curves: Sequence[Curve]) -> float:
    """Return what stands for nothing on a logarithmic scale: a tenth of the least final regret."""
    return 0.1 * min((c.mean[-1] for c in curves if c.mean[-1] > 0.0), default=1.0)


def _number(value: float) -> str:
    if value == 0.0:
        return "0"
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.3g}"


def _words(title: str, curves: Sequence[Curve]) -> str:
    listed = "; ".join(
        f"{c.policy} {_number(c.mean[-1])} [{_number(c.low[-1])}, {_number(c.high[-1])}]"
        for c in curves
    )
    return f"{title}: final cumulative regret, best first, with 95% intervals: {listed}."
