"""Pieces of an HTML page: everything that comes from outside is escaped here."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Protocol

__all__ = [
    "definitions",
    "download",
    "folded",
    "image",
    "number",
    "paragraph",
    "picture",
    "prose",
    "section",
    "table",
]


class Known(Protocol):
    """A number, and its interval if it has one."""

    @property
    def value(self) -> float:
        """The number."""

    @property
    def span(self) -> tuple[float, float]:
        """The ends of the interval."""

    @property
    def has_interval(self) -> bool:
        """Whether there is one."""


class Drawn(Protocol):
    """A picture, and the same in words."""

    @property
    def svg(self) -> bytes:
        """The picture."""

    @property
    def words(self) -> str:
        """What it shows."""


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


def number(estimate: Known | None, form: str) -> str:
    """Return a number and its interval, as HTML.

    Examples
    --------
    >>> number(None, "{:.1f}")
    'none'
    """
    if estimate is None:
        return "none"
    text = form.format(estimate.value)
    if not estimate.has_interval:
        return text
    low, high = (form.format(end) for end in estimate.span)
    return f'{text} <span class="range">[{low}, {high}]</span>'


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Return a table that scrolls on a narrow screen.

    The cells of ``rows`` are HTML already; one that begins with ``<td`` or ``<th`` is a whole cell.
    """
    headings = "".join(f'<th scope="col">{prose(name)}</th>' for name in head)
    body = "\n".join("<tr>" + "".join(map(_cell, range(len(row)), row)) + "</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(title)}">'
        f"<table{_class(kind)}>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{body}\n</tbody>\n"
        "</table></div>"
    )


def image(drawing: Drawn) -> str:
    """Return a picture that is part of the page, in words too."""
    # As an image of its own, so that the ids of one drawing cannot meet those of another.
    data = base64.b64encode(drawing.svg).decode()
    return (
        '<p class="hint">Scroll sideways for the whole picture.</p>'
        '<div class="scroll" role="region" tabindex="0" aria-label="Figure">'
        f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(drawing.words)}">'
        "</div>"
    )


def picture(drawing: Drawn, caption: str) -> str:
    """Return a figure that carries its drawing with it; the caption is HTML already."""
    return f"<figure>{image(drawing)}<figcaption>{caption}</figcaption></figure>"


def definitions(entries: Iterable[tuple[str, str]], kind: str = "") -> str:
    """Return a list of terms, each with what is said of it; a term said again is not repeated.

    Examples
    --------
    >>> definitions([("Seed", "0"), ("Seed", "1")]).splitlines()
    ['<dl>', '<dt>Seed</dt><dd>0</dd>', '<dd>1</dd>', '</dl>']
    """
    lines, last = [], None
    for what, text in entries:
        term = "" if what == last else f"<dt>{prose(what)}</dt>"
        lines.append(f"{term}<dd>{prose(text)}</dd>")
        last = what
    body = "\n".join(lines)
    return f"<dl{_class(kind)}>\n{body}\n</dl>"


def section(title: str, body: str, *, name: str, level: int = 2) -> str:
    """Return a part of the page that the table of contents can lead to."""
    heading = f"<h{level}>{prose(title)}</h{level}>"
    return f'<section id="{escape(name)}">\n{heading}\n{body}\n</section>'


def folded(title: str, body: str) -> str:
    """Return something that is shown when it is asked for."""
    return f"<details><summary>{prose(title)}</summary>\n{body}\n</details>"


def download(name: str, content: str, kind: str) -> str:
    """Return a link that saves a text which the page itself carries: no script, no network."""
    data = base64.b64encode(content.encode()).decode()
    address = f"data:{kind};charset=utf-8;base64,{data}"
    return f'<a download="{escape(name)}" href="{address}">{escape(name)}</a>'


def _cell(place: int, cell: str) -> str:
    if cell.startswith(("<td", "<th")):
        return cell
    return f'<th scope="row">{cell}</th>' if place == 0 else f"<td>{cell}</td>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
