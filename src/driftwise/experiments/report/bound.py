"""SW-UCB's regret as theory bounds it, beside the regret that was measured."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ...pages.pieces import paragraph, table
from ..analysis.bound import Bound, bound_regret
from ..analysis.findings import Findings

__all__ = ["list_bounds"]


def list_bounds(findings: Findings) -> Iterator[str]:
    """Yield, for each policy and world that the bound is about, what it says.

    It is about a SlidingWindowUCB that is told the variation, in a world in which Assumption 1
    holds.
    """
    for entry in findings.experiment.policies:
        if entry.comparator is not None or not entry.is_variation_known:
            continue
        for world in findings.growth:
            bounds = bound_regret(findings, world, entry.label)
            if bounds:
                yield _shown(f"{entry.label} in {world}", entry.label, bounds)


def _shown(title: str, policy: str, bounds: list[Bound]) -> str:
    factors = [bound.allowed / bound.measured for bound in bounds]
    rows = [
        (
            f"{bound.horizon:,}",
            f"{bound.measured:,.1f}",
            f"{bound.allowed:,.0f}",
            f"{factor:,.0f}",
            f"{bound.worst:,.0f}",
        )
        for bound, factor in zip(bounds, factors, strict=True)
    ]
    ends = dict.fromkeys(f"{end(factors):,.0f}" for end in (min, max))  # once if written the same
    text = (
        f"The proof of Theorem 3 of Cheung, Simchi-Levi and Zhu (2019) ends in an explicit bound on"
        f" the expected regret of {policy}. It is put beside what was measured, for the variation"
        " that the world really has. The measured regret is"
        f" {'below' if min(factors) >= 1.0 else 'not always below'} the bound: the bound is"
        f" {' to '.join(ends)} times as large."
    )
    if all(bound.allowed >= bound.worst for bound in bounds):
        text += (
            " At these horizons it is still above the regret of playing the worst arm in every"
            " round, so here it says nothing about any policy; its growth is what counts."
        )
    head = ("T", "measured", "bound", "bound / measured", "always the worst arm")
    return f"<h3>{escape(title)}</h3>\n{paragraph(text)}\n{table(title, head, rows)}"
