"""A mean over replications, and how far chance may have moved it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.randomness.seeds import generator

__all__ = ["RESAMPLES", "Estimate", "estimate", "resample"]

RESAMPLES = 4000
_AT_ONCE = 100  # resamples drawn together: quick, and small in memory at any number of replications


class Estimate(NamedTuple):
    """A number, and the interval around it if there is more than one replication."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def span(self) -> tuple[float, float]:
        """The interval; the number itself where there is none."""
        if self.low is None or self.high is None:
            return self.value, self.value
        return self.low, self.high

    @property
    def has_interval(self) -> bool:
        """Whether chance can be judged at all."""
        return self.low is not None


def resample(regrets: NDArray[np.float64], seed: int, name: str) -> NDArray[np.float64]:
    """Return (policies, 1 + RESAMPLES) means of ``regrets`` (policies, replications).

    The first column is the mean as measured; in each other column all policies are averaged
    over the same replications, drawn with replacement.
    """
    n = regrets.shape[1]
    draws = generator(seed, f"bootstrap/{name}")
    columns = np.ascontiguousarray(regrets.T)
    # Replications come first, so that whole rows of resamples and policies are added at a time: a
    # third of the time that it takes one by one, and in the same order.
    resampled = [
        columns.take(draws.integers(n, size=(_AT_ONCE, n)).T, axis=0).mean(axis=0).T
        for _ in range(RESAMPLES // _AT_ONCE)
    ]
    return np.concatenate([regrets.mean(axis=1, keepdims=True), *resampled], axis=1)


def estimate(values: NDArray[np.float64], has_interval: bool) -> Estimate:
    """Return the measured number (first) with the middle 95% of its resamples (the rest)."""
    if not has_interval:
        return Estimate(float(values[0]))
    low, high = np.percentile(values[1:], [2.5, 97.5])
    return Estimate(float(values[0]), float(low), float(high))
