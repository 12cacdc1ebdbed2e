"""Does forgetting pay on this log? For forecasts, for contrasts between actions, and for decisions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_number
from ..logs.log import Log
from .averages import course_of, halfwidth
from .events import Events
from .forecasts import Forecasts, forecasts, ridge_of
from .gains import Gain, Gains
from .preparing import Prepared, prepare
from .scoring import difference, evaluated, one_hot

__all__ = ["forgetting"]

Numbers = NDArray[np.float64]

_EPOCH = 1e8  # times above are seconds since 1970
_CYCLES = {"a day": 86_400.0, "a week": 604_800.0, "a year": 31_557_600.0}  # in seconds
_TIMES_SEEN = 2.0  # a cycle is looked for if the log lasts so many of them


def forgetting(
    log: Log,
    *,
    encoder: Any = None,
    wait: float | None = None,
    window: int = 500,
    level: float = 0.95,
    cycle: float | None = None,
) -> Gains:
    r"""Return what forgetting is worth on a log, for forecasts, for contrasts and for decisions.

    Ridge regressions on windows of w rewards, and on all of them, forecast each event from the rewards
    that had arrived before it. With :math:`\hat w_t` the window of least loss so far,

    .. math:: G = \frac{1}{n} \sum_t \bigl( \ell_t(\text{all}) - \ell_t(\hat w_t) \bigr).

    The window is picked forward, so nothing is selected by its own result, and differences from the
    conditional gain on this very path are martingale differences: no stationarity is assumed.

    *Forecasts* predict the reward of what was chosen, by squared error; no propensities are needed.
    *Contrasts* predict how much an action differs from the mean of its decision set: with
    :math:`\bar x_t = \sum_k p_t(k) x_{t,k}`, the reward minus what was forecast from :math:`\bar x_t`, by
    :math:`x_{t,a} - \bar x_t`. What all actions have in common drops out, and so does drift that no decision
    needs. *Decisions* are worth, in units of reward, what the greedy choice by the window earns more
    than the greedy choice by all rewards, as in `advice`.

    Parameters
    ----------
    log
        With propensities of all actions; without them only forecasts can be told.
    encoder, wait, level
        As for `value`.
    window
        How many events gains over time average.
    cycle
        How long a natural cycle is, such as a day, in units of the log's time, or in events if it has no
        times: a window that is shorter may only stand for a feature that is missing. Days, weeks and years are
        known where times are timestamps.

    Examples
    --------
    >>> import numpy as np
    >>> import driftwise as dw
    >>> random = np.random.default_rng(0)
    >>> log = dw.Log(
    ...     {"actions": ["a", "b"], "action": int(k), "propensities": [0.5, 0.5],
    ...      "reward": float(random.random() < 0.3 + 0.4 * (k == t // 500 % 2))}
    ...     for t, k in enumerate(random.integers(2, size=3000))
    ... )
    >>> gains = dw.evaluation.forgetting(log)
    >>> gains.forecast.low > 0, gains.contrasts.low > 0, gains.decisions.low > 0
    (True, True, True)
    >>> gains.window
    40
    """
    prepared = prepare(
        log, encoder=encoder, bounds=None, level=level, window=window, wait=wait, late="matured"
    )
    if cycle is not None:
        cycle = require_number("cycle", cycle, above=0.0)
    found = prepared.forecasts
    later = _after(prepared, found.first)
    rewards = prepared.events.reward
    forecast = _gain(
        "forecasts", later, found, rewards,
        "The mean fall of the squared error of forecasts of the reward, one event ahead, by a window "
        "picked on the past, against all of the past.",
    )  # fmt: skip
    contrasts, decisions = _contrasts(prepared, later), _decisions(later, found)
    window_found = forecast.window if math.isnan(contrasts.value) else contrasts.window
    shortest = min(
        (gain.window for gain in (forecast, contrasts) if gain.pays and gain.window), default=None
    )
    return Gains(
        forecast,
        contrasts,
        decisions,
        window_found,
        (*_on_cycles(prepared.events, shortest, cycle), *prepared.warnings),
        len(later.scored),
    )


def _after(prepared: Prepared, first: int) -> Prepared:
    """Return the same log, of which the first events are not scored."""
    is_late = np.arange(len(prepared.events)) >= first
    scoring = prepared.scoring._replace(is_scored=prepared.scoring.is_scored & is_late)
    later = Prepared(prepared.events, scoring, None, prepared.level, prepared.window)
    later.__dict__["forecasts"] = prepared.forecasts  # fitted once
    return later


def _gain(name: str, prepared: Prepared, found: Forecasts, targets: Numbers, estimand: str) -> Gain:
    at = prepared.scored
    with_all, with_best = (
        (targets[at] - forecast[at]) ** 2 for forecast in (found.predictions[:, -1], found.chosen)
    )
    gap = with_all - with_best
    if not len(gap):
        return Gain(name, math.nan, math.nan, math.nan, estimand, ("No event can be scored.",))
    value, half = float(gap.mean()), halfwidth(gap, prepared.level)
    loss = float(with_all.mean())
    best = int(found.best[-1])
    return Gain(
        name,
        value,
        value - half,
        value + half,
        estimand,
        ("Too few events to say anything.",) if math.isnan(half) else (),
        value / loss if loss > 0.0 else 0.0,
        None if best == len(found.windows) - 1 else int(found.windows[best]),
        course_of(prepared, gap),
    )


def _contrasts(prepared: Prepared, later: Prepared) -> Gain:
    estimand = (
        "The mean fall of the squared error of forecasts of how much the reward of an action differs "
        "from that of its decision set, by a window picked on the past, against all of the past."
    )
    events = prepared.events
    if not prepared.has_vectors:
        why = "The log has not got the propensities of all actions, without which contrasts are not known."
        return Gain("contrasts", math.nan, math.nan, math.nan, estimand, (why,))
    chances = np.nan_to_num(events.propensities)
    if len(events.actions) == 1:
        mean = chances @ events.actions[0]
    else:
        mean = (chances[:, None] @ events.actions)[:, 0]
    # Before anything is known a forecast is 0, and of rewards far from 0 the first contrasts would be all level, which
    # the estimate from all of the past would never forget. Their mean until events are scored is known by then.
    known = events.arrivals.order[: max(int(events.arrivals.ends[prepared.forecasts.first]), 1)]
    centred = events.reward - events.reward[known].mean()
    level = forecasts(mean, centred, events.arrivals, ridge_of(mean))
    rows, targets = events.rows_of(events.chosen) - mean, centred - level.chosen
    found = forecasts(rows, targets, events.arrivals, ridge_of(rows))
    return _gain("contrasts", later, found, targets, estimand)


def _decisions(prepared: Prepared, found: Forecasts) -> Gain:
    estimand = (
        "The mean reward of an event with the greedy choice by a window picked on the past, minus that "
        "with the greedy choice by all of the past."
    )
    if np.isnan(prepared.events.propensity).all() or not len(prepared.scored):
        why = "The log has no propensities, without which nothing is known about other choices."
        return Gain("decisions", math.nan, math.nan, math.nan, estimand, (why,))
    with_best, with_all = (
        evaluated(name, prepared, _greedy(prepared.events, parameters), "")
        for name, parameters in (("window", found.parameters), ("all", found.everything))
    )
    gap = difference(prepared, with_best, with_all)
    best = int(found.best[-1])
    return Gain(
        "decisions",
        gap.value,
        gap.low,
        gap.high,
        estimand,
        tuple(dict.fromkeys((*with_best.warnings, *with_all.warnings))),
        window=None if best == len(found.windows) - 1 else int(found.windows[best]),
        over_time=gap.over_time,
    )


def _greedy(events: Events, parameters: Numbers) -> Numbers:
    scores = events.scores(parameters)
    scores[
        np.arange(scores.shape[1]) >= np.broadcast_to(events.sizes, len(scores))[:, None]
    ] = -np.inf
    return one_hot(scores.argmax(axis=1), scores.shape[1])


def _on_cycles(events: Events, window: int | None, cycle: float | None) -> tuple[str, ...]:
    """Return a warning if forgetting pays with a window that is shorter than a cycle."""
    if window is None:
        return ()
    n = len(events)
    if np.isfinite(events.time).all() and n > 1:
        lasts = float(events.time[-1] - events.time[0])
        cycles = _CYCLES if events.time[0] >= _EPOCH else {}
    else:
        lasts, cycles = float(n - 1), {}
    cycles = {"the cycle that was given": cycle} if cycle is not None else cycles
    spans = window * lasts / max(n - 1, 1)
    remedy = (
        "A feature that is missing, such as the hour or the weekday, looks like drift: give it to the "
        "encoder (a field of kind cycle) and look again."
    )
    if not cycles:
        return (
            f"The window found is {window:,} rewards. If that is shorter than a natural cycle, such as a day, "
            f"it may be no drift. {remedy}",
        )
    for name, length in cycles.items():
        if spans < length and lasts >= _TIMES_SEEN * length:
            return (
                f"The window found, {window:,} rewards, lasts {spans / length:.2g} of {name}. {remedy}",
            )
    return ()
