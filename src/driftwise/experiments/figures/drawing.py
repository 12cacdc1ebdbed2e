"""How every picture looks, and how it becomes bytes that depend on nothing but the numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

__all__ = ["Drawing", "Format", "Style", "blank", "format_of", "look", "render", "tidy"]

Style = Literal["screen", "paper"]
_INK = "#333333"


class Format(NamedTuple):
    """Sizes that depend on where a picture will be seen; widths in inches, the rest in points."""

    width: float
    font: float
    small: float  # font of notes
    line: float
    marker: float
    has_title: bool  # in a paper the caption says it


_FORMATS = {
    "screen": Format(width=8.4, font=11.0, small=9.5, line=1.5, marker=4.0, has_title=True),
    # A column of a two-column paper.
    "paper": Format(width=3.25, font=8.0, small=7.0, line=0.9, marker=2.4, has_title=False),
}


class Drawing(NamedTuple):
    """One picture, as pixels and as lines, and in words for those who cannot see it."""

    png: bytes
    svg: bytes
    words: str
    pdf: bytes = b""


def format_of(style: Style) -> Format:
    """Return the sizes of a style."""
    return _FORMATS[style]


def blank(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that no global state knows of."""
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def look(style: Style = "screen") -> Iterator[None]:
    """Give all figures the same look while they are drawn and rendered."""
    form = _FORMATS[style]
    settings: dict[Any, Any] = {
        "font.size": form.font,
        "axes.titlesize": form.font + 1.0,
        "axes.linewidth": 0.8 if style == "screen" else 0.5,
        "axes.labelcolor": _INK,
        "axes.edgecolor": "#888888",
        "xtick.color": _INK,
        "ytick.color": _INK,
        "text.color": _INK,
        # Without a fixed salt the ids inside an SVG change from run to run.
        "svg.hashsalt": "driftwise",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,  # fonts as they are: text in a PDF can be searched and copied
    }
    with mpl.rc_context(settings):
        yield


def render(figure: Figure, words: str) -> Drawing:
    """Return the figure as PNG, SVG and PDF, the same bytes for the same figure."""
    png, svg, pdf = io.BytesIO(), io.BytesIO(), io.BytesIO()
    dpi = 160 if figure.get_figwidth() > 4.0 else 300
    figure.savefig(png, format="png", dpi=dpi, metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    nothing = dict.fromkeys(("CreationDate", "Creator", "Producer"))
    figure.savefig(pdf, format="pdf", metadata=nothing)
    return Drawing(png.getvalue(), svg.getvalue(), words, pdf.getvalue())


def tidy(axes: Axes) -> None:
    """Take away the frame's upper and right side, which say nothing."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3)
