"""What an agent remembers of its own decisions and of their rewards: the last ones, and no more."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.optional_packages import needed_for
from ..base.showing import html_of, plain_number, text_of
from ..contract.decision import Decision

if TYPE_CHECKING:
    import polars as pl

__all__ = ["History", "Recorder"]

_SHOWN = 5  # of the newest rows
_REWARD = 4  # its place in an entry


@dataclass(frozen=True, repr=False)
class History:
    """The last decisions of an agent, oldest first: one array for each column."""

    number: NDArray[np.int64]  # of the decision, counted from 1
    arm: NDArray[np.int64]
    propensity: Vector
    value: Vector  # the score that won; nan where there is none
    reward: Vector  # nan where none has been learnt; of several, the last one
    name: NDArray[np.object_]  # of the action, a text; None where actions have no names

    def __len__(self) -> int:
        return self.number.size

    def frame(self) -> pl.DataFrame:
        """Return a table with a row for each decision; null where there is no number.

        It needs polars; for pandas, ``agent.history().frame().to_pandas()``.
        """
        with needed_for("History.frame"):
            import polars as pl
        return pl.DataFrame(self._columns()).with_columns(pl.col(pl.Float64).fill_nan(None))

    def __repr__(self) -> str:
        return text_of(*self._shown())

    def _repr_html_(self) -> str:
        return html_of(*self._shown())

    def _columns(self) -> dict[str, Any]:
        """Return the columns by name; without names of actions if there are none."""
        columns = {column.name: getattr(self, column.name) for column in fields(self)}
        if all(name is None for name in self.name):
            del columns["name"]
        return columns

    def _shown(self) -> tuple[str, list[tuple[str, str]], list[str], list[list[str]]]:
        known = self.reward[~np.isnan(self.reward)]
        facts = [("rewards", plain_number(known.size))]
        facts += [("mean reward", plain_number(float(known.mean())))] if known.size else []
        columns = self._columns()
        newest = zip(*(column[-_SHOWN:].tolist() for column in columns.values()), strict=True)
        rows = [list(map(_cell, row)) for row in newest]
        return f"The last {plain_number(len(self))} decisions", facts, list(columns), rows


def _cell(value: float | str | None) -> str:
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else plain_number(value)


class Recorder:
    """A ring of the last ``capacity`` decisions: what an agent writes while it works."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        # By luck, which no two rounds share: a reward may come at any time, in any order.
        self._entries: OrderedDict[int, list[Any]] = OrderedDict()

    def chosen(self, number: int, decision: Decision) -> None:
        """Record a decision, and drop the oldest one if there are too many."""
        arm, _, propensity, value, luck, _, _, name, *_ = decision
        self._entries[luck] = [number, arm, propensity, value, math.nan, name]
        if len(self._entries) > self.capacity:
            self._entries.popitem(last=False)

    def learnt(self, luck: int, reward: float) -> None:
        """Record the reward of a decision, unless that was dropped."""
        entry = self._entries.get(luck)
        if entry is not None:
            entry[_REWARD] = reward

    def history(self) -> History:
        """Return what is there, as arrays."""
        columns = list(zip(*self._entries.values(), strict=True)) or [()] * len(fields(History))
        number, arm = (np.array(each, dtype=np.int64) for each in columns[:2])
        numbers = (np.array(each, dtype=np.float64) for each in columns[2:5])
        propensity, value, reward = numbers
        name = np.array(columns[5], dtype=object)
        return History(number, arm, propensity, value, reward, name)
