"""How every picture looks, and how it becomes bytes that depend on nothing but the numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

__all__ = ["COLOURS", "Drawing", "blank", "look", "render", "tidy"]

# Okabe and Ito's palette: told apart with any kind of colour vision. Policies and arms never
# share a colour.
COLOURS = {
    "SW-UCB": "#0072B2",
    "EXP3.S": "#D55E00",
    "BOB": "#009E73",
    "arm 1": "#E69F00",
    "arm 2": "#CC79A7",
}
INK = "#333333"

_LOOK: dict[Any, Any] = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#888888",
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    # Without a fixed salt the ids inside an SVG change from run to run.
    "svg.hashsalt": "driftwise",
    "svg.fonttype": "path",
}


class Drawing(NamedTuple):
    """One picture, as pixels and as lines, and in words for those who cannot see it."""

    png: bytes
    svg: bytes
    words: str


def blank(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that no global state knows of."""
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def look() -> Iterator[None]:
    """Give all figures the same look while they are drawn and rendered."""
    with mpl.rc_context(_LOOK):
        yield


def render(figure: Figure, words: str) -> Drawing:
    """Return the figure's PNG and SVG, the same bytes for the same figure."""
    png, svg = io.BytesIO(), io.BytesIO()
    figure.savefig(png, format="png", dpi=160, metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return Drawing(png.getvalue(), svg.getvalue(), words)


def tidy(axes: Axes) -> None:
    """Take away the frame's upper and right side, which say nothing."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3)
