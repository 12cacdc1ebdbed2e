"""Who did how well, as tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType

from ..experiments.bootstrap import Estimate
from ..experiments.outcome import Outcome
from ..experiments.standings import Standings
from .output import heading, paragraph, show, table

__all__ = ["print_outcome", "standings_tables"]


def print_outcome(outcome: Outcome) -> None:
    """Print the standings at the longest horizon of each world, then the verdicts and the files."""
    longest: dict[tuple[str, str], Standings] = {}
    for findings in outcome.findings:
        for each in findings.standings:
            longest[findings.experiment.name, each.world] = each
    show(*standings_tables(longest.values()), paragraph(outcome.as_text()))


def standings_tables(standings: Iterable[Standings]) -> list[RenderableType]:
    """Return a heading and a table for each world and horizon, the best policy first."""
    parts: list[RenderableType] = []
    for each in standings:
        labels = list(each.best_of)
        when = "" if each.round == each.horizon else f", at round {each.round:,}"
        lines = table(
            "policy", ">regret", ">behind the best", ">mean rank", ">best in",
            *(f">over {label}" for label in labels),
        )  # fmt: skip
        for row in each.standings:
            lines.add_row(
                row.policy,
                _number(row.regret, "{:,.1f}"),
                _number(row.difference, "{:,.1f}"),
                f"{row.rank.value:.2f}",
                f"{row.chance_best.value:.0%}",
                *(_number(row.ratios[label], "{:.2f}") for label in labels),
            )
        title = f"{each.world}, T = {each.horizon:,}{when}, {each.replications} replications"
        parts += [heading(title), lines]
        parts += [
            paragraph(f"{label}: {best.removeprefix(label).strip()}, in hindsight.")
            for label, best in each.best_of.items()
        ]
    return parts


def _number(estimate: Estimate, form: str) -> str:
    """Return a number and half the width of its interval, which is about symmetric."""
    text = form.format(estimate.value)
    if not estimate.has_interval:
        return text
    low, high = estimate.span
    return f"{text} ± {form.format((high - low) / 2.0)}"
