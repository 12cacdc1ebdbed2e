"""The figure of `growth`: what was measured as points, what theory says as lines beside them."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from .growth import Panel, exponent

__all__ = ["draw"]

_COLOURS = {"changing sets": "#0072b2", "fixed set": "#d55e00"}  # safe for the colour-blind
_OTHER = "#009e73"


def draw(panels: list[Panel], path: Path) -> None:
    """Write the figure as SVG; the same numbers give the same file."""
    with mpl.rc_context({"svg.hashsalt": "driftwise", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(10, 7.2), layout="constrained")
        for axes, panel in zip(figure.subplots(2, 2).flat, panels, strict=True):
            _draw_panel(axes, panel)
        figure.suptitle("SlidingWindowUCB in the compiled loop: cost of a round")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def _draw_panel(axes: Axes, panel: Panel) -> None:
    for curve in panel.curves:
        colour = _COLOURS.get(curve.label, _OTHER)
        slope = exponent(curve, last=2)
        axes.plot(curve.sizes, curve.costs, "o-", color=colour, markersize=4, linewidth=1.2,
                  label=f"{curve.label}: exponent {slope:.2f} at the end, theory {curve.theory:g}")  # fmt: skip
        # Through the last point, where the largest term counts most.
        sizes = np.array(curve.sizes, float)
        line = curve.costs[-1] * (sizes / sizes[-1]) ** curve.theory
        axes.plot(sizes, line, ":", color=colour, linewidth=1.2)
    costs = [cost for curve in panel.curves for cost in curve.costs]
    axes.set(xscale="log", yscale="log", xlabel=panel.axis, ylabel="µs a round", title=panel.title)
    axes.set_ylim(min(costs) / 3.0, max(costs) * 12.0)  # room for the legend
    ticks = sorted({size for curve in panel.curves for size in curve.sizes})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="upper left")
