"""The numbers behind the charts that can be hovered and zoomed, as JSON inside the page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ..analysis.curves import Curve, Growth
from ..analysis.findings import Findings
from ..figures.colours import MOST_SHOWN, policy_styles
from ..figures.drawing import Drawing
from ..figures.palette import Style
from .page import image

__all__ = ["Chart", "chart_figure", "embedded", "growth_chart", "time_chart"]

_DIGITS = 9  # fewer could round otherwise than the tables do
Chart = dict[str, Any]


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
            _series(
                curve.policy,
                styles[curve.policy],
                place,
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
            _series(
                each.policy,
                styles[each.policy],
                place,
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


def embedded(charts: Sequence[Chart]) -> str:
    r"""Return charts as JSON that nothing inside it can break out of a script element.

    Examples
    --------
    >>> embedded([{"title": "</script>"}])
    '[{"title": "\\u003c/script\\u003e"}]'
    """
    text = json.dumps(charts, allow_nan=False)
    for symbol in "<>&\u2028\u2029":
        text = text.replace(symbol, f"\\u{ord(symbol):04x}")
    return text


def _series(
    name: str,
    style: Style,
    place: int,
    *,
    mean: Iterable[float],
    low: Iterable[float] | None,
    high: Iterable[float] | None,
    theory: Iterable[float] | None = None,
    note: str = "",
) -> Chart:
    return {
        "name": name,
        "colour": style.colour,
        "dash": [] if isinstance(style.line, str) else list(style.line[1]),
        "isShown": place < MOST_SHOWN,
        "mean": _rounded(mean),
        "low": _rounded(low),
        "high": _rounded(high),
        "theory": _rounded(theory),
        "note": note,
    }


def _rounded(values: Iterable[float] | None) -> list[float] | None:
    if values is None:
        return None
    return [float(f"{float(value):.{_DIGITS}g}") for value in values]


def _slopes(growth: Growth, exponent: float | None) -> str:
    if growth.slope is None:
        return ""
    low, high = growth.slope.span
    slope = f"slope {growth.slope.value:.2f}"
    slope += f" [{low:.2f}, {high:.2f}]" if growth.slope.has_interval else ""
    return slope if exponent is None else f"{slope}, theory {exponent:.2f}"
