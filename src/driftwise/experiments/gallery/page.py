"""The page of a gallery: who does well where, then one figure for each world."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from string import Template

from ... import __version__
from ...pages.pieces import definitions, paragraph, picture, table
from ..figures.drawing import Drawing
from .hall import Hall
from .playing import Plan, Played

__all__ = ["write_gallery"]

_WORST_SHADE = 100.0  # times the best: from here on it gets no darker


def write_gallery(
    plan: Plan, halls: Sequence[Hall], played: Played, drawings: Mapping[str, Drawing]
) -> str:
    """Return the page, one file that opens anywhere; ``drawings`` are by world."""
    page = Template(_resource("gallery.html"))
    return page.substitute(
        style=_resource("gallery.css"),
        notices="\n".join(paragraph(text, "notice") for text in _notices(plan, halls, played)),
        contents=", ".join(f'<a href="#{escape(h.world)}">{escape(h.world)}</a>' for h in halls),
        overview=_overview(halls),
        halls="\n".join(_hall(hall, drawings[hall.world]) for hall in halls),
        left_out=_left_out(played),
        version=escape(f"driftwise {__version__}, Python {platform.python_version()}"),
        seed=plan.seed,
    )


def _notices(plan: Plan, halls: Sequence[Hall], played: Played) -> list[str]:
    notices = []
    if played.is_interrupted:
        counts = ", ".join(f"{hall.world} {hall.replications}" for hall in halls)
        notices.append(
            f"This run was interrupted. Instead of {plan.replications} replications it has: {counts}."
        )
    if min(hall.replications for hall in halls) < 20:
        notices.append("With fewer than 20 replications bootstrap intervals come out too narrow.")
    return notices


def _overview(halls: Sequence[Hall]) -> str:
    """Return a table of final regrets as multiples of the best in each world."""
    ratios: dict[str, dict[str, float]] = {}
    for hall in halls:
        best = hall.curves[0].mean[-1]
        for curve in hall.curves:
            ratio = float(curve.mean[-1] / best) if best > 0.0 else math.nan
            ratios.setdefault(curve.policy, {})[hall.world] = ratio
    rows = []
    for policy, own in sorted(ratios.items(), key=lambda item: _typical(item[1])):
        cells = [_cell(own.get(hall.world)) for hall in halls]
        rows.append([escape(policy), f"{_typical(own):.3g}", str(len(own)), *cells])
    head = ["policy", "typical", "worlds", *(hall.world for hall in halls)]
    return table("Final regret over that of the best", head, rows, "overview")


def _typical(ratios: Mapping[str, float]) -> float:
    """Return the geometric mean of a policy's ratios."""
    logs = [math.log(ratio) for ratio in ratios.values() if ratio > 0.0]
    return math.exp(sum(logs) / len(logs)) if logs else math.inf


def _cell(ratio: float | None) -> str:
    if ratio is None:
        return '<span class="none">·</span>'
    if not ratio > 0.0:
        return "0"
    shade = min(1.0, math.log(ratio) / math.log(_WORST_SHADE))
    text = f"{ratio:.2g}" if ratio < 9.95 else f"{ratio:,.0f}"
    kind = "best" if ratio == 1.0 else "shade"
    return f'<span class="{kind}" style="--shade:{shade:.2f}">{text}</span>'


def _hall(hall: Hall, drawing: Drawing) -> str:
    caption = (
        "Left: the best policies and Uniform by name, the others grey. Right: all of them, the best"
        f" at the top. The same picture is in {hall.world}.svg."
    )
    refused = ""
    if hall.refused:
        n = len(hall.refused)
        refused = (
            f"<details><summary>{n} polic{'y does' if n == 1 else 'ies do'} not play here</summary>"
            f"{definitions(hall.refused.items())}</details>"
        )
    return (
        f'<section id="{escape(hall.world)}">\n<h2>{escape(hall.world)}</h2>\n'
        f"{paragraph(hall.summary)}\n{picture(drawing, caption)}\n{refused}\n</section>"
    )


def _left_out(played: Played) -> str:
    if not played.left_out:
        return ""
    title = "<h2>Worlds that are not shown</h2>"
    return f"<section>\n{title}\n{definitions(played.left_out.items())}\n</section>"


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
