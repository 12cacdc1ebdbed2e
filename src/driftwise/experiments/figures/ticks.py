"""Numbers on axes: few, round, and written out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

__all__ = ["mark_across", "mark_evenly", "mark_horizons", "mark_powers", "room_across", "written"]


def written(value: float) -> str:
    """Return a number as axes and labels have it.

    Examples
    --------
    >>> written(30000.0), written(0.05), written(2.5)
    ('30,000', '0.05', '2.5')
    """
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def mark_across(axes: Axes, font: float) -> None:
    """Give a linear horizontal axis as many numbers as fit side by side; ``font`` in points."""
    mark_evenly(axes.xaxis, room_across(axes, font))


def room_across(axes: Axes, font: float) -> int:
    """Return how many numbers of six digits fit below the axes."""
    figure = axes.get_figure()
    assert figure is not None
    inches = axes.get_position().width * figure.get_figwidth()  # type: ignore[union-attr]  # no subfigures here
    return max(2, int(inches / (5.8 * font / 72.0)))


def mark_evenly(axis: Axis, n: int) -> None:
    """Give a linear axis about ``n`` round numbers."""
    axis.set_major_locator(MaxNLocator(n, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: written(value)))


def mark_horizons(axes: Axes, horizons: Sequence[int], most: int) -> None:
    """Give a logarithmic horizontal axis the horizons themselves, about ``most`` of them."""
    ticks = [horizons[-1]]
    apart = math.log(horizons[-1] / horizons[0]) / most
    for horizon in reversed(horizons[:-1]):
        if math.log(ticks[-1] / horizon) >= apart:
            ticks.append(horizon)
    _fix(axes.xaxis, ticks)


def mark_powers(axis: Axis, low: float, high: float, most: int = 7) -> None:
    """Give a logarithmic axis ones, twos and fives, fewer if there are many decades."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0), (1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= most:
            break
    _fix(axis, ticks)


def _fix(axis: Axis, ticks: Sequence[float]) -> None:
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: written(value)))
    axis.set_minor_locator(NullLocator())
