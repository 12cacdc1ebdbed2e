"""The table of ablations in docs/scoreboard.md: written between markers, from one record."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ...core.base.files import write
from ...scores.board import Score, Scoreboard, geometric_mean
from ...scores.record import Record, from_text, to_text
from ..analysis.target import WORST
from .ablations import RECORD, UNCHANGED, command_for, pooled
from .pages import number, table, worst
from .publishing import PAGE, between_markers, published
from .publishing import RECORD as BOARDS

__all__ = ["MARKERS", "RECORD", "ablation_part", "publish_ablations", "published_ablations"]

MARKERS = ("<!-- ablations:begin -->", "<!-- ablations:end -->")
_FAMILIES = 5  # how many fit beside the other columns


def publish_ablations(record: Record, root: Path) -> list[Path]:
    """Write record and pages; return what was written."""
    record = from_text(to_text(record))  # the page is made of the very numbers that the file holds
    files = {RECORD: to_text(record), PAGE: published_ablations(record, root)}
    written = [write(root / name, content.encode()) for name, content in files.items()]
    if (root / BOARDS).exists():  # what is said of them mentions these seeds
        boards = from_text((root / BOARDS).read_text("utf-8"))
        for name, content in published(boards, root).items():
            written.append(write(root / name, content.encode()))
    return list(dict.fromkeys(written))


def published_ablations(record: Record, root: Path) -> str:
    """Return the page as it must be, given the record and what else stands in it."""
    return between_markers((root / PAGE).read_text("utf-8"), ablation_part(record), PAGE, MARKERS)


def ablation_part(record: Record) -> str:
    """Return the table of all variants, and what makes it again."""
    first = record.boards[0]
    board = pooled([each.board for each in record.boards])
    seeds = ", ".join(str(each.board.fuzz) for each in record.boards)
    drawn = f"{'seeds' if len(record.boards) > 1 else 'seed'} {seeds}"
    quick = " (a quick look)" if first.is_quick else ""
    reading = (
        f"Each line is `AdaptiveUCB` with one thing changed, over {len(board.scenarios)} scenarios"
        f" drawn by {drawn}, replications of each: {first.replications}{quick}, noise of seed"
        f" {first.seed}. Scores are as above: regret over that of the {board.comparators[0]} in"
        f" hindsight, smaller is better. *Over {UNCHANGED}* compares scenario by scenario: the geometric"
        f" mean of the line's regret over that of the first line, and two standard errors to either"
        f" side; above 1 the change does harm. *Above {WORST:g}* counts scenarios. *Changing* is"
        f" against the {board.comparators[-1]}, where something changes. The last columns are the"
        f" families that the changes move most."
    )
    again = command_for([each.board.fuzz for each in record.boards], first)
    made = f"{record.date}. {record.made_with} Written by `make ablations`; to play it again:"
    return "\n\n".join([reading, _table(board), made, f"    {again}"])


def _table(board: Scoreboard) -> str:
    first, last = board.comparators[0], board.comparators[-1]
    families = _most_moved(board, first)
    unchanged = board.scores[UNCHANGED][first]
    head = (
        "variant", "geometric mean", f"over {UNCHANGED}", "worst", f"above {WORST:g}", "changing",
        *families,
    )  # fmt: skip
    rows = (
        (
            variant,
            number(own[first].geometric_mean),
            "1" if variant == UNCHANGED else _compared(own[first], unchanged),
            worst(own[first]),
            str(sum(ratio > WORST for ratio in own[first].ratios.values())),
            number(own[last].drifting),
            *(number(own[first].families[family]) for family in families),
        )
        for variant, own in board.scores.items()
    )
    return table(head, "lrrlrr" + "r" * len(families), rows)


def _compared(own: Score, unchanged: Score) -> str:
    ratios = [ratio / unchanged.ratios[scenario] for scenario, ratio in own.ratios.items()]
    mean, low, high = geometric_mean(ratios)
    return f"{mean:.3f} ({low:.3f} to {high:.3f})"


def _most_moved(board: Scoreboard, comparator: str) -> list[str]:
    """Return the families whose score moves most, on average over the variants, in their order."""
    unchanged = board.scores[UNCHANGED][comparator].families

    def moved(family: str) -> float:
        scores = [own[comparator].families[family] for own in board.scores.values()]
        return float(np.abs(np.log(scores) - math.log(unchanged[family])).mean())

    chosen = sorted(board.families, key=moved, reverse=True)[:_FAMILIES]
    return [family for family in board.families if family in chosen]
