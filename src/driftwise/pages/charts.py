"""The numbers behind charts that can be hovered and zoomed, as JSON inside the page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from .palette import Style

__all__ = ["Chart", "embedded", "series"]

_DIGITS = 9  # fewer could round otherwise than the tables do
Chart = dict[str, Any]


def series(
    name: str,
    style: Style,
    *,
    is_shown: bool,
    mean: Iterable[float],
    low: Iterable[float] | None,
    high: Iterable[float] | None,
    theory: Iterable[float] | None = None,
    note: str = "",
) -> Chart:
    """Return one line of a chart, with its band and theory's line where there are any."""
    return {
        "name": name,
        "colour": style.colour,
        "dash": [] if isinstance(style.line, str) else list(style.line[1]),
        "isShown": is_shown,
        "mean": _rounded(mean),
        "low": _rounded(low),
        "high": _rounded(high),
        "theory": _rounded(theory),
        "note": note,
    }


def _rounded(values: Iterable[float] | None) -> list[float | None] | None:
    if values is None:
        return None
    return [_number(float(value)) for value in values]


def _number(value: float) -> float | None:
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None


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
