"""What a paper claims and what became of it, in the order in which it claims it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ...pages.pieces import paragraph
from ..analysis.findings import Findings
from ..analysis.verdicts import Result, Verdict

__all__ = ["list_verdicts"]

_TONES = {
    Result.HOLDS: "holds",
    Result.IN_PART: "in-part",
    Result.FAILS: "fails",
    Result.UNKNOWN: "unknown",
}


def list_verdicts(findings: Sequence[Findings]) -> str:
    """Return all verdicts as a list; nothing if there are no claims."""
    items = [
        _item(verdict, each.experiment.title.split(":")[0] if len(findings) > 1 else "")
        for each in findings
        for verdict in each.verdicts
    ]
    if not items:
        return ""
    body = "\n".join(items)
    return f'<ol class="verdicts">\n{body}\n</ol>'


def _item(verdict: Verdict, where: str) -> str:
    place = f" ({where})" if where else ""
    return (
        f'<li class="verdict {_TONES[verdict.result]}">'
        f'<span class="badge">{escape(verdict.result.value.capitalize())}</span>'
        f"<h3>{escape(verdict.claim.title + place)}</h3>"
        f'<p class="quote">The paper: “{escape(verdict.claim.quote)}”.</p>'
        f"{paragraph(verdict.sentence)}"
        "<details><summary>The rule</summary>"
        f"{paragraph(verdict.rule)}</details></li>"
    )
