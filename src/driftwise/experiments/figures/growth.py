"""The log-log plot: regret against the horizon, with bands, slopes and theory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...pages.palette import GREY
from ..analysis.bootstrap import Estimate
from ..analysis.curves import Growth
from ..analysis.standings import Standings
from ..spec.experiment import Experiment
from .colours import MOST_SHOWN, policy_styles
from .drawing import Drawing, Format, Style, blank, format_of, look, render, tidy
from .labels import EndLabel, frame, label_ends
from .ticks import mark_horizons, mark_powers, room_across, written

__all__ = ["draw_growth"]


def draw_growth(
    growth: Iterable[Growth],
    exponents: Mapping[str, float],
    standings: Sequence[Standings],
    experiment: Experiment,
    *,
    style: Style = "screen",
) -> Drawing:
    """Draw the final regret of each contestant against the horizon, both on logarithmic axes.

    Parameters
    ----------
    growth
        Of the contestants; those without regret somewhere have no place on such axes.
    exponents
        The power of the horizon that theory tells, by policy.
    standings
        Of one world, at each of its horizons.
    experiment
        Which decides the colours.
    style
        As for all figures.
    """
    styles, form, world = policy_styles(experiment), format_of(style), standings[0].world
    growth = sorted((each for each in growth if each.is_positive), key=_final)
    shown, others = growth[:MOST_SHOWN], growth[MOST_SHOWN:]
    has_slopes = form.has_title or len(shown) <= MOST_SHOWN // 2
    labels = [
        EndLabel(
            _final(each), _label(each, form) if has_slopes else each.policy, styles[each.policy]
        )
        for each in shown
    ]
    # A slope in theory is a line of its own only where there is room to name it.
    labels += [
        EndLabel(
            each.theory_line(exponents[each.policy])[-1],
            f"theory: slope {exponents[each.policy]:.2f}",
            styles[each.policy]._replace(line=(0, (5, 3))),
            is_bold=False,
        )
        for each in shown
        if each.policy in exponents and form.has_title and len(shown) <= MOST_SHOWN // 2
    ]
    with look(style):
        figure = blank(form.width, 0.58 * form.width if form.has_title else 0.72 * form.width)
        axes = frame(figure, labels, form, rows=2.6 if form.has_title else 0.6)
        axes.set(xscale="log", yscale="log")
        horizons = growth[0].horizons
        for each in others:
            axes.plot(horizons, [mean.value for mean in each.means], color=GREY, lw=0.5 * form.line)
        for each in shown:
            own, spans = styles[each.policy], np.array([mean.span for mean in each.means])
            low = np.maximum(spans[:, 0], 1e-9)  # logarithms have no room for less
            axes.fill_between(horizons, low, spans[:, 1], color=own.colour, alpha=0.22, lw=0)
            means = [mean.value for mean in each.means]
            axes.plot(
                horizons, means, color=own.colour, ls=own.line, lw=form.line,
                marker=own.marker, markersize=form.marker,
            )  # fmt: skip
            if each.policy in exponents:
                theory = each.theory_line(exponents[each.policy])
                axes.plot(horizons, theory, color=own.colour, lw=0.6 * form.line, ls=(0, (5, 3)))
        mark_horizons(axes, horizons, room_across(axes, form.font) - 1)
        values = np.array([[mean.value for mean in each.means] for each in growth])
        axes.set_ylim(values.min() / 1.25, values.max() * 1.25)
        mark_powers(axes.yaxis, *axes.get_ylim())
        tidy(axes)
        axes.set_xlabel("horizon T (rounds)")
        axes.set_ylabel("regret at T (reward)")
        axes.grid(color="#e6e6e6", lw=0.6)
        axes.set_axisbelow(True)
        if form.has_title:
            axes.set_title(
                f"Regret against the horizon, {world}", loc="left", pad=24, weight="bold"
            )
            axes.annotate(
                _key(standings, bool(exponents), len(others)), (0.0, 1.03),
                xycoords="axes fraction", fontsize=form.small, color="#555555",
            )  # fmt: skip
        label_ends(axes, horizons[-1], labels, form)
        return render(figure, _words(world, growth, exponents))


def _final(growth: Growth) -> float:
    return growth.means[-1].value


def _label(growth: Growth, form: Format) -> str:
    if growth.slope is None:
        return growth.policy
    if not form.has_title:
        return f"{growth.policy}, {growth.slope.value:.2f}"
    return f"{growth.policy}: slope {_number(growth.slope)}"


def _number(slope: Estimate) -> str:
    if not slope.has_interval:
        return f"{slope.value:.2f}"
    return "{:.2f} [{:.2f}, {:.2f}]".format(slope.value, *slope.span)


def _key(standings: Sequence[Standings], has_theory: bool, n_others: int) -> str:
    counts = [each.replications for each in standings]
    number = f"{max(counts)}" if len(set(counts)) == 1 else f"{min(counts)} to {max(counts)}"
    key = "One replication" if max(counts) == 1 else f"Mean of {number} replications, band: 95%"
    if has_theory:
        key += "; dashed: theory's slope, through the first mean"
    return key + (f"; thin grey: {n_others} more policies" if n_others else "")


def _words(world: str, growth: Sequence[Growth], exponents: Mapping[str, float]) -> str:
    parts = [f"Log-log plot of cumulative dynamic regret against the horizon, {world}."]
    for each in growth:
        slope = "" if each.slope is None else f", slope {_number(each.slope)}"
        theory = (
            f"; theory's slope is {exponents[each.policy]:.2f}" if each.policy in exponents else ""
        )
        parts.append(
            f"{each.policy}: from {written(each.means[0].value)} at {each.horizons[0]:,} rounds to"
            f" {written(each.means[-1].value)} at {each.horizons[-1]:,}{slope}{theory}."
        )
    return " ".join(parts)
