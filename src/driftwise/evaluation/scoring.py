"""From pseudo-outcomes to a value with its interval, its course over time, and what is wrong with it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .averages import LEAST_EVENTS, MOST_POINTS, Averages, course_of, halfwidth, over_time
from .outcomes import LIMITS, Terms, bounded_below, outcomes, terms_of
from .preparing import Prepared
from .results import Course, Difference, Evaluated
from .sequences import asymptotic_halfwidths, lower_limits

__all__ = ["difference", "evaluated", "least_variance", "one_hot", "too_few"]

Numbers = NDArray[np.float64]

_FEW_EFFECTIVE, _FEW_SHARE = 50, 0.05  # below which an interval is a rough one
_LEAST_EFFECTIVE = 10  # below which there is none, if propensities do not tell how wide it must be
_EFFECTIVE_FOR_ASYMPTOTICS = 300
_LEAST_OUTCOME = 2.0  # the k of `bounded_below`
_SURPRISE = 3.5  # standard errors between the mean weight and 1


def one_hot(arms: NDArray[np.int64], n_rows: int) -> Numbers:
    """Return the row probabilities of choices without chance."""
    return np.asarray(arms[:, None] == np.arange(n_rows), np.float64)


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
    is_ratio = estimator == "snips"
    least = _least_of(prepared, judged, estimator)
    averages = Averages(phi, weight, least, is_ratio=is_ratio, level=prepared.level)
    total = averages.at(np.array([len(at)]), len(at))
    effective = _effective(weight)
    said = [*judged.warnings, *_doubts(weight, phi, effective, is_supported=judged.is_supported)]
    is_wide_enough = effective >= _LEAST_EFFECTIVE or bool(least.any())
    has_interval = judged.is_supported and len(at) >= LEAST_EVENTS and is_wide_enough
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
        over_time(prepared, averages, has_interval=has_interval),
        _sequence(prepared, judged, phi, estimator) if has_interval else None,
        None if is_ratio else phi,
        judged.probabilities,
        {"estimator": estimator, "events_in_all": len(events), **(details or {})},
    )


def difference(prepared: Prepared, first: Evaluated, second: Evaluated) -> Difference:
    """Return how much more the first brings, paired event by event."""
    if first.outcomes is None or second.outcomes is None:
        raise ValueError("policies must be scored event by event to be compared, got a ratio")
    gap = first.outcomes - second.outcomes
    least = least_variance(prepared, _chances(prepared, first) - _chances(prepared, second))
    half = halfwidth(gap, prepared.level, least)
    if math.isnan(first.low) or math.isnan(second.low):
        half = math.nan
    value = float(gap.mean())
    shown = course_of(prepared, gap, least, has_interval=not math.isnan(half))
    thin = any(is_thin(each.effective, each.events) for each in (first, second))
    return Difference(first.name, second.name, value, value - half, value + half, shown, thin)


def _chances(prepared: Prepared, one: Evaluated) -> Numbers:
    """Return the row probabilities of a target; for the log itself these are its propensities."""
    if one.probabilities is not None:
        return one.probabilities
    events = prepared.events
    return events.propensities[prepared.scored] if prepared.has_vectors else np.zeros((1, 1))


def least_variance(
    prepared: Prepared,
    chances: Numbers,  # (m, K), of the scored events: of a target, or the difference of two
    square: float | None = None,  # the mean square of what is weighted; that of DR if left out
) -> Numbers:
    """Return the variance that outcomes have at least, given the past: sum of pi(k)^2 / p(k) times s^2.

    The spread of the outcomes that there are is too small where the target seldom meets the log: a
    weight of 200 is drawn once in 200 events, and until then nothing shows how large it will be.
    Propensities know it beforehand. Zeros where they are not known.
    """
    at = prepared.scored
    if not prepared.has_vectors:
        return np.zeros(len(at))
    p = prepared.events.propensities[at]
    ratio = np.divide(chances * chances, p, out=np.zeros_like(p), where=p > 0.0).sum(axis=1)
    return np.asarray(ratio * (prepared.residual_square if square is None else square))


def is_thin(effective: float, n: int) -> bool:
    """Return whether an estimate rests on so few events that its interval is a rough one."""
    return effective < max(_FEW_EFFECTIVE, _FEW_SHARE * n)


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
    unseen = np.zeros(
        len(at)
    )  # the same where propensities of others are not told: by what was seen
    if not prepared.has_vectors:
        is_never = np.bincount(events.chosen, minlength=mine.shape[1]) == 0
        unseen = mine[:, is_never].sum(axis=1)
    said = [*events.errors]
    word = "There the value is the word of the reward model, and no interval is given."
    if np.isnan(p).any():
        said.append(f"{int(np.isnan(p).sum()):,} of {len(at):,} events have no propensity. {word}")
    elif lost.any():
        said.append(
            f"No overlap: {lost.mean():.1%} of the choices are such as the log could never have made "
            f"(propensity 0). {word}"
        )
    elif unseen.any():
        said.append(
            f"No overlap: {unseen.mean():.1%} of the choices are such as the log never made, and it does not "
            f"tell their propensities. {word}"
        )
    return _Judged(terms, mine, not (lost.any() or unseen.any()), said)


def _least_of(prepared: Prepared, judged: _Judged, estimator: str) -> Numbers:
    """Return the least variance of the outcomes of an estimator."""
    if judged.probabilities is None:
        return np.zeros(len(prepared.scored))
    reward, seen = judged.terms.reward, prepared.scoring.arrival[prepared.scored] > 0.0
    square = {
        "ips": float(np.mean(reward[seen] ** 2)) if seen.any() else 0.0,
        "snips": float(np.var(reward[seen])) if seen.any() else 0.0,
    }.get(estimator)
    return least_variance(prepared, judged.probabilities, square)


def _doubts(weight: Numbers, phi: Numbers, effective: float, *, is_supported: bool) -> list[str]:
    n = len(phi)
    if n < LEAST_EVENTS:
        return too_few(n)
    if not is_supported:
        return []
    said = []
    spread = float(weight.std()) / math.sqrt(n)
    if spread > 0.0 and abs(weight.mean() - 1.0) > _SURPRISE * spread:
        said.append(
            f"Weights average {weight.mean():.3f} instead of 1: propensities are wrong, or the log does "
            "not hold all of its events, and the interval does not know of that. Look at log.soundness()."
        )
    if is_thin(effective, n):
        said.append(
            f"The estimate rests on {effective:,.0f} of {n:,} events: an interval is a rough one."
        )
    size = np.abs(phi - phi.mean())
    if size.sum() > 0.0 and size.max() > 0.1 * size.sum():
        said.append(f"One event alone makes up {size.max() / size.sum():.0%} of all deviations.")
    return said


def too_few(n: int) -> list[str]:
    """Return a warning if there are too few events to say anything."""
    said = f"Too few events to say anything: {n} can be scored, {LEAST_EVENTS} are needed."
    return [said] if n < LEAST_EVENTS else []


def _why_no_interval(estimator: str) -> str:
    return (
        f"{estimator} cuts large weights: there the reward model decides, and under drift it lags. Its "
        "intervals were measured to hold in a fifth of cases, so none is given; use dr."
    )


def _effective(weight: Numbers) -> float:
    square = float((weight * weight).sum())
    return float(weight.sum()) ** 2 / square if square > 0.0 else 0.0


def _sequence(prepared: Prepared, judged: _Judged, phi: Numbers, estimator: str) -> Course | None:
    """Return limits on the mean so far that are right at all times at once, where there are any."""
    if estimator == "snips" or prepared.scoring.is_corrected:
        return None  # no mean of outcomes; chances of arrival that are estimated
    m, alpha = len(phi), 1.0 - prepared.level
    points = np.unique(np.linspace(1, m, min(MOST_POINTS, m)).astype(np.int64)) - 1
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
