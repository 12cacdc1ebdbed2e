"""Two policies, horizon by horizon: the ratio of their regrets, which a paper's claims are about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from .bootstrap import Estimate, estimate, resample
from .standings import regret_at

__all__ = ["Duel", "duel"]


class Duel(NamedTuple):
    """The first policy's regret over the second's."""

    first: str
    second: str
    horizons: tuple[int, ...]
    replications: tuple[int, ...]  # how many were finished, for each horizon
    ratios: tuple[Estimate, ...]  # at each horizon
    overall: Estimate  # geometric mean over horizons

    @property
    def has_intervals(self) -> bool:
        """Whether every horizon has the two replications that an interval needs."""
        return min(self.replications) > 1


def duel(numbers: pl.DataFrame, world: str, first: str, second: str, *, seed: int = 0) -> Duel:
    """Compare two policies in one world at every horizon that has results."""
    rows = numbers.filter(pl.col("world") == world, pl.col("policy").is_in([first, second]))
    horizons = tuple(rows["horizon"].unique().sort().to_list())
    regrets = [regret_at(rows, world, horizon) for horizon in horizons]
    means = [
        resample(np.array([each[first], each[second]]), seed, f"{world}/T={horizon}")
        for each, horizon in zip(regrets, horizons, strict=True)
    ]
    ratios = np.array([each[0] / each[1] for each in means])
    replications = tuple(len(each[first]) for each in regrets)
    is_known = [n > 1 for n in replications]
    return Duel(
        first=first,
        second=second,
        horizons=horizons,
        replications=replications,
        ratios=tuple(map(estimate, ratios, is_known)),
        overall=estimate(np.exp(np.log(ratios).mean(axis=0)), all(is_known)),
    )
