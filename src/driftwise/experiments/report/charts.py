"""The numbers behind the charts that can be hovered and zoomed, as JSON inside the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ...pages.charts import Chart, series
from ...pages.pieces import image
from ..analysis.curves import Curve, Growth
from ..analysis.findings import Findings
from ..figures.colours import MOST_SHOWN, policy_styles
from ..figures.drawing import Drawing

__all__ = ["chart_figure", "growth_chart", "time_chart"]


def time_chart(findings: Findings, world: str, curves: Iterable[Curve], name: str) -> Chart:
    """Return the regret of each contestant over the rounds."""
    ordered = sorted(curves, key=lambda curve: float(curve.mean[-1]))
    styles = policy_styles(findings.experiment)
    has_bands = any((curve.low != curve.high).any() for curve in ordered)
    return {
        "id": name,
        "title": f"Regret over time in {world}",
        "isLog": False,
        "x": [0, *ordered[0].rounds.tolist()],
        "xName": "round",
        "yName": "cumulative regret (reward)",
        "series": [
            series(
                curve.policy,
                styles[curve.policy],
                is_shown=place < MOST_SHOWN,
                mean=[0.0, *curve.mean],
                low=[0.0, *curve.low] if has_bands else None,
                high=[0.0, *curve.high] if has_bands else None,
            )
            for place, curve in enumerate(ordered)
        ],
    }


def growth_chart(findings: Findings, world: str, name: str) -> Chart:
    """Return the final regret of each contestant against the horizon."""
    growth = [each for each in findings.growth[world] if each.is_positive]
    ordered = sorted(growth, key=lambda each: each.means[-1].value)
    styles, exponents = policy_styles(findings.experiment), findings.exponents
    has_bands = all(mean.has_interval for each in ordered for mean in each.means)
    return {
        "id": name,
        "title": f"Regret against the horizon in {world}",
        "isLog": True,
        "x": list(ordered[0].horizons),
        "xName": "horizon T",
        "yName": "regret at T (reward)",
        "series": [
            series(
                each.policy,
                styles[each.policy],
                is_shown=place < MOST_SHOWN,
                mean=[mean.value for mean in each.means],
                low=[mean.span[0] for mean in each.means] if has_bands else None,
                high=[mean.span[1] for mean in each.means] if has_bands else None,
                theory=each.theory_line(exponents[each.policy])
                if each.policy in exponents
                else None,
                note=_slopes(each, exponents.get(each.policy)),
            )
            for place, each in enumerate(ordered)
        ],
    }


def chart_figure(chart: Chart, drawing: Drawing, caption: str) -> str:
    """Return a chart with the still picture of the same numbers, for those without scripts.

    The script fills the first part and folds the second; the caption is HTML already.
    """
    return (
        f'<figure class="chart" id="{escape(chart["id"])}"><div class="live"></div>'
        f'<details class="still" open><summary>Still picture</summary>{image(drawing)}</details>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _slopes(growth: Growth, exponent: float | None) -> str:
    if growth.slope is None:
        return ""
    low, high = growth.slope.span
    slope = f"slope {growth.slope.value:.2f}"
    slope += f" [{low:.2f}, {high:.2f}]" if growth.slope.has_interval else ""
    return slope if exponent is None else f"{slope}, theory {exponent:.2f}"
