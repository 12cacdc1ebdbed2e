"""From pseudo-outcomes to a value with its interval, its course over time, and what is wrong with it."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .outcomes import LIMITS, Terms, bounded_below, outcomes, terms_of
from .preparing import Prepared
from .results import Course, Difference, Evaluated
from .sequences import asymptotic_halfwidths, lower_limits

__all__ = ["course_of", "difference", "evaluated", "halfwidth", "one_hot", "quantile"]

Numbers = NDArray[np.float64]

_LEAST_EVENTS = 30  # scored, for an interval by the normal law
_LEAST_EFFECTIVE, _LEAST_SHARE = 50, 0.05  # below which an interval comes out too short
_EFFECTIVE_FOR_ASYMPTOTICS = 300
_LEAST_OUTCOME = 2.0  # the k of `bounded_below`
_MOST_POINTS = 400  # of a course
_SURPRISE = 3.5  # standard errors between the mean weight and 1


def one_hot(arms: NDArray[np.int64], n_rows: int) -> Numbers:
    """Return the row probabilities of choices without chance."""
    return np.asarray(arms[:, None] == np.arange(n_rows), np.float64)


def quantile(level: float) -> float:
    """Return the z of a two-sided interval."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0)


def halfwidth(values: Numbers, level: float) -> float:
    """Return z sd / sqrt(m), or nan with too few values to say anything."""
    if len(values) < _LEAST_EVENTS:
        return math.nan
    return quantile(level) * float(np.std(values, ddof=1)) / math.sqrt(len(values))


def evaluated(
    name: str,
    prepared: Prepared,
    probabilities: Numbers | None,  # (n, K); None for the log itself
    estimand: str,
    *,
    estimator: str = "dr",
    limit: float | None = None,
    warnings: tuple[str, ...] = (),
    details: dict[str, Any] | None = None,
) -> Evaluated:
    """Return the value of a target that depends on the past alone."""
    events, at = prepared.events, prepared.scored
    judged = _judged(prepared, probabilities)
    phi = outcomes(judged.terms, estimator, limit)
    weight = judged.terms.weight
    course = _Course(phi, weight, is_ratio=estimator == "snips", level=prepared.level)
    total = course.at(np.array([len(at)]), len(at))
    effective = _effective(weight)
    said = [*judged.warnings, *_doubts(weight, phi, effective, len(at))]
    has_interval = judged.is_supported and len(at) >= _LEAST_EVENTS
    if estimator in LIMITS:
        has_interval = False
        said.insert(0, _why_no_interval(estimator))
    value, low, high = (float(each[0]) for each in total)
    if not has_interval:
        low = high = math.nan
    return Evaluated(
        name,
        value,
        low,
        high,
        estimand,
        (*said, *warnings),
        len(at),
        effective,
        _over_time(prepared, course, has_interval=has_interval),
        _sequence(prepared, judged, phi, estimator) if has_interval else None,
        phi if estimator != "snips" else None,
        {"estimator": estimator, "events_in_all": len(events), **(details or {})},
    )


def difference(prepared: Prepared, first: Evaluated, second: Evaluated) -> Difference:
    """Return how much more the first brings, paired event by event."""
    if first.outcomes is None or second.outcomes is None:
        raise ValueError("policies must be scored event by event to be compared, got a ratio")
    gap = first.outcomes - second.outcomes
    half = halfwidth(gap, prepared.level)
    if math.isnan(first.low) or math.isnan(second.low):
        half = math.nan
    value = float(gap.mean())
    shown = course_of(prepared, gap, has_interval=not math.isnan(half))
    thin = any(is_thin(each.effective, each.events) for each in (first, second))
    return Difference(first.name, second.name, value, value - half, value + half, shown, thin)


def is_thin(effective: float, n: int) -> bool:
    """Return whether an estimate rests on so few events that its interval comes out too short."""
    return effective < max(_LEAST_EFFECTIVE, _LEAST_SHARE * n)


def course_of(prepared: Prepared, values: Numbers, *, has_interval: bool = True) -> Course:
    """Return means of the last events, of numbers that the scored events have."""
    course = _Course(values, np.ones(len(values)), is_ratio=False, level=prepared.level)
    return _over_time(prepared, course, has_interval=has_interval)


class _Judged(NamedTuple):
    terms: Terms
    probabilities: Numbers | None  # of the scored events
    is_supported: bool
    warnings: list[str]


def _judged(prepared: Prepared, probabilities: Numbers | None) -> _Judged:
    """Return the terms, and whether the log could have played what the target plays."""
    events, at = prepared.events, prepared.scored
    reward, arrival = events.reward[at], prepared.scoring.arrival[at]
    if probabilities is None:
        zeros = np.zeros(len(at))
        return _Judged(Terms(arrival, np.nan_to_num(reward), zeros, zeros), None, True, [])
    mine, chosen, p = probabilities[at], events.chosen[at], events.propensity[at]
    vectors = events.propensities[at]
    terms = terms_of(mine, chosen, p, reward, arrival, prepared.model[at])
    of_chosen = mine[np.arange(len(at)), chosen]
    lost = np.zeros(len(at))  # of the target's probability: on rows that the log never plays
    if vectors.shape[1]:
        lost = (mine * (vectors == 0.0)).sum(axis=1)
    lost = np.where((p == 1.0) & (lost == 0.0), 1.0 - of_chosen, lost)
    lost = np.where(np.isnan(p), 1.0, lost)
    said = []
    if np.isnan(p).any():
        said.append(
            f"{int(np.isnan(p).sum()):,} of {len(at):,} events have no propensity: there the value is "
            "the word of the reward model, and no interval is given."
        )
    elif lost.any():
        said.append(
            f"No overlap: {lost.mean():.1%} of the choices are such as the log could never have made "
            "(propensity 0). There the value is the word of the reward model, and no interval is given."
        )
    return _Judged(terms, mine, not lost.any(), said)


def _doubts(weight: Numbers, phi: Numbers, effective: float, n: int) -> list[str]:
    said = []
    if n < _LEAST_EVENTS:
        said.append(
            f"Too few events to say anything: {n} can be scored, {_LEAST_EVENTS} are needed."
        )
    elif is_thin(effective, n):
        said.append(
            f"The estimate rests on {effective:,.0f} of {n:,} events: the interval comes out too short."
        )
    spread = float(weight.std()) / math.sqrt(n)
    if n >= _LEAST_EVENTS and spread > 0.0 and abs(weight.mean() - 1.0) > _SURPRISE * spread:
        said.append(
            f"Weights average {weight.mean():.3f} instead of 1: propensities are wrong, or the log does "
            "not hold all of its events. Look at log.soundness()."
        )
    size = np.abs(phi - phi.mean())
    if n >= _LEAST_EVENTS and size.sum() > 0.0 and size.max() > 0.1 * size.sum():
        said.append(f"One event alone makes up {size.max() / size.sum():.0%} of all deviations.")
    return said


def _why_no_interval(estimator: str) -> str:
    return (
        f"{estimator} cuts large weights: there the reward model decides, and under drift it lags. Its "
        "intervals were measured to hold in a fifth of cases, so none is given; use dr."
    )


def _effective(weight: Numbers) -> float:
    square = float((weight * weight).sum())
    return float(weight.sum()) ** 2 / square if square > 0.0 else 0.0


class _Course:
    """Means, or ratios, of any stretch of events, by sums that are taken once."""

    def __init__(self, phi: Numbers, weight: Numbers, *, is_ratio: bool, level: float) -> None:
        self._z, self._is_ratio = quantile(level), is_ratio
        if is_ratio:
            parts = [weight, phi, weight * weight, weight * phi, phi * phi]
            self._shift = 0.0
        else:
            self._shift = float(phi.mean())  # or squares of large numbers would swallow the spread
            parts = [phi - self._shift, (phi - self._shift) ** 2]
        self._sums = [np.concatenate([[0.0], np.cumsum(part)]) for part in parts]

    def at(self, ends: NDArray[np.int64], width: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return value and limits of the last ``width`` events before each end."""
        sums = [each[ends] - each[ends - width] for each in self._sums]
        with np.errstate(invalid="ignore", divide="ignore"):
            if self._is_ratio:
                w, wr, ww, wwr, wwrr = sums
                value = wr / w
                variance = (wwrr - 2.0 * value * wwr + value * value * ww) / (w * w)
            else:
                mean = sums[0] / width
                value = mean + self._shift
                variance = (sums[1] / width - mean * mean) / max(width - 1, 1)
        half = self._z * np.sqrt(np.maximum(variance, 0.0))
        return value, value - half, value + half


def _over_time(prepared: Prepared, course: _Course, *, has_interval: bool) -> Course:
    m = len(prepared.scored)
    width = min(prepared.window, m)
    ends = np.unique(np.linspace(width, m, min(_MOST_POINTS, m - width + 1)).astype(np.int64))
    value, low, high = course.at(ends, width)
    if not has_interval:
        low = high = np.full(len(ends), math.nan)
    kind = f"mean of the last {width:,} events, {prepared.level:.0%} interval for one look"
    return Course(kind, prepared.scored[ends - 1] + 1, value, low, high)


def _sequence(prepared: Prepared, judged: _Judged, phi: Numbers, estimator: str) -> Course | None:
    """Return limits on the mean so far that are right at all times at once, where there are any."""
    if estimator == "snips" or prepared.scoring.is_corrected:
        return None  # no mean of outcomes; chances of arrival that are estimated
    m, alpha = len(phi), 1.0 - prepared.level
    points = np.unique(np.linspace(1, m, min(_MOST_POINTS, m)).astype(np.int64)) - 1
    count = np.arange(1.0, m + 1.0)
    value = np.cumsum(phi) / count
    if prepared.bounds is not None:
        low, high = _bernstein(prepared, judged, alpha)
        kind = "mean so far, empirical Bernstein limits for all times at once"
    else:
        centred = phi - phi.mean()
        mean = np.cumsum(centred) / count
        spread = np.sqrt(np.maximum(np.cumsum(centred**2) / count - mean**2, 0.0))
        half = asymptotic_halfwidths(spread, count, alpha)
        w = judged.terms.weight
        with np.errstate(invalid="ignore", divide="ignore"):
            effective = np.cumsum(w) ** 2 / np.cumsum(w * w)
        half[~(effective >= _EFFECTIVE_FOR_ASYMPTOTICS)] = math.nan
        low, high = value - half, value + half
        kind = (
            "mean so far, asymptotic limits for all times at once, from an effective sample of 300"
        )
    at = prepared.scored[points] + 1
    return Course(kind, at, value[points], low[points], high[points])


def _bernstein(prepared: Prepared, judged: _Judged, alpha: float) -> tuple[Numbers, Numbers]:
    assert prepared.bounds is not None
    least, most = prepared.bounds
    width = most - least
    events, at = prepared.events, prepared.scored
    reward = (events.reward[at] - least) / width
    chosen, weight = events.chosen[at], judged.terms.weight
    k = _LEAST_OUTCOME if judged.probabilities is not None and prepared.has_vectors else 0.0
    limits = []
    for side in (reward, 1.0 - reward):
        if k > 0.0:
            assert judged.probabilities is not None
            model = (prepared.model[at] - least) / width
            model = model if side is reward else 1.0 - model
            phi = bounded_below(
                judged.probabilities, events.propensities[at], chosen, weight, side, model, k
            )
        else:
            phi = weight * side
        limits.append(np.clip(lower_limits(phi, k, alpha / 2.0), 0.0, 1.0))
    return least + width * limits[0], most - width * limits[1]
