"""How things look in a terminal and in a notebook: numbers, tables and lines drawn with letters."""

from __future__ import annotations

import html
import reprlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "html_of",
    "plain_number",
    "settings_text",
    "sparkline",
    "sparkline_svg",
    "text_of",
]

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT = 160, 32  # of a picture, in pixels

Facts = Iterable[tuple[str, str]]
Rows = Iterable[Sequence[str]]


def plain_number(value: float) -> str:
    """Return a number as one would write it by hand.

    Examples
    --------
    >>> [plain_number(value) for value in (30_000, 1532.4, 0.1, 1 / 30_000, 1.0)]
    ['30,000', '1,532', '0.1', '3.333e-05', '1']
    """
    if isinstance(value, int) or 1000 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def settings_text(policy: Any) -> str:
    """Return a policy as one would type it: with the settings that are not the default ones.

    Examples
    --------
    >>> import driftwise as dw
    >>> settings_text(dw.Exploring(dw.SlidingWindowUCB(100, noise=0.1)))
    'Exploring(policy=SlidingWindowUCB(window=100, noise=0.1))'
    """
    if not hasattr(policy, "_fields"):
        return reprlib.repr(policy)
    defaults = type(policy)._field_defaults
    given = [
        f"{name}={settings_text(value)}"
        for name, value in zip(policy._fields, policy, strict=True)
        if name not in defaults or repr(value) != repr(defaults[name])
    ]
    return f"{type(policy).__name__}({', '.join(given)})"


def text_of(title: str, facts: Facts, columns: Sequence[str] = (), rows: Rows = ()) -> str:
    """Return a title, facts below each other, and a table of numbers, flush right.

    Examples
    --------
    >>> print(text_of("Agent", [("decisions", "3")], ["arm", "mean"], [["0", "0.25"], ["12", "0.1"]]))
    Agent
      decisions  3
      arm  mean
        0  0.25
       12   0.1
    """
    pairs, table = list(facts), [list(columns), *map(list, rows)]
    widest = max((len(name) for name, _ in pairs), default=0)
    lines = [title, *(f"  {name:<{widest}}  {fact}" for name, fact in pairs)]
    if len(table) > 1:
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for row in table:
            cells = [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)]
            lines.append("  " + "  ".join(cells))
    return "\n".join(lines)


def html_of(
    title: str, facts: Facts, columns: Sequence[str] = (), rows: Rows = (), picture: str = ""
) -> str:
    """Return the same for a notebook, in its own colours; a picture is HTML already.

    Examples
    --------
    >>> html_of("a < b", [("decisions", "3")])
    '<div><b>a &lt; b</b><table><tr><th style="text-align:left">decisions</th><td style="text-align:left">3</td></tr></table></div>'
    """
    left = ' style="text-align:left"'
    facts_rows = [
        f"<tr><th{left}>{html.escape(name)}</th><td{left}>{html.escape(fact)}</td></tr>"
        for name, fact in facts
    ]
    parts = [f"<b>{html.escape(title)}</b>", f"<table>{''.join(facts_rows)}</table>"]
    body = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
    if body:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        lines = "".join(f"<tr>{line}</tr>" for line in body)
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>")
    return f"<div>{''.join(parts)}{picture}</div>"


def sparkline(values: Sequence[float], width: int = 24) -> str:
    """Return a curve that begins at 0 as a row of bars; nothing where these cannot be printed.

    Examples
    --------
    >>> sparkline([1.0, 2.0, 3.0, 4.0, 4.0])
    '▂▄▆██'
    """
    if not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf"):
        return ""
    shown = _thinned(values, width)
    most = max(shown) or 1.0
    return "".join(_BARS[max(0, round(8 * value / most) - 1)] for value in shown)


def sparkline_svg(places: Sequence[float], values: Sequence[float]) -> str:
    """Return a curve that begins at (0, 0) as a small picture in the colour of the text."""
    wide, high = places[-1] or 1.0, max(values) or 1.0
    points = zip(_thinned([0.0, *places], _WIDTH), _thinned([0.0, *values], _WIDTH), strict=True)
    drawn = " ".join(
        f"{_WIDTH * place / wide:.1f},{1 + _HEIGHT - _HEIGHT * value / high:.1f}"
        for place, value in points
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT + 2}" role="img" aria-label="regret over time">'
        f'<polyline points="{drawn}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )


def _thinned(values: Sequence[float], most: int) -> list[float]:
    """Return at most ``most`` of the values, evenly spaced, the last one among them."""
    step = max(1, -(-len(values) // most))
    return list(values[::-1][::step][::-1])
