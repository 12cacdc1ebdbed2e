"""When rewards became known, which events may be scored, and what to do about those still open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_known, require_number

__all__ = ["LATE", "Arrivals", "Scoring", "arrivals_of", "scoring_of"]

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

LATE = ("matured", "corrected")
_LEAST_ARRIVED = 0.1  # a younger decision would weigh more than ten others


class Arrivals(NamedTuple):
    """Before which decision each reward was known; nobody learns from what had not arrived."""

    order: Integers  # (m,), events in the order in which their rewards came
    ends: Integers  # (n,), how many of them were known before each decision
    before: Integers  # (n,), the decision before which the reward was known; n if after the last
    delay: Numbers  # (n,), in units of time; nan where the log does not tell
    age: Numbers  # (n,), of each decision at the end of the log; nan where it does not tell

    @property
    def are_late(self) -> bool:
        """Whether some reward was not known before the very next decision."""
        n = len(self.ends)
        return bool((self.ends != np.minimum(np.arange(n), len(self.order))).any())


def arrivals_of(reward: Numbers, time: Numbers, reward_time: Numbers) -> Arrivals:
    """Return the order of arrivals; a reward without a time of its own was there at once."""
    n = len(reward)
    came = np.isfinite(reward)
    before = np.arange(1, n + 1)
    is_timed = came & np.isfinite(reward_time) & np.isfinite(time)
    if is_timed.any():
        if not np.isfinite(time).all():
            raise ValueError(
                "time must be given in all events if reward_time is, got events without"
            )
        # At the very moment of a decision counts as before it, but never before its own.
        known = np.searchsorted(time, reward_time[is_timed], side="left")
        before[is_timed] = np.maximum(before[is_timed], known)
    before[~came] = n
    arrived = np.flatnonzero(came & (before < n))
    moment = np.where(is_timed, reward_time, -np.inf)[arrived]
    order = arrived[np.lexsort((arrived, moment, before[arrived]))]
    ends = np.searchsorted(before[order], np.arange(n), side="right")
    end = np.nanmax(np.concatenate([time, reward_time, [-np.inf]]))
    delay = np.where(came, reward_time - time, np.nan)
    return Arrivals(order, ends, before, delay, end - time if np.isfinite(end) else time)


class Scoring(NamedTuple):
    """Which events are scored, and how much a reward that came stands for others that did not yet."""

    is_scored: NDArray[np.bool]  # (n,)
    arrival: Numbers  # (n,): 1, or 1 over the chance to have arrived by now, or 0 if not arrived
    is_corrected: bool
    warnings: tuple[str, ...]


def scoring_of(reward: Numbers, arrivals: Arrivals, wait: float | None, late: str) -> Scoring:
    """Return what may be scored; a reward that did not come is never taken for zero.

    Parameters
    ----------
    reward, arrivals
        Of all events.
    wait
        How long a reward is waited for, in units of the log's time. Decisions that are younger at
        the end of the log are open.
    late
        "matured": open decisions are left out. "corrected": those that have a reward stand for
        those that have none, by the chance to have arrived at that age (Kaplan and Meier, 1958).
    """
    require_known("late", late, LATE)
    came = np.isfinite(reward)
    n, missing = len(reward), int((~came).sum())
    if wait is None:
        if late == "corrected":
            raise ValueError("wait must be given with late='corrected', got None")
        said = (
            f"{missing:,} of {n:,} events have no reward and are left out; if rewards are missing "
            "because of what they would have been, the value is wrong. Say how long to wait "
            "for one, and what is merely too young is told from what is missing.",
        )
        return Scoring(came, came.astype(np.float64), False, said if missing else ())
    wait = require_number("wait", wait, at_least=0.0)
    if not np.isfinite(arrivals.age).all():
        raise ValueError(f"wait must be left out, since the log has no times, got {wait:g}")
    is_mature = arrivals.age >= wait
    delay = np.where(np.isfinite(arrivals.delay), arrivals.delay, 0.0)
    in_time = came & (delay <= wait)
    warnings = []
    given_up, too_late = int((is_mature & ~came).sum()), int((came & ~in_time).sum())
    if given_up:
        warnings.append(
            f"{given_up:,} of {int(is_mature.sum()):,} matured events never got a reward and are left "
            "out; if that depends on what it would have been, the value is wrong."
        )
    if too_late:
        warnings.append(f"{too_late:,} rewards came after the wait of {wait:g} and are not scored.")
    if late == "matured":
        open_ = int((~is_mature).sum())
        if open_:
            warnings.append(
                f"{open_:,} events are younger than the wait of {wait:g} and are left out."
            )
        is_scored = is_mature & in_time
        return Scoring(is_scored, is_scored.astype(np.float64), False, tuple(warnings))
    chance = np.where(
        is_mature, 1.0, _chance_arrived(delay[is_mature & in_time], is_mature, arrivals.age)
    )
    is_scored = np.where(is_mature, in_time, chance >= _LEAST_ARRIVED)
    has = in_time & is_scored
    arrival = np.where(has, 1.0 / np.maximum(chance, _LEAST_ARRIVED), 0.0)
    young = int((~is_mature & ~is_scored).sum())
    if young:
        warnings.append(f"{young:,} events are too young even to be corrected and are left out.")
    return Scoring(is_scored, arrival, True, tuple(warnings))


def _chance_arrived(delays: Numbers, is_mature: NDArray[np.bool], age: Numbers) -> Numbers:
    """Return the share of matured events whose reward had come by each age.

    Those events were waited for to the end, so nothing is censored, and Kaplan and Meier's estimate
    is the plain distribution function.
    """
    if not len(delays):
        raise ValueError("wait must leave some matured events to learn delays from, got none")
    return np.searchsorted(np.sort(delays), age, side="right") / int(is_mature.sum())
