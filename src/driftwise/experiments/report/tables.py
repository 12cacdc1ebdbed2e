"""The tables of the report: who stands where, and how fast regret grows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ...pages.pieces import number, paragraph, table
from ..analysis.bootstrap import Estimate
from ..analysis.findings import Findings
from ..analysis.standings import Standings
from ..analysis.sweep import varied_setting
from .settings import spelled

__all__ = ["slopes_table", "standings_table"]


def standings_table(findings: Findings, standings: Standings) -> str:
    """Return all policies at one horizon, the best first."""
    comparators = list(standings.best_of)
    best = standings.standings[0].policy
    head = (
        "policy",
        "mean regret",
        f"behind {best}",
        "mean rank",
        "best in",
        *(f"times {label}" for label in comparators),
    )
    size = max(abs(row.regret.value) for row in standings.standings)
    form = "{:,.0f}" if size >= 1000 else "{:,.1f}" if size >= 10 else "{:.3g}"
    rows = [
        (
            escape(row.policy),
            number(row.regret, form),
            "the best" if row.policy == best else number(row.difference, form),
            number(row.rank, "{:.2f}"),
            number(row.chance_best, "{:.0%}"),
            *(number(row.ratios[label], "{:.2f}") for label in comparators),
        )
        for row in standings.standings
    ]
    title = f"{standings.world} at T = {standings.horizon:,}"
    return table(title, head, rows, "standings") + _yardsticks(findings, standings)


def slopes_table(findings: Sequence[Findings]) -> str:
    """Return the slopes of all experiments beside theory's; nothing if there are none."""
    rows = []
    for each in findings:
        for world, growth in each.growth.items():
            for one in growth:
                if one.slope is None:
                    continue
                exponent = each.exponents.get(one.policy)
                where = world if len(findings) == 1 else f"{_short(each)}, {world}"
                rows.append(
                    (
                        escape(f"{where}: {one.policy}"),
                        number(one.slope, "{:.3f}"),
                        "not told" if exponent is None else f"{exponent:.3f}",
                        "" if exponent is None else _gap(one.slope, exponent),
                    )
                )
    if not rows:
        return ""
    head = ("world: policy", "measured", "theory", "difference")
    return table("Slopes", head, rows)


def _gap(slope: Estimate, exponent: float) -> str:
    return f"{slope.value - exponent:+.3f}"


def _short(findings: Findings) -> str:
    return findings.experiment.title.split(":")[0]


def _yardsticks(findings: Findings, standings: Standings) -> str:
    """Say which policy was best in hindsight, by the setting that tells it from the others."""
    world, horizon = standings.world, standings.horizon
    said = []
    for label, policy in standings.best_of.items():
        family = [entry for entry in findings.experiment.policies if entry.comparator == label]
        setting = varied_setting(findings.builder, family, world, horizon)
        if setting is None:
            said.append(f"{label}: {policy}")
        else:
            value = getattr(findings.builder.policy(policy, world, horizon), setting)
            said.append(f"{label}: {setting.replace('_', ' ')} {spelled(value)}")
    return paragraph(f"Best in hindsight: {'; '.join(said)}.", "note") if said else ""
