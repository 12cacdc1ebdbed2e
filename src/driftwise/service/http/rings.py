"""What happened in the last seconds, minutes or hours: sums by period."""

from __future__ import annotations

from collections import deque
from typing import Any

from ..events import Branch
from .stream import Belief, Moments

__all__ = ["Ring"]

_SUMS = (
    "decisions", "rewards", "reward_sum", "explored", "explored_sum", "explored_squares", "expired",
)  # fmt: skip


class Ring:
    """The last periods of one length."""

    def __init__(self, length: int, most: int) -> None:
        self._length = length
        self._periods: deque[dict[str, Any]] = deque(maxlen=most)

    @property
    def periods(self) -> list[dict[str, Any]]:
        """All of them, the oldest first."""
        return list(self._periods)

    @periods.setter
    def periods(self, periods: list[dict[str, Any]]) -> None:
        self._periods.clear()
        self._periods.extend(periods)

    def add(self, t: int, change: dict[str, Any], belief: Belief | None) -> None:
        """Count what has changed towards the period of a time; those before are filled up."""
        begin = t - t % self._length
        periods = self._periods
        if periods and begin - periods[-1]["t"] > self._length * (periods.maxlen or 0):
            periods.clear()
        while not periods or periods[-1]["t"] < begin:
            then = periods[-1]["t"] + self._length if periods else begin
            periods.append({"t": then, "memory": None, "noise": None})
        last = periods[-1]
        for key, value in change.items():
            if isinstance(value, list):
                before = last.get(key) or [0] * len(value)
                last[key] = [a + b for a, b in zip(before, value, strict=True)]
            else:
                last[key] = last.get(key, 0) + value
        if belief is not None:
            last["memory"], last["noise"] = belief.memory, belief.noise

    def moments(self, n_arms: int, most: int | None = None) -> Moments:
        """Return the columns of the last periods."""
        some = list(self._periods)[-(most or len(self._periods)) :]
        empty = dict.fromkeys(_SUMS, 0) | {
            "branches": [0] * len(Branch.NAMES),
            "arms": [0] * n_arms,
        }
        columns = ("t", *_SUMS, "memory", "noise", "branches", "arms")
        return Moments(**{key: [(empty | each)[key] for each in some] for key in columns})
