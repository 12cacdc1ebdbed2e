"""From regrets to means, ratios and slopes, each with its 95% interval.

Intervals are percentiles of a bootstrap over replications. Horizons are resampled apart from each
other, since their replications are independent; the policies of one figure are resampled
together, since they met the same noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .bootstrap import Estimate, estimate, resample

__all__ = ["Analysis", "analyse", "fit_slope"]


class Analysis(NamedTuple):
    """All that is concluded about one figure; horizons without a result are left out."""

    figure: str
    policies: tuple[str, ...]
    horizons: tuple[int, ...]
    replications: tuple[int, ...]  # how many were finished, for each horizon
    means: dict[str, tuple[Estimate, ...]]  # for each policy, regret at each horizon
    ratios: tuple[Estimate, ...]  # first policy over second, at each horizon
    overall_ratio: Estimate  # geometric mean over horizons
    slopes: dict[str, Estimate | None]  # None: fewer than two horizons

    @property
    def has_intervals(self) -> bool:
        """Whether every horizon has the two replications that an interval needs."""
        return min(self.replications) > 1


def analyse(numbers: pl.DataFrame, figure: str, policies: Sequence[str], seed: int) -> Analysis:
    """Return what the rows of one figure say; there must be some.

    ``seed`` decides the resamples, so that the same numbers always get the same intervals.
    """
    rows = numbers.filter(pl.col("figure") == figure).sort("horizon", "replication")
    horizons = tuple(rows["horizon"].unique().sort().to_list())
    regrets = {
        horizon: np.array(
            [
                rows.filter(pl.col("horizon") == horizon, pl.col("policy") == policy)["regret"]
                for policy in policies
            ]
        )
        for horizon in horizons
    }
    # Column 0 holds the plain means, the others those of the resamples, so that whatever is
    # computed from means is computed for all of them at once.
    means = np.stack([resample(regrets[h], seed, f"{figure}/T={h}") for h in horizons], axis=1)
    replications = tuple(regrets[horizon].shape[1] for horizon in horizons)
    ratios = means[0] / means[1]
    is_known = np.array(replications) > 1
    slopes = {
        policy: estimate(fit_slope(horizons, means[i]), bool(is_known.all()))
        if len(horizons) > 1
        else None
        for i, policy in enumerate(policies)
    }
    return Analysis(
        figure=figure,
        policies=tuple(policies),
        horizons=horizons,
        replications=replications,
        means={
            policy: tuple(map(estimate, means[i], is_known.tolist()))
            for i, policy in enumerate(policies)
        },
        ratios=tuple(map(estimate, ratios, is_known.tolist())),
        overall_ratio=estimate(np.exp(np.log(ratios).mean(axis=0)), bool(is_known.all())),
        slopes=slopes,
    )


def fit_slope(horizons: Sequence[int], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least-squares slope of log regret on log horizon, for each column of ``means``.

    Examples
    --------
    >>> fit_slope([10, 100, 1000], np.array([[1.0], [10.0], [100.0]])).round(12)
    array([1.])
    """
    x = np.log(horizons)
    x = x - x.mean()
    slopes: NDArray[np.float64] = (x[:, None] * np.log(means)).sum(axis=0) / (x * x).sum()
    return slopes
