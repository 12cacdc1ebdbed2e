"""A whole page: one HTML file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from string import Template
from typing import NamedTuple

from .charts import Chart, embedded
from .pieces import paragraph, prose, section

__all__ = ["Part", "write_page"]


class Part(NamedTuple):
    """An entry of the table of contents, and what it leads to."""

    name: str
    title: str
    body: str  # HTML
    level: int = 2


def write_page(
    title: str, lead: str, notices: Iterable[str], parts: Sequence[Part], charts: Sequence[Chart]
) -> str:
    """Return the page, with what is said in one sentence and what must be known first at its top."""
    return Template(_resource("report.html")).substitute(
        title=escape(title),
        style=_resource("vendor/uPlot.min.css") + _resource("report.css"),
        extent=prose(lead),
        notices="\n".join(paragraph(text, "notice") for text in notices),
        contents="\n".join(
            f'<li class="level-{part.level}"><a href="#{part.name}">{prose(part.title)}</a></li>'
            for part in parts
        ),
        body="\n".join(
            section(part.title, part.body, name=part.name, level=part.level) for part in parts
        ),
        charts=embedded(charts),
        # Its licence asks to be part of every copy, and each page is one.
        library=f"/*\n{_resource('vendor/LICENSE')}*/\n{_resource('vendor/uPlot.iife.min.js')}",
        script=_resource("charts.js"),
    )


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
