"""What the checks of a log look at, gathered in one pass: some 60 bytes an event."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .event import names_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BINS", "Evidence", "Tally", "gathered"]

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_ARMS = 1000  # more are not told apart: a person could not look at them, either

# Rows of alike probability are a group, too: the only one where rows have no identity.
BINS = np.array([0.0, 0.001, 0.003, 0.01, 0.03, *np.arange(0.1, 1.0, 0.1), 0.95, 1.0])


class Tally(NamedTuple):
    """How often rows of each group were chosen, and how often they should have been."""

    chosen: Numbers  # (groups,), a count
    expected: Numbers  # (groups,), the sum of p
    variance: Numbers  # (groups,), the sum of p (1 - p)


class Evidence(NamedTuple):
    """All events in a few columns; NaN, or 0 for a size, where an event does not tell."""

    arm: Integers  # (n,), the arm chosen, an index of arms
    arms: list[str]  # names; numbers of rows where actions have none
    is_named: bool
    size: Integers  # (n,), how many actions there were
    propensity: Numbers  # (n,)
    reward: Numbers
    time: Numbers
    reward_time: Numbers
    keys: NDArray[np.uint64]  # (those that have one,), a hash of each event's id
    vectors: int  # how many events have the propensities of all actions
    by_arm: Tally  # of those events; no groups if there are too many arms
    by_bin: Tally
    zeros: int  # pairs of event and action with propensity 0
    pairs: int  # pairs of event and action
    worst_sum: float  # the sum of propensities that is farthest from 1; 1 without any
    disagreements: int  # events whose propensity is not what propensities say of the action


def gathered(frames: Iterable[pl.DataFrame]) -> Evidence:
    """Return what all frames tell together."""
    gathering = _Gathering()
    for frame in frames:
        gathering.take(frame)
    return gathering.evidence()


class _Gathering:
    def __init__(self) -> None:
        self.numbers: dict[str, list[Numbers]] = {
            name: [] for name in ("propensity", "reward", "time", "reward_time")
        }
        self.integers: dict[str, list[Integers]] = {"arm": [], "size": []}
        self.keys: list[NDArray[np.uint64]] = []
        self.arms: dict[str, int] = {}
        self.is_named = True
        self.by_arm = np.zeros((3, MOST_ARMS))
        self.by_bin = np.zeros((3, len(BINS) - 1))
        self.vectors = self.zeros = self.pairs = self.disagreements = 0
        self.worst_sum = 1.0

    def take(self, frame: pl.DataFrame) -> None:
        """Count one more frame."""
        for name, parts in self.numbers.items():
            parts.append(frame[name].fill_null(np.nan).to_numpy().astype(np.float64))
        self.keys.append(frame["event_id"].drop_nulls().hash().to_numpy())
        self.integers["size"].append(frame["n_actions"].fill_null(0).to_numpy())
        labels = self._labels(frame)
        action = frame["action"].to_numpy()
        arm = [
            row[k] if row is not None else self._label(str(k))
            for row, k in zip(labels, action, strict=True)
        ]
        self.integers["arm"].append(np.array(arm, np.int64))
        self._take_vectors(frame, labels, action)

    def _labels(self, frame: pl.DataFrame) -> list[Integers | None]:
        """Return for each event the arms of its rows, or None if it does not tell how many there are."""
        known: dict[Any, Integers | None] = {}
        rows = []
        for text, size in frame.select("actions", "n_actions").iter_rows():
            key = text if text is not None else size
            if key not in known:
                names = None if text is None else names_of(json.loads(text, strict=False))
                self.is_named = self.is_named and names is not None
                if names is None and size is not None:
                    names = [str(k) for k in range(size)]
                known[key] = None if names is None else np.array([self._label(n) for n in names])
            rows.append(known[key])
        return rows

    def _label(self, name: str) -> int:
        return self.arms.setdefault(name, len(self.arms))

    def _take_vectors(
        self, frame: pl.DataFrame, labels: list[Integers | None], action: Integers
    ) -> None:
        has = frame["propensities"].is_not_null().to_numpy()
        if not has.any():
            return
        some = frame.filter(frame["propensities"].is_not_null())
        p = some["propensities"].explode().to_numpy()
        sizes = some["n_actions"].to_numpy()
        starts = np.cumsum(sizes) - sizes
        chosen = np.zeros(len(p))
        chosen[starts + action[has]] = 1.0
        sums = np.add.reduceat(p, starts)
        farthest = sums[np.abs(sums - 1.0).argmax()]
        if abs(farthest - 1.0) > abs(self.worst_sum - 1.0):
            self.worst_sum = float(farthest)
        told = p[starts + action[has]]
        logged = some["propensity"].to_numpy()
        self.disagreements += int((np.abs(told - logged) > 1e-6 * logged).sum())
        self.vectors += len(some)
        self.pairs += len(p)
        self.zeros += int((p == 0.0).sum())
        terms = np.stack([chosen, p, p * (1.0 - p)])
        bins = np.clip(np.searchsorted(BINS, p, side="left") - 1, 0, len(BINS) - 2)
        _add(self.by_bin, bins, terms)
        if len(self.arms) <= MOST_ARMS:
            flat = np.concatenate(
                [
                    row
                    for row, is_told in zip(labels, has, strict=True)
                    if is_told and row is not None
                ]
            )
            _add(self.by_arm, flat, terms)

    def evidence(self) -> Evidence:
        def whole(parts: list[Any], dtype: Any) -> Any:
            return np.concatenate(parts) if parts else np.zeros(0, dtype)

        many = len(self.arms) > MOST_ARMS
        return Evidence(
            arm=whole(self.integers["arm"], np.int64),
            arms=list(self.arms),
            is_named=self.is_named and bool(self.arms),
            size=whole(self.integers["size"], np.int64),
            **{name: whole(parts, np.float64) for name, parts in self.numbers.items()},
            keys=whole(self.keys, np.uint64),
            vectors=self.vectors,
            by_arm=Tally(*self.by_arm[:, : 0 if many else len(self.arms)]),
            by_bin=Tally(*self.by_bin),
            zeros=self.zeros,
            pairs=self.pairs,
            worst_sum=self.worst_sum,
            disagreements=self.disagreements,
        )


def _add(tally: NDArray[np.float64], groups: Integers, terms: Numbers) -> None:
    for row, term in zip(tally, terms, strict=True):
        row += np.bincount(groups, term, len(row))
