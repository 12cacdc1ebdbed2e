"""What is said about scoreboards in Markdown: a few lines for the README, and a page of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...scores.board import Score, Scoreboard
from ...scores.record import BoardRecord, Record
from ..analysis.target import goals_of
from .ablations import UNCHANGED
from .parts import PRACTICAL, Part, parts_of, plain_name

__all__ = ["number", "other_seeds", "readme_part", "scoreboard_part", "table", "worst"]

_HERO = "AdaptiveUCB"  # the one that needs no tuning, and has no proof
_READING = """\
A score is a policy's mean regret in a scenario over that of a yardstick, which was picked in hindsight
for that very scenario. Below 1 is better than the yardstick. Scores are averaged by geometric means,
so that twice and half as good cancel; behind a mean stand two standard errors to either side, over
scenarios. All policies of a scenario meet the same rewards. *Worst* is the scenario with the largest
score. *Changing* leaves out the scenarios in which nothing changes. Policies that cannot play in all
scenarios come last, with the number that they played. [Yardsticks, and what policies were
told](#yardsticks-and-what-policies-were-told) comes after the numbers."""
_SETTINGS = f"""\
## Yardsticks, and what policies were told

There are two yardsticks. The **best window** is `SlidingWindowUCB` with the paper's confidence radius and
the best of a grid of fixed windows. The **best of all settings** forgets by a window or by a
discount, and has its ridge and its radius picked as well; each half of the replications picks for the
other, so that the best of many does not look better than it is. The grids are in `driftwise
experiments scoreboard`. Nobody can know either in advance. Where a yardstick loses nothing at all,
there is no score against it.

*As theory says* is a policy as its `tuned` sets it. *As practice would* has the label
“{PRACTICAL.strip()}”: linear policies get a ridge of (s/S)² and a radius of 2s, Thompson sampling one of s, where s is
the standard deviation of rewards and S the bound on the parameter; policies for arms get s, where theory
takes a bound on it. `{_HERO}` is told nothing. What the others must be told is told as it is measured:

- *Variation*: on one path of the world, by the parameter or, for policies that play arms, by the
  arm that moves most. Replications of a random world have other paths, and move a little more or less.
- *Number of changes*: on the same path, where it stands still in at least nine rounds of ten.
  Worlds that drift change all the time; there policies do what they do if the number is unknown.
- *Bound on the parameter*: the largest expected reward over the length of its action; *bound on
  actions*: the longest. Logistic policies are told the length of a logistic parameter, where there is one.
- *Noise*: the proxy of sub-Gaussian noise. Heavy tails have none; there it is the standard deviation.
- *Range of rewards*: twice that, by Hoeffding's lemma: 1 for clicks. Thompson sampling with a Beta prior
  is told the least and the largest reward of the path.
- *Horizon*: the number of rounds. Nobody is told of delays."""


def readme_part(record: Record) -> str:
    """Return the figure of the laboratory, one row of numbers, and where the rest is."""
    parts = parts_of(record.headline)
    first = parts[0].board
    best = first.ranked(first.comparators[0])[0]
    policy = _HERO if _HERO in first.scores else best
    head = [text for part in parts for text in (f"{part.name}: mean", "worst")]
    row = [text for part in parts for text in _short(part.board, policy)]
    again = f"{record.headline.board.origin}, {record.headline.replications} replications each"
    better = "" if policy == best else f" Better in the {parts[0].name}: `{best}`."
    return "\n\n".join(
        [
            _picture(parts[0], f"Each policy's regret in the {parts[0].name}.", "docs/"),
            table(("", *head), "l" + "rr" * len(parts), [(f"`{policy}`", *row)]),
            f"Regret over that of the {first.comparators[0]} in hindsight, in {again}.{better} [All"
            " policies, both yardsticks, every family and every objection](docs/scoreboard.md)."
            f" {_when(record)}",
        ]
    )


def scoreboard_part(record: Record, words: Sequence[Sequence[str]], others: str) -> str:
    """Return all tables of all scoreboards, with what makes them again.

    ``words`` are those of the figures, for people who cannot see them; ``others`` what is said of
    other seeds, if anything.
    """
    texts = [_READING, _when(record)]
    for each, said in zip(record.boards, words, strict=True):
        parts = parts_of(each)
        for part, word in zip(parts, said, strict=True):
            board = part.board
            texts += [f"## {part.title}", _sentence(each, part), _picture(part, word, "")]
            for comparator in board.comparators:
                texts += [f"### Against the {comparator}", _full_table(board, comparator)]
            texts += [
                f"By family, against the {board.comparators[0]}:",
                _family_table(board, board.comparators[0]),
            ]
        if each.board.fuzz is not None and _HERO in each.board.scores:
            texts += ["### Target", _targets(parts[0].board), others]
        texts += ["### How to reproduce these numbers", _again(each)]
    return "\n\n".join(text for text in [*texts, _SETTINGS] if text)


def other_seeds(ablations: Record) -> str:
    """Return how far the policy as it is was off at worst, seed by seed: one may be lucky."""
    boards = [each.board for each in ablations.boards]
    worsts = [number(board.scores[UNCHANGED][board.comparators[0]].worst) for board in boards]
    seeds = ", ".join(str(board.fuzz) for board in boards)
    return (
        f"One seed may be lucky: on seeds {seeds}, which checked the policy of {ablations.date}, with"
        f" {ablations.boards[0].replications} replications each, the worst of `{_HERO}` was"
        f" {', '.join(worsts)}."
    )


def _picture(part: Part, words: str, folder: str) -> str:
    light, dark = part.pictures
    return (
        "<picture>\n"
        f'  <source media="(prefers-color-scheme: dark)" srcset="{folder}{dark}">\n'
        f'  <img alt="{words}" src="{folder}{light}" width="830">\n'
        "</picture>"
    )


def _sentence(record: BoardRecord, part: Part) -> str:
    board = part.board
    where = f"In {board.origin}, {record.replications} replications each"
    quick = " (a quick look)" if record.is_quick else ""
    if _HERO not in board.scores:
        return f"{where}{quick}."
    first, last = (
        board.scores[_HERO][each] for each in (board.comparators[0], board.comparators[-1])
    )
    return (
        f"{where}{quick}, `{_HERO}` has {_mean(first)} times the regret of the {board.comparators[0]}"
        f" in the geometric mean, at worst {number(first.worst)} times (“{first.worst_scenario}”); and"
        f" {_mean(last)} times that of the {board.comparators[-1]}, at worst {number(last.worst)} times"
        f" (“{last.worst_scenario}”)."
    )


def _full_table(board: Scoreboard, comparator: str) -> str:
    """Return a line for each policy, as theory says and as practice would."""
    names = dict.fromkeys(plain_name(label) for label in board.ranked(comparator))
    head = (
        "policy",
        "must be told",
        "as theory says",
        "worst",
        "as practice would",
        "worst",
        "scenarios",
    )
    rows = (
        (
            f"`{name}`",
            board.told[name],
            *(
                text
                for label in (name, f"{name}{PRACTICAL}")
                for text in _mean_and_worst(board, label, comparator)
            ),
            str(len(board.scores[name][comparator].ratios)),
        )
        for name in names
        if name in board.scores
    )
    return table(head, "llrlrlr", rows)


def _mean_and_worst(board: Scoreboard, label: str, comparator: str) -> tuple[str, str]:
    if label not in board.scores:
        return "", ""
    own = board.scores[label][comparator]
    return _mean(own), worst(own)


def _family_table(board: Scoreboard, comparator: str) -> str:
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


def _targets(board: Scoreboard) -> str:
    rows = (
        (goal.what, number(goal.limit), number(goal.reached), "met" if goal.is_met else "missed")
        for goal in goals_of(board, _HERO)
    )
    intro = f"What `{_HERO}` was meant to reach in the laboratory, in scenarios that nobody tuned it for:"
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


def _short(board: Scoreboard, policy: str) -> tuple[str, str]:
    own = board.scores[policy][board.comparators[0]]
    return number(own.geometric_mean), number(own.worst)


def _mean(own: Score) -> str:
    """Return a mean, and two standard errors to either side."""
    return f"{number(own.geometric_mean)} ({number(own.low)} to {number(own.high)})"


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
