"""Pieces of an HTML page: everything that comes from outside is escaped here."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from html import escape

from .bootstrap import Estimate
from .drawing import Drawing

__all__ = ["definitions", "number", "paragraph", "picture", "prose", "table"]


def prose(text: str) -> str:
    """Return plain text as HTML, with B_T and T^(2/3) set as one writes them.

    Examples
    --------
    >>> prose("B_T < T^(1/3)")
    'B<sub>T</sub> &lt; T<sup>1/3</sup>'
    """
    text = re.sub(r"\b([A-Zθz])_([Tts])", r"\1<sub>\2</sub>", escape(text))
    return re.sub(r"\^\(([^)]+)\)", r"<sup>\1</sup>", text)


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text.

    Examples
    --------
    >>> paragraph("1 < 2")
    '<p>1 &lt; 2</p>'
    """
    return f"<p{_class(kind)}>{prose(text)}</p>"


def number(estimate: Estimate | None, form: str) -> str:
    """Return a number and its interval, as HTML.

    Examples
    --------
    >>> number(Estimate(0.5, 0.4, 0.6), "{:.1f}")
    '0.5 <span class="range">[0.4, 0.6]</span>'
    """
    if estimate is None:
        return "none"
    text = form.format(estimate.value)
    if not estimate.has_interval:
        return text
    low, high = (form.format(end) for end in estimate.span)
    return f'{text} <span class="range">[{low}, {high}]</span>'


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Return a table that scrolls on a narrow screen; the cells of ``rows`` are HTML already."""
    headings = "".join(f'<th scope="col">{prose(name)}</th>' for name in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(title)}">'
        f"<table{_class(kind)}>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{body}\n</tbody>\n"
        "</table></div>"
    )


def picture(drawing: Drawing, caption: str) -> str:
    """Return a figure that carries its drawing with it."""
    # As an image of its own, so that the ids of one drawing cannot meet those of another.
    data = base64.b64encode(drawing.svg).decode()
    return (
        '<figure><p class="hint">Scroll sideways for the whole picture.</p><div class="scroll" role="region" tabindex="0" aria-label="Figure">'
        f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(drawing.words)}">'
        f"</div><figcaption>{prose(caption)}</figcaption></figure>"
    )


def definitions(entries: Iterable[tuple[str, str]]) -> str:
    """Return a list of terms, each with what is said of it."""
    body = "\n".join(f"<dt>{prose(what)}</dt><dd>{prose(text)}</dd>" for what, text in entries)
    return f"<dl>\n{body}\n</dl>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
