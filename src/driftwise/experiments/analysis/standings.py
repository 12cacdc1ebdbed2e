"""Who did how well in one world at one horizon, and how much of it may be chance.

Intervals hold 95% and come from a bootstrap over replications. Policies are resampled together,
since in each replication they met the same noise: that is what makes small differences visible.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...core.base.errors import RuleValueError
from .bootstrap import Estimate, estimate, resample

__all__ = ["Standing", "Standings", "regret_at", "stand"]

Matrix = NDArray[np.float64]


class Standing(NamedTuple):
    """What is known of one policy."""

    policy: str
    regret: Estimate  # mean over replications
    difference: Estimate  # its mean regret less that of the best policy
    rank: Estimate  # mean place among the policies of a replication, 1 for the best
    chance_best: Estimate  # share of replications in which it was best; ties are shared
    ratios: dict[str, Estimate]  # its mean regret over that of each comparator


class Standings(NamedTuple):
    """All policies in one world at one horizon, the best first."""

    world: str
    horizon: int
    round: int  # of the regret; the horizon unless asked otherwise
    replications: int
    standings: tuple[Standing, ...]
    best_of: dict[str, str]  # for each comparator, which of its policies was best in hindsight

    @property
    def key(self) -> tuple[str, int]:
        """The world and the horizon."""
        return self.world, self.horizon

    def of(self, policy: str) -> Standing:
        """Return the standing of one policy."""
        return next(each for each in self.standings if each.policy == policy)


def stand(
    numbers: pl.DataFrame,
    world: str,
    horizon: int,
    *,
    seed: int = 0,
    comparators: Mapping[str, Sequence[str]] | None = None,
    held_out: Collection[str] = (),
    round_: int | None = None,
) -> Standings:
    """Compare all policies of one world and one horizon; there must be a replication of each.

    Parameters
    ----------
    numbers
        The rows of a run, as in its Parquet file.
    world, horizon
        Which of them.
    seed
        Decides the resamples, so that the same numbers always get the same intervals.
    comparators
        Labels of policies that stand behind one yardstick: the best of them in hindsight. They
        do not compete.
    held_out
        Which of them are picked on every other replication and scored on the rest, and the other
        way round: being picked as the best of many then flatters nobody.
    round_
        The round at which to compare; the last by default.
    """
    regrets = regret_at(numbers, world, horizon, round_)
    comparators = {
        label: present
        for label, labels in (comparators or {}).items()
        if (present := [each for each in labels if each in regrets])
    }
    behind = [label for labels in comparators.values() for label in labels]
    names = [name for name in regrets if name not in behind]
    members = {
        label: np.array([regrets[each] for each in labels]) for label, labels in comparators.items()
    }
    yardsticks = [
        _picked_elsewhere(each) if label in held_out else each[each.mean(axis=1).argmin()]
        for label, each in members.items()
    ]
    table = np.array([*(regrets[name] for name in names), *yardsticks])
    places = _places(table[: len(names)])
    # Regrets, ranks and wins together: all of them from the same replications.
    drawn = resample(np.concatenate([table, *places]), seed, f"{world}/T={horizon}")
    means, ranks, wins = np.split(drawn, [len(table), len(table) + len(names)])
    field, measures = np.split(means, [len(names)])
    best = int(field[:, 0].argmin())
    has_interval = table.shape[1] > 1
    rows = [
        Standing(
            policy=name,
            regret=estimate(field[i], has_interval),
            difference=estimate(field[i] - field[best], has_interval),
            rank=estimate(ranks[i], has_interval),
            chance_best=estimate(wins[i], has_interval),
            ratios={
                label: _ratio(field[i], each, has_interval)
                for label, each in zip(members, measures, strict=True)
            },
        )
        for i, name in enumerate(names)
    ]
    return Standings(
        world=world,
        horizon=horizon,
        round=horizon if round_ is None else round_,
        replications=table.shape[1],
        standings=tuple(sorted(rows, key=lambda row: row.regret.value)),
        best_of={
            label: comparators[label][int(each.mean(axis=1).argmin())]
            for label, each in members.items()
        },
    )


def _ratio(means: Matrix, yardstick: Matrix, has_interval: bool) -> Estimate:
    """Return the ratio to a yardstick that was picked by its mean; nan where that has no regret.

    The interval takes the pick as given. Whoever was picked as the best of several looks a little
    better than it is, so ratios err against the policy, the more so the fewer the replications;
    not so if it was picked on other replications.
    """
    if yardstick.min() <= 0.0:
        return Estimate(math.nan)
    return estimate(means / yardstick, has_interval)


def _picked_elsewhere(members: Matrix) -> Matrix:
    """Return the regrets of the best of some, picked by each half of the replications for the other.

    One replication has no other: it is then picked by itself.
    """
    scored: Matrix = members[members.mean(axis=1).argmin()].copy()
    for first in range(min(2, members.shape[1])):
        halves = members[:, first::2], members[:, 1 - first :: 2]
        scored[1 - first :: 2] = halves[1][halves[0].mean(axis=1).argmin()]
    return scored


def regret_at(
    numbers: pl.DataFrame, world: str, horizon: int, round_: int | None = None
) -> dict[str, Matrix]:
    """Return the regret of each policy in the replications that all of them have finished.

    Between two checkpoints the regret is taken to grow evenly.
    """
    rows = numbers.filter(pl.col("world") == world, pl.col("horizon") == horizon)
    at = horizon if round_ is None else round_
    if not 1 <= at <= horizon:
        raise RuleValueError("round", f"be in 1 to {horizon}", at)
    mark, lost = pl.col("round"), pl.col("regret")
    runs = rows.group_by("policy", "replication", maintain_order=True).agg(
        mark.filter(mark <= at).last().fill_null(0).alias("mark"),
        lost.filter(mark <= at).last().fill_null(0.0).alias("lost"),
        mark.filter(mark >= at).first().alias("next mark"),
        lost.filter(mark >= at).first().alias("next lost"),
    )
    found: dict[str, dict[int, float]] = {}
    for policy, replication, before, value, after, next_value in runs.iter_rows():
        if after > before:
            value += (next_value - value) / (after - before) * (at - before)
        found.setdefault(policy, {})[replication] = value
    shared = sorted(set.intersection(*(set(each) for each in found.values()))) if found else []
    if not shared:
        raise ValueError(f"no replication of {world} at T={horizon} was finished by all policies")
    return {policy: np.array([runs[r] for r in shared]) for policy, runs in found.items()}


def _places(regrets: Matrix) -> tuple[Matrix, Matrix]:
    """Return everyone's place in each replication, equals sharing theirs, and share of the win."""
    below = (regrets[:, None, :] > regrets[None, :, :]).sum(axis=1)
    equal = (regrets[:, None, :] == regrets[None, :, :]).sum(axis=1)
    return below + (equal + 1) / 2.0, np.where(below == 0, 1.0 / equal, 0.0)
