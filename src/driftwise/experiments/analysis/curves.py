"""Regret round by round and horizon by horizon: means, intervals and how fast they grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .bootstrap import Estimate, estimate, resample
from .standings import regret_at

__all__ = ["Curve", "Growth", "curves_of", "fit_slope", "growth_of"]

Vector = NDArray[np.float64]


class Curve(NamedTuple):
    """Mean cumulative regret of one policy over the rounds, with its 95% interval."""

    policy: str
    rounds: NDArray[np.int64]
    mean: Vector
    low: Vector
    high: Vector


class Growth(NamedTuple):
    """Mean final regret of one policy at each horizon, and the power of T that it grows by."""

    policy: str
    horizons: tuple[int, ...]
    means: tuple[Estimate, ...]
    slope: Estimate | None  # None: fewer than two horizons

    @property
    def is_positive(self) -> bool:
        """Whether there is regret at every horizon, so that it has a logarithm."""
        return all(mean.value > 0.0 for mean in self.means)

    def theory_line(self, exponent: float) -> list[float]:
        """Return theory's power of the horizon, drawn through the first mean.

        Examples
        --------
        >>> Growth("SW-UCB", (100, 400), (Estimate(3.0), Estimate(7.0)), None).theory_line(0.5)
        [3.0, 6.0]
        """
        first = self.horizons[0]
        return [self.means[0].value * (each / first) ** exponent for each in self.horizons]


def curves_of(numbers: pl.DataFrame, world: str, horizon: int, *, seed: int = 0) -> list[Curve]:
    """Return one curve per policy, in the order of the rows.

    As everywhere, only replications count that all policies have finished.
    """
    rows = numbers.filter(pl.col("world") == world, pl.col("horizon") == horizon)
    finished = rows.group_by("replication").agg(pl.col("policy").n_unique().alias("n"))
    shared = finished.filter(pl.col("n") == rows["policy"].n_unique())
    rows = rows.join(shared, on="replication", how="semi", maintain_order="left")
    curves = []
    for policy in rows["policy"].unique(maintain_order=True):
        own = rows.filter(pl.col("policy") == policy).sort("replication", "round")
        rounds = own["round"].unique().sort().to_numpy()
        table = own["regret"].to_numpy().reshape(-1, len(rounds))
        means = resample(table.T, seed, f"{world}/T={horizon}")
        spans = (
            np.percentile(means[:, 1:], [2.5, 97.5], axis=1)
            if len(table) > 1
            else np.stack([means[:, 0], means[:, 0]])
        )
        curves.append(Curve(policy, rounds, means[:, 0], spans[0], spans[1]))
    return curves


def growth_of(
    numbers: pl.DataFrame, world: str, policies: Sequence[str], *, seed: int = 0
) -> list[Growth]:
    """Return how the final regret of each policy grows with the horizon.

    Horizons are resampled apart from each other, since their replications are independent;
    policies are resampled together.
    """
    rows = numbers.filter(pl.col("world") == world)
    horizons = tuple(rows["horizon"].unique().sort().to_list())
    found = [regret_at(rows, world, horizon) for horizon in horizons]
    found = [{name: each[name] for name in policies if name in each} for each in found]
    names = [name for name in policies if all(name in each for each in found)]
    means = np.stack(
        [
            resample(np.array([each[name] for name in names]), seed, f"{world}/T={horizon}")
            for each, horizon in zip(found, horizons, strict=True)
        ],
        axis=1,
    )
    is_known = [len(next(iter(each.values()))) > 1 for each in found]
    return [
        Growth(
            policy=name,
            horizons=horizons,
            means=tuple(map(estimate, means[i], is_known)),
            slope=estimate(fit_slope(horizons, means[i]), all(is_known))
            if len(horizons) > 1 and bool((means[i] > 0.0).all())
            else None,
        )
        for i, name in enumerate(names)
    ]


def fit_slope(horizons: Sequence[int], means: Vector) -> Vector:
    """Return the least-squares slope of log regret on log horizon, for each column of ``means``.

    Examples
    --------
    >>> fit_slope([10, 100, 1000], np.array([[1.0], [10.0], [100.0]])).round(12)
    array([1.])
    """
    x = np.log(horizons)
    x = x - x.mean()
    slopes: Vector = (x[:, None] * np.log(means)).sum(axis=0) / (x * x).sum()
    return slopes
