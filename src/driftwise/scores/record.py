"""Scoreboards as one small JSON file: all that pages and recommendations are written from."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from .board import Kind, Scoreboard, scoreboard_of

__all__ = ["BoardRecord", "Record", "from_text", "published_record", "to_text"]

_DIGITS = 4  # more than any page shows, and than the replications are good for


class BoardRecord(NamedTuple):
    """One scoreboard, and what makes it again."""

    name: str  # of the experiment
    command: str
    seed: int  # of the noise; that of the scenarios is the board's
    replications: int
    is_quick: bool
    board: Scoreboard


class Record(NamedTuple):
    """All scoreboards of one day."""

    date: str  # ISO 8601
    made_with: str  # versions
    boards: tuple[BoardRecord, ...]

    @property
    def headline(self) -> BoardRecord:
        """The board to show first: scenarios that were drawn, if there are, over fixed ones."""
        drawn = (each for each in self.boards if each.board.fuzz is not None)
        return next(drawn, self.boards[0])


@cache
def published_record() -> Record:
    """Return the scoreboards that were published with this version.

    Examples
    --------
    >>> "AdaptiveUCB" in published_record().headline.board.scores
    True
    """
    return from_text(resources.files(__package__).joinpath("scoreboard.json").read_text("utf-8"))


def to_text(record: Record) -> str:
    """Return a record as JSON, a line for each policy, so that differences can be read."""
    boards = ",\n".join(_board_text(each) for each in record.boards)
    head = "".join(
        f"{json.dumps(key)}: {json.dumps(getattr(record, key))},\n" for key in ("date", "made_with")
    )
    return f'{{\n{head}"boards": [\n{boards}\n]\n}}\n'


def from_text(text: str) -> Record:
    """Return the record that `to_text` has written."""
    data = json.loads(text)
    boards = tuple(_board_from(each) for each in data["boards"])
    return Record(data["date"], data["made_with"], boards)


def _board_text(record: BoardRecord) -> str:
    board = record.board
    head = {key: getattr(record, key) for key in record._fields if key != "board"}
    head |= {key: getattr(board, key) for key in ("fuzz", "comparators", "scenarios", "kinds")}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    policies = ",\n".join(
        f"{json.dumps(policy)}: {json.dumps(_policy_data(board, policy))}"
        for policy in board.scores
    )
    return "{\n" + "\n".join(lines) + f'\n"policies": {{\n{policies}\n}}\n}}'


def _policy_data(board: Scoreboard, policy: str) -> dict[str, Any]:
    """Return what must be told, and the ratios in the order of the scenarios; None: cannot play."""
    ratios = {
        comparator: [
            float(f"{own.ratios[scenario]:.{_DIGITS}g}") if scenario in own.ratios else None
            for scenario in board.scenarios
        ]
        for comparator, own in board.scores[policy].items()
    }
    return {"told": board.told[policy], "ratios": ratios}


def _board_from(data: dict[str, Any]) -> BoardRecord:
    scenarios, policies = data["scenarios"], data["policies"]
    ratios = {
        policy: {
            comparator: {
                scenario: value
                for scenario, value in zip(scenarios, values, strict=True)
                if value is not None
            }
            for comparator, values in own["ratios"].items()
        }
        for policy, own in policies.items()
    }
    told = {policy: own["told"] for policy, own in policies.items()}
    kinds = {scenario: Kind(*kind) for scenario, kind in data["kinds"].items()}
    board = scoreboard_of(scenarios, data["comparators"], ratios, told, data["fuzz"], kinds)
    return BoardRecord(
        data["name"], data["command"], data["seed"], data["replications"], data["is_quick"], board
    )
