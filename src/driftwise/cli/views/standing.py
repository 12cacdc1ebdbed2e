"""Who did how well, as tables on a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import RenderableType

from ...experiments.analysis.bootstrap import Estimate
from ...experiments.analysis.findings import Findings
from ...experiments.analysis.hindsight import name_best
from ...experiments.analysis.outcome import Outcome
from ...experiments.analysis.standings import Standings
from ..output import heading, paragraph, show, table

__all__ = ["board_table", "print_outcome", "standings_table"]


def print_outcome(outcome: Outcome) -> None:
    """Print the standings at the longest horizon of each world, then the verdicts and the files.

    A scoreboard, with too many worlds to read through, is summed up.
    """
    parts: list[RenderableType] = []
    for findings in outcome.findings:
        if findings.experiment.has_families and findings.standings:
            parts += board_table(findings)
            continue
        longest = {each.world: each for each in findings.standings}
        for each in longest.values():
            parts += standings_table(each, name_best(findings.builder, each))
    show(*parts, paragraph(outcome.as_text()))


def standings_table(each: Standings, best: Mapping[str, str]) -> list[RenderableType]:
    """Return a heading and a table for one world and one horizon, the best policy first.

    ``best`` tells which policy was best behind each comparator.
    """
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
    said = [paragraph(f"{label}: {text}, in hindsight.") for label, text in best.items()]
    return [heading(title), lines, *said]


def _number(estimate: Estimate, form: str) -> str:
    """Return a number and half the width of its interval, which is about symmetric."""
    text = form.format(estimate.value)
    if not estimate.has_interval:
        return text
    low, high = estimate.span
    return f"{text} ± {form.format((high - low) / 2.0)}"


def board_table(findings: Findings) -> list[RenderableType]:
    """Return one line per policy over all scenarios, where these are too many to list."""
    board = findings.scoreboard
    first, last = board.comparators[0], board.comparators[-1]
    lines = table("policy", ">mean", ">worst", ">where it changes", ">scenarios")
    for policy in board.ranked(first):
        own, strict = board.scores[policy][first], board.scores[policy][last]
        numbers = (own.geometric_mean, own.worst, strict.drifting)
        lines.add_row(policy, *(f"{each:.2f}" for each in numbers), str(len(own.ratios)))
    n = findings.experiment.replications
    title = f"{findings.experiment.title}. {board.origin}, {n} replication{'s' * (n != 1)} each"
    said = (
        f"Mean and worst: the regret over that of the {first} in hindsight, geometric mean and "
        f"largest of all scenarios. Where it changes: geometric mean of the scenarios in which "
        f"something changes, over the {last}. Every family is in the report."
    )
    return [heading(title), lines, paragraph(said)]
