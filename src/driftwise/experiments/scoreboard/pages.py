"""What is said about scoreboards in Markdown: a short part for the README, and a page of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...scores.board import Score
from ...scores.record import BoardRecord, Record
from ..analysis.target import goals_of
from .ablations import UNCHANGED

__all__ = [
    "number", "other_seeds", "picture_names", "readme_part", "scoreboard_part", "table", "worst",
]  # fmt: skip

_HERO = "AdaptiveUCB"  # the one that needs no tuning, and has no proof
# Whom people ask about; the best of the others joins them.
_NAMED = (_HERO, "SlidingWindowUCB", "BanditOverBandit", "LinUCB", "Uniform")
_READING = """\
A score is a policy's mean regret in a scenario over that of a yardstick, which was picked in hindsight
for that very scenario. Below 1 is better than the yardstick. Scores are averaged by geometric means,
so that twice and half as good cancel. All policies of a scenario meet the same rewards. *Worst* is the
scenario with the largest score. *Changing* leaves out the scenarios in which nothing changes. Policies
that cannot play in all scenarios come last, with the number that they played.

There are two yardsticks. The **best window** is `SlidingWindowUCB` with the paper's confidence radius
and the best of a grid of fixed windows. The **best window and radius** may also pick the radius; the
grids are in `driftwise experiments scoreboard`. Nobody can know either in advance. Where a yardstick
loses nothing at all, there is no score against it.

What a policy *must be told* is told as it is measured, and where that cannot be, this was told instead:

- *Variation*: measured on one path of the world, by the parameter or, for policies that play arms, by the
  arm that moves most. Replications of a random world have other paths, and move a little more or less.
- *Number of changes*: counted on the same path, where it stands still in at least nine rounds of ten.
  Worlds that drift change all the time; there policies do what they do if the number is unknown.
- *Range of rewards*: 1, which is true of clicks. Other rewards have noise without bounds, and no range.
- *Noise*: the proxy of sub-Gaussian noise. Heavy tails have none; there it is the standard deviation.
- *Horizon*: the number of rounds.

The logistic policies are told the same as the linear ones. In ads, that is of the parameter of a logistic
model; with clicks elsewhere, of a linear one. The bound on the parameter is 1 in all scenarios but those of ads. It bounds the mean reward of every action over its length, which is what `AdaptiveUCB`
relies on. Where there are many arms, one on each axis, the parameter itself can be longer, by up to the
root of their number: the radii of the other linear policies, the yardsticks' too, are then narrower than
their theory wants, which is to their advantage here."""


def picture_names(record: BoardRecord) -> tuple[str, str]:
    """Return the names of a board's figure on a light page and on a dark one."""
    return f"{record.name}.svg", f"{record.name}-dark.svg"


def readme_part(record: Record, words: str) -> str:
    """Return the figure of the first scoreboard, one row of its numbers, and where the rest is.

    ``words`` are those of the figure, for people who cannot see it.
    """
    first = record.headline
    said = (
        f"Regret over that of the {first.board.comparators[0]}, which only hindsight knows: geometric mean"
        f" over {first.board.origin}. [All policies, yardsticks and families](docs/scoreboard.md)."
        f" {_when(record)}"
    )
    return "\n\n".join([_picture(first, words, "docs/"), _one_row(first), said])


def scoreboard_part(record: Record, words: Sequence[str], others: str) -> str:
    """Return all tables of all scoreboards, with what makes them again."""
    parts = [_READING, _when(record)]
    for each, said in zip(record.boards, words, strict=True):
        parts += [f"## {_title(each)}", _sentence(each), _picture(each, said, "")]
        for comparator in each.board.comparators:
            parts += [f"### Against the {comparator}", _full_table(each, comparator)]
            parts += [f"By family, against the {comparator}:", _family_table(each, comparator)]
        if each.board.fuzz is not None and _HERO in each.board.scores:
            parts += ["### Target", _targets(each), others]
        parts += ["### How to reproduce these numbers", _again(each)]
    return "\n\n".join(part for part in parts if part)


def other_seeds(ablations: Record) -> str:
    """Return how far the policy as it is was off at worst, seed by seed: one may be lucky."""
    boards = [each.board for each in ablations.boards]
    worsts = [number(board.scores[UNCHANGED][board.comparators[0]].worst) for board in boards]
    seeds = ", ".join(str(board.fuzz) for board in boards)
    return (
        f"One seed may be lucky: on seeds {seeds}, which checked the policy, with"
        f" {ablations.boards[0].replications} replications each, the worst of `{_HERO}` was"
        f" {', '.join(worsts)}."
    )


def _title(record: BoardRecord) -> str:
    origin = record.board.origin
    return f"{origin[0].upper()}{origin[1:]}"


def _picture(record: BoardRecord, words: str, folder: str) -> str:
    light, dark = picture_names(record)
    return (
        "<picture>\n"
        f'  <source media="(prefers-color-scheme: dark)" srcset="{folder}{dark}">\n'
        f'  <img alt="{words}" src="{folder}{light}" width="830">\n'
        "</picture>"
    )


def _one_row(record: BoardRecord) -> str:
    """Return the scores of those whom people ask about, and of the best of the others."""
    board = record.board
    comparator = board.comparators[0]
    ranked = [policy for policy in board.ranked(comparator) if board.plays_everywhere(policy)]
    others = [policy for policy in ranked if policy not in _NAMED][:1]
    shown = [policy for policy in ranked if policy in _NAMED or policy in others]
    scores = [number(board.scores[policy][comparator].geometric_mean) for policy in shown]
    return table([f"`{policy}`" for policy in shown], "r" * len(shown), [scores])


def _sentence(record: BoardRecord) -> str:
    board = record.board
    where = f"In {board.origin}, {record.replications} replications each"
    quick = " (a quick look)" if record.is_quick else ""
    if _HERO not in board.scores:
        return f"{where}{quick}."
    mean, worst, drifting = goals_of(board, _HERO)
    own = board.scores[_HERO][board.comparators[0]]
    limits = ", ".join(number(goal.limit) for goal in (mean, worst, drifting))
    target = f" The target was {limits}." if board.fuzz is not None else ""
    return (
        f"{where}{quick}, `{_HERO}` has {number(mean.reached)} times the regret of the"
        f" {board.comparators[0]} in the geometric mean, at worst {number(worst.reached)} times"
        f" (“{own.worst_scenario}”); where something changes, {number(drifting.reached)} times that"
        f" of the {board.comparators[-1]}.{target}"
    )


def _full_table(record: BoardRecord, comparator: str) -> str:
    board = record.board
    head = ("policy", "must be told", "geometric mean", "changing", "worst", "scenarios")
    rows = (
        (
            f"`{policy}`",
            board.told[policy],
            number(own.geometric_mean),
            number(own.drifting),
            worst(own),
            str(len(own.ratios)),
        )
        for policy, own in ((p, board.scores[p][comparator]) for p in board.ranked(comparator))
    )
    return table(head, "llrrlr", rows)


def _family_table(record: BoardRecord, comparator: str) -> str:
    board = record.board
    rows = (
        (
            f"`{policy}`",
            *(
                number(own.families[family]) if family in own.families else ""
                for family in board.families
            ),
        )
        for policy, own in ((p, board.scores[p][comparator]) for p in board.ranked(comparator))
    )
    return table(("policy", *board.families), "l" + "r" * len(board.families), rows)


def _targets(record: BoardRecord) -> str:
    rows = (
        (goal.what, number(goal.limit), number(goal.reached), "met" if goal.is_met else "missed")
        for goal in goals_of(record.board, _HERO)
    )
    intro = f"What `{_HERO}` was meant to reach on scenarios that nobody tuned it for:"
    return f"{intro}\n\n{table(('number', 'at most', 'reached', ''), 'lrrl', rows)}"


def _again(record: BoardRecord) -> str:
    drawn = f"scenarios of seed {record.board.fuzz}, " if record.board.fuzz is not None else ""
    return (
        f"    {record.command}\n\n"
        f"{drawn[:1].upper()}{drawn[1:]}{'n' if drawn else 'N'}oise of seed {record.seed},"
        f" {record.replications} replications of each scenario."
    )


def _when(record: Record) -> str:
    return f"{record.date}. {record.made_with} Written by `make scoreboard`."


def worst(own: Score) -> str:
    """Return the largest score, and where it was."""
    return f"{number(own.worst)} ({own.worst_scenario})"


def number(value: float) -> str:
    """Return a score as tables show it."""
    return f"{value:.2f}" if value < 9.995 else f"{value:,.0f}"


def table(head: Sequence[str], sides: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; ``sides`` has an l or an r for each column."""
    rule = ["---:" if side == "r" else "---" for side in sides]
    lines = [head, rule, *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
