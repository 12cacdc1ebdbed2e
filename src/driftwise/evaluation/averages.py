"""Means over stretches of events, with intervals for one look: the mean of all, and of a window that moves."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from .preparing import Prepared
from .results import Course

__all__ = [
    "LEAST_EVENTS",
    "MOST_POINTS",
    "Averages",
    "course_of",
    "halfwidth",
    "over_time",
    "quantile",
]

Numbers = NDArray[np.float64]

LEAST_EVENTS = 30  # for an interval by the normal law
MOST_POINTS = 400  # of a course
_DUST = 1e-11  # of the mean square of all values: what differences of long sums leave of nothing


def quantile(level: float) -> float:
    """Return the z of a two-sided interval."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0)


def halfwidth(values: Numbers, level: float, least: Numbers | float = 0.0) -> float:
    """Return z sd / sqrt(m), or nan with too few values to say anything.

    Parameters
    ----------
    values, level
        Of which the mean is taken, and of the interval.
    least
        The variance that values have at least, for reasons of their own; see `scoring.least_variance`.
    """
    if len(values) < LEAST_EVENTS:
        return math.nan
    variance = max(float(np.var(values, ddof=1)), float(np.mean(least)))
    return quantile(level) * math.sqrt(variance / len(values))


class Averages:
    """Means, or ratios, of any stretch of events, by sums that are taken once."""

    def __init__(
        self, phi: Numbers, weight: Numbers, least: Numbers, *, is_ratio: bool, level: float
    ) -> None:
        self._z, self._is_ratio = quantile(level), is_ratio
        if is_ratio:
            parts = [weight, phi, weight * weight, weight * phi, phi * phi]
            self._shift = 0.0
        else:
            self._shift = float(phi.mean())  # or squares of large numbers would swallow the spread
            self._dust = _DUST * float(np.mean(phi * phi))
            parts = [phi - self._shift, (phi - self._shift) ** 2]
        self._sums = [np.concatenate([[0.0], np.cumsum(part)]) for part in (*parts, least)]

    def at(self, ends: NDArray[np.int64], width: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return value and limits of the last ``width`` events before each end."""
        *sums, least = (each[ends] - each[ends - width] for each in self._sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self._is_ratio:
                w, wr, ww, wwr, wwrr = sums
                value = wr / w
                variance = (wwrr - 2.0 * value * wwr + value * value * ww) / (w * w)
            else:
                mean = sums[0] / width
                value, square = mean + self._shift, sums[1] / width - mean * mean
                value = np.where(value * value <= self._dust * _DUST, 0.0, value)
                variance = np.where(square <= self._dust, 0.0, square) / max(width - 1, 1)
        half = self._z * np.sqrt(np.maximum(variance, least / (width * width)))
        return value, value - half, value + half


def course_of(
    prepared: Prepared, values: Numbers, least: Numbers | None = None, *, has_interval: bool = True
) -> Course:
    """Return means of the last events, of numbers that the scored events have."""
    if least is None:
        least = np.zeros(len(values))
    averages = Averages(values, np.ones(len(values)), least, is_ratio=False, level=prepared.level)
    return over_time(prepared, averages, has_interval=has_interval)


def over_time(prepared: Prepared, averages: Averages, *, has_interval: bool) -> Course:
    """Return averages of a window that moves along the scored events."""
    m = len(prepared.scored)
    width = min(prepared.window, m)
    ends = np.unique(np.linspace(width, m, min(MOST_POINTS, m - width + 1)).astype(np.int64))
    value, low, high = averages.at(ends, width)
    if not has_interval:
        low = high = np.full(len(ends), math.nan)
    kind = f"mean of the last {width:,} events, {prepared.level:.0%} interval for one look"
    return Course(kind, prepared.scored[ends - 1] + 1, value, low, high)
