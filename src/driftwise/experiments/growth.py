"""The paper's log-log plot: regret against the horizon, with bands, slopes and theory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .analysis import Analysis
from .drawing import COLOURS, Drawing, blank, look, render, tidy
from .experiment import Experiment

__all__ = ["draw_growth"]


def draw_growth(experiment: Experiment, analysis: Analysis) -> Drawing:
    """Draw one figure of the paper from what was measured."""
    with look():
        figure = blank(8.4, 4.9)
        axes = figure.add_axes((0.11, 0.12, 0.53, 0.73))
        axes.set(xscale="log", yscale="log")
        labels = []
        for policy in experiment.policies:
            colour = COLOURS[policy]
            means = np.array([estimate.value for estimate in analysis.means[policy]])
            spans = np.array([estimate.span for estimate in analysis.means[policy]])
            axes.fill_between(
                analysis.horizons, spans[:, 0], spans[:, 1], color=colour, alpha=0.25, lw=0
            )
            axes.plot(analysis.horizons, means, color=colour, marker="o", markersize=3.5, lw=1.3)
            labels.append((means[-1], _describe(policy, analysis), colour, "bold"))
            exponent = experiment.exponent(policy)
            theory = means[0] * (np.array(analysis.horizons) / analysis.horizons[0]) ** exponent
            axes.plot(analysis.horizons, theory, color=colour, lw=1.0, ls=(0, (5, 3)))
            if len(analysis.horizons) > 1:
                labels.append((theory[-1], f"theory: slope {exponent:.2f}", colour, "normal"))
        _label_ends(axes, analysis.horizons[-1], labels)
        _set_ticks(axes, analysis.horizons)
        tidy(axes)
        axes.set_xlabel("horizon T (rounds)")
        axes.set_ylabel("cumulative dynamic regret (reward)")
        axes.set_title(experiment.title, loc="left", pad=26, weight="bold")
        axes.annotate(
            _key(analysis), (0.0, 1.03), xycoords="axes fraction", fontsize=9.5, color="#555555"
        )
        axes.grid(color="#e6e6e6", lw=0.6)
        return render(figure, _words(experiment, analysis))


def _describe(policy: str, analysis: Analysis) -> str:
    slope = analysis.slopes[policy]
    if slope is None:
        return policy
    text = f"{policy}: slope {slope.value:.2f}"
    return text + (" [{:.2f}, {:.2f}]".format(*slope.span) if slope.has_interval else "")


def _key(analysis: Analysis) -> str:
    fewest, most = min(analysis.replications), max(analysis.replications)
    number = f"{most}" if fewest == most else f"{fewest} to {most}"
    if most == 1:
        return "One replication; dashed: theory's slope, drawn through the first point"
    return (
        f"Mean of {number} replications and its 95% interval; dashed: theory's slope, drawn"
        " through the first mean"
    )


def _label_ends(axes: Axes, longest: int, labels: Sequence[tuple[float, str, str, str]]) -> None:
    """Write each label at the height of its curve's end, moved apart where they would touch."""
    low, high = np.log(axes.get_ylim())
    gap = 0.062  # of the axes' height: one line of text
    order = sorted(range(len(labels)), key=lambda i: labels[i][0])
    wanted = [(np.log(labels[i][0]) - low) / (high - low) for i in order]
    placed = spread(wanted, gap)
    for i, height in zip(order, placed, strict=True):
        end, text, colour, weight = labels[i]
        axes.annotate(
            text,
            xy=(longest, end),
            xytext=(1.03, height),
            textcoords="axes fraction",
            color=colour,
            weight=weight,
            fontsize=10,
            va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "shrinkA": 2, "shrinkB": 4},
        )


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


def _set_ticks(axes: Axes, horizons: Sequence[int]) -> None:
    shortest, longest = horizons[0], horizons[-1]
    ticks = [shortest]
    while ticks[-1] * 2 <= longest:
        ticks.append(ticks[-1] * 2)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{round(x):,}"))
    axes.xaxis.set_minor_locator(NullLocator())
    low, high = axes.get_ylim()
    steps = [1.0, 2.0, 5.0] if high < 1000.0 * low else [1.0]
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    axes.yaxis.set_major_locator(FixedLocator([s * 10.0**d for d in decades for s in steps]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,g}" if y < 1 else f"{y:,.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(low, high)


def _words(experiment: Experiment, analysis: Analysis) -> str:
    parts = [f"{experiment.title}. Log-log plot of cumulative dynamic regret against the horizon."]
    for policy in experiment.policies:
        means = analysis.means[policy]
        parts.append(
            f"{_describe(policy, analysis)}, from {means[0].value:,.0f} at"
            f" {analysis.horizons[0]:,} rounds to {means[-1].value:,.0f} at"
            f" {analysis.horizons[-1]:,}; theory's slope is {experiment.exponent(policy):.2f}."
        )
    return " ".join(parts)
