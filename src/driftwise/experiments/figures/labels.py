"""Labels at the ends of lines, moved apart where they would touch; a legend where none fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from ...pages.palette import Style as LineStyle
from .drawing import Format

__all__ = ["EndLabel", "frame", "inside", "label_ends", "label_line", "spread"]

_WIDEST = 0.42  # of a figure's width: more leaves too little for the plot itself


class EndLabel(NamedTuple):
    """What is written at the end of a line."""

    height: float  # where the line ends, in units of the vertical axis
    text: str
    style: LineStyle
    is_bold: bool = True


def frame(figure: Figure, labels: Sequence[EndLabel], form: Format, *, rows: float = 1.0) -> Axes:
    """Return axes that leave room for labels on the right, or for a legend below.

    Parameters
    ----------
    figure
        An empty one.
    labels
        What `label_ends` will write.
    form
        Sizes of text.
    rows
        Lines of text to leave room for above, for a title.
    """
    inch_x, inch_y = 1.0 / figure.get_figwidth(), 1.0 / figure.get_figheight()
    line = 1.45 * form.font / 72.0
    left, bottom, top = 6.6 * form.font / 72.0, 3.4 * form.font / 72.0, rows * line
    if _fits(figure, labels, form):
        right = _width(figure, labels, form) + 0.035 * figure.get_figwidth() + 0.09
    else:
        right = 0.08 * figure.get_figwidth()
        legend = _legend_rows(figure, labels, form) * line
        bottom += legend
        # The legend takes nothing away from the plot: the figure grows.
        figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + legend)
        inch_y = 1.0 / figure.get_figheight()
    return figure.add_axes(
        (
            left * inch_x,
            bottom * inch_y,
            1.0 - (left + right) * inch_x,
            1.0 - (bottom + top) * inch_y,
        )
    )


def label_ends(axes: Axes, end: float, labels: Sequence[EndLabel], form: Format) -> None:
    """Write each label at the height of its line's end, or a legend if there is no room."""
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    if not _fits(figure, labels, form):
        _write_legend(axes, labels, form)
        return
    place = axes.transScale + axes.transLimits
    order = sorted(range(len(labels)), key=lambda i: labels[i].height)
    wanted = [float(place.transform((end, labels[i].height))[1]) for i in order]
    inches = axes.get_position().height * figure.get_figheight()
    placed = inside(spread(wanted, gap := 1.35 * form.small / 72.0 / inches), gap)
    for i, height in zip(order, placed, strict=True):
        label = labels[i]
        _write(
            axes, label.text, label.style, (1.035, height), form.small,
            xy=(end, label.height), weight="bold" if label.is_bold else "normal",
            arrowprops={"lw": 0.5, "shrinkB": 2},
        )  # fmt: skip


def label_line(
    axes: Axes, text: str, style: LineStyle, end: float, place: tuple[float, float], size: float
) -> None:
    """Write a label at a place beside the axes, and connect it with its line's end at the right edge.

    All in fractions of the axes.
    """
    _write(
        axes, text, style, place, size,
        xy=(1.0, end), xycoords="axes fraction", weight="bold",
        arrowprops={"lw": 0.6, "relpos": (0.0, 0.5), "shrinkB": 0},
    )  # fmt: skip


def _write(
    axes: Axes, text: str, style: LineStyle, place: tuple[float, float], size: float,
    *, arrowprops: dict[str, Any], **options: Any,
) -> None:  # fmt: skip
    axes.annotate(
        text, xytext=place, textcoords="axes fraction", color=style.colour, fontsize=size,
        va="center", annotation_clip=False,
        arrowprops={"arrowstyle": "-", "color": style.colour, "shrinkA": 1} | arrowprops, **options,
    )  # fmt: skip


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Return rising ``heights``, moved as little as a pairwise distance of ``gap`` allows.

    Examples
    --------
    >>> spread([0.0, 0.5, 0.5], gap=0.2)
    [0.0, 0.4, 0.6]
    """
    groups: list[tuple[float, int]] = []  # centre and size of labels that stand together
    for height in heights:
        centre, size = height, 1
        while groups:
            before, n = groups[-1]
            if before + gap * (n + size) / 2.0 <= centre + 1e-12:
                break
            centre, size = (before * n + centre * size) / (n + size), n + size
            groups.pop()
        groups.append((centre, size))
    return [
        round(centre + gap * (i - (size - 1) / 2.0), 12)
        for centre, size in groups
        for i in range(size)
    ]


def inside(heights: Sequence[float], gap: float) -> list[float]:
    """Return rising heights moved into 0 to 1, as far as a distance of ``gap`` allows.

    Examples
    --------
    >>> inside([-0.3, -0.1, 0.1], gap=0.2)
    [0.0, 0.2, 0.4]
    """
    n = len(heights)
    high = [min(height, 1.0 - gap * (n - 1 - i)) for i, height in enumerate(heights)]
    return [round(max(height, gap * i), 12) for i, height in enumerate(high)]


def _fits(figure: Figure, labels: Sequence[EndLabel], form: Format) -> bool:
    tall = 1.35 * form.small / 72.0 * len(labels)
    return (
        _width(figure, labels, form) <= _WIDEST * figure.get_figwidth()
        and tall <= 0.85 * figure.get_figheight()
    )


def _width(figure: Figure, labels: Sequence[EndLabel], form: Format) -> float:
    """Return the width of the widest label, in inches."""
    renderer: Any = figure.canvas.get_renderer()  # type: ignore[attr-defined]  # Agg's canvas has one
    widths = [0.0]
    for label in labels:
        weight = "bold" if label.is_bold else "normal"
        text = Text(0, 0, label.text, fontsize=form.small, weight=weight, figure=figure)
        widths.append(text.get_window_extent(renderer).width / figure.get_dpi())
    return max(widths)


def _columns(figure: Figure, labels: Sequence[EndLabel], form: Format) -> int:
    room = figure.get_figwidth() / (_width(figure, labels, form) + 5.0 * form.small / 72.0)
    return max(1, min(int(room), len(labels)))


def _legend_rows(figure: Figure, labels: Sequence[EndLabel], form: Format) -> int:
    return -(-len(labels) // _columns(figure, labels, form))


def _write_legend(axes: Axes, labels: Sequence[EndLabel], form: Format) -> None:
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    handles = [
        Line2D([], [], color=label.style.colour, ls=label.style.line, lw=form.line)
        for label in labels
    ]
    figure.legend(
        handles,
        [label.text for label in labels],
        loc="lower center",
        ncols=_columns(figure, labels, form),
        fontsize=form.small,
        frameon=False,
        borderaxespad=0.1,
        labelspacing=0.3,
        handlelength=2.6,
        columnspacing=1.2,
    )
