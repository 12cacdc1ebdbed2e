"""What the published scoreboard says, in small tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from driftwise.experiments.scoreboard.pages import number
from driftwise.experiments.scoreboard.parts import PRACTICAL, plain_name
from driftwise.scores import Kind, Score, Scoreboard, published_record

from .markdown import plain, table

__all__ = ["board", "family_line", "kind_table", "policy_part"]

_SHOWN = 8  # lines of a table
_EXTREMES = 3  # scenarios at either end
_HEAD = ("policy", "mean", "worst", "scenarios")


@cache
def board() -> Scoreboard:
    """Return the scoreboard that the README shows first."""
    return published_record().headline.board


def kind_table(is_meant: Callable[[str, Kind], bool]) -> str:
    """Return the best policies in the scenarios that are meant, by family and kind, and where from."""
    every = board()
    names = [
        each for each, family in every.scenarios.items() if is_meant(family, every.kinds[each])
    ]
    if not names:
        return f"Nothing yet: none of its {len(every.scenarios)} scenarios is of that kind."
    part = every.among(names)
    comparator = part.comparators[0]
    rows = [_row(policy, part.scores[policy][comparator]) for policy in part.ranked(comparator)]
    shown = rows[:_SHOWN]
    practical = f" *{PRACTICAL.strip()[1:-1].capitalize()}* is a policy as practice would set it, without its guarantee."
    note = practical if any(PRACTICAL in row[0] for row in shown) else ""
    return (
        f"{table(_HEAD, shown, 'lrlr')}\n\nOver the {comparator}, in {_origin(len(names))}.{note}"
    )


def policy_part(name: str) -> str:
    """Return where a policy stands, and where it wins and loses most."""
    every = board()
    if name not in every.scores:
        return "It does not play on the [scoreboard](../scoreboard.md)."
    comparator = every.comparators[0]
    own, place = every.scores[name][comparator], every.ranked(comparator).index(name) + 1
    ordered = sorted(own.ratios, key=own.ratios.__getitem__)
    everywhere = "" if every.plays_everywhere(name) else " of those that it can play"
    rows = [("mean, and place", f"{number(own.geometric_mean)}, {place} of {len(every.scores)}")]
    if f"{name}{PRACTICAL}" in every.scores:
        practical = every.scores[f"{name}{PRACTICAL}"][comparator].geometric_mean
        rows.append(("the mean, set as practice would", number(practical)))
    rows += [
        ("where something changes", number(own.drifting)),
        ("wins most", _listed(own, ordered[:_EXTREMES])),
        ("loses most", _listed(own, reversed(ordered[-_EXTREMES:]))),
        ("by family", _families(own)),
    ]
    return (
        f"Regret over that of the {comparator} in hindsight, in {len(own.ratios)} scenarios{everywhere};"
        f" below 1 is better ([scoreboard](../scoreboard.md)).\n\n{table(('', ''), rows)}"
    )


def family_line(families: Iterable[str]) -> str:
    """Return the best policies in some families of scenarios, or nothing where there are none."""
    wanted = set(families)
    if not wanted & set(board().families):
        return ""
    return kind_table(lambda family, _: family in wanted)


def _row(policy: str, own: Score) -> tuple[str, str, str, str]:
    link = f"[`{policy}`](../policies/{plain_name(policy)}.md)"
    worst = f"{number(own.worst)} ({plain(own.worst_scenario)})"
    return link, number(own.geometric_mean), worst, str(len(own.ratios))


def _origin(n: int) -> str:
    return f"{n} of the {board().origin}"


def _listed(own: Score, scenarios: Iterable[str]) -> str:
    return ", ".join(f"{plain(each)}: {number(own.ratios[each])}" for each in scenarios)


def _families(own: Score) -> str:
    ordered = sorted(own.families, key=own.families.__getitem__)
    return ", ".join(f"{plain(each)}: {number(own.families[each])}" for each in ordered)
