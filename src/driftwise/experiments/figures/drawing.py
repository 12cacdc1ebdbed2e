"""How every picture looks, and how it becomes bytes that depend on nothing but the numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

__all__ = [
    "Drawing",
    "Format",
    "Kind",
    "Style",
    "blank",
    "format_of",
    "look",
    "render",
    "tidy",
    "write_title",
]

Style = Literal["screen", "paper"]
Kind = Literal["png", "svg", "pdf"]
_INK = "#333333"
_OPTIONS: dict[Kind, dict[str, Any]] = {
    # Neither times nor versions: they would make other bytes of the same numbers.
    "png": {
        "metadata": {"Software": None},
        "pil_kwargs": {
            "compress_level": 3
        },  # two thirds of the default's time, files a tenth larger
    },
    "svg": {"metadata": {"Date": None, "Creator": None}},
    "pdf": {"metadata": {"CreationDate": None, "Creator": None, "Producer": None}},
}


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
    """One picture, as pixels and as lines, and in words for those who cannot see it.

    A format that nobody asked for is empty.
    """

    png: bytes
    svg: bytes
    words: str
    pdf: bytes = b""

    @property
    def files(self) -> dict[str, bytes]:
        """The picture in every format that it has, by the ending of a file."""
        every = {"png": self.png, "svg": self.svg, "pdf": self.pdf}
        return {ending: content for ending, content in every.items() if content}


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
        "axes.titley": 1.0,  # where titles end up anyway; to look for it takes a fifth of the time
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


def render(figure: Figure, words: str, kinds: Sequence[Kind] | None = None) -> Drawing:
    """Return the figure in some formats, the same bytes for the same figure.

    PNG and SVG if ``kinds`` are left out; for a paper PDF, too, whose fonts take longer than all
    the rest.
    """
    is_paper = figure.get_figwidth() < 4.0
    default: Sequence[Kind] = ("png", "svg", "pdf") if is_paper else ("png", "svg")
    files = dict.fromkeys(_OPTIONS, b"")
    for kind in default if kinds is None else kinds:
        file = io.BytesIO()
        dpi = "figure" if kind != "png" else 300 if is_paper else 160
        figure.savefig(file, format=kind, dpi=dpi, **_OPTIONS[kind])
        files[kind] = file.getvalue()
    return Drawing(files["png"], files["svg"], words, files["pdf"])


def write_title(figure: Figure, left: float, title: str, facts: str) -> None:
    """Write a title at the top of a figure of several panels, and small print below it."""
    inch = 1.0 / figure.get_figheight()
    figure.text(left, 1.0 - 0.14 * inch, title, size=13, weight="bold", va="top")
    figure.text(
        left, 1.0 - 0.40 * inch, facts, size=9.0, color="#555555", va="top", linespacing=1.35
    )


def tidy(axes: Axes) -> None:
    """Take away the frame's upper and right side, which say nothing."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3)
