"""The parts of a scoreboard that are shown apart: the laboratory, and the field."""

from __future__ import annotations

from typing import NamedTuple

from ...scores.board import Scoreboard
from ...scores.record import BoardRecord
from .field import FIELD

__all__ = ["PRACTICAL", "Part", "parts_of", "plain_name"]

PRACTICAL = " (practical)"  # how the label of a policy ends that is set as practice would


class Part(NamedTuple):
    """Some families of a scoreboard."""

    name: str
    board: Scoreboard
    pictures: tuple[str, str]  # the names of its figure on a light page, and on a dark one

    @property
    def title(self) -> str:
        """Where this is, and how many scenarios it has."""
        return f"{self.name[0].upper()}{self.name[1:]}: {self.board.origin}"


def parts_of(record: BoardRecord) -> list[Part]:
    """Return the laboratory first, then the field if any of it was played."""
    board = record.board
    outside = {each for each, family in board.scenarios.items() if family in FIELD}
    groups = {"laboratory": board.scenarios.keys() - outside, "field": outside}
    return [
        Part(
            name,
            board.among(scenarios),
            (f"{record.name}-{name}.svg", f"{record.name}-{name}-dark.svg"),
        )
        for name, scenarios in groups.items()
        if scenarios
    ]


def plain_name(label: str) -> str:
    """Return the name of a policy, however it is set."""
    return label.removesuffix(PRACTICAL)
