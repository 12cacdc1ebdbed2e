"""Whether the log is without holes, and long enough to tell drift from noise."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .evidence import Evidence
from .finding import Finding

__all__ = ["check_drift", "check_gaps"]

_GAP = 10.0  # times the step that 99 % of steps stay below
_POWER = 1.96 + 0.84  # standard errors at which a change is seen four times in five, at 5 %


def check_gaps(evidence: Evidence) -> Iterator[Finding]:
    """Look for times without events."""
    time = evidence.time[np.isfinite(evidence.time)]
    without = len(evidence.time) - len(time)
    if not len(time):
        says = "Events have no time; the order of the log is taken for it."
        means = "Gaps and delays cannot be seen, and forgetting can be counted in events only."
        yield Finding("time", "note", says, means, "log when a decision was made.", {})
        return
    numbers = {"first": float(time[0]), "last": float(time[-1]), "without_time": without}
    steps = np.diff(time)
    common = float(np.quantile(steps, 0.99)) if len(steps) else 0.0
    places = np.flatnonzero(steps > _GAP * common) if common else np.zeros(0, np.intp)
    numbers |= {"common_step": common, "gaps": len(places)}
    if len(places):
        largest = int(places[np.argmax(steps[places])])
        start, end = float(time[largest]), float(time[largest + 1])
        numbers |= {"largest_gap_from": start, "largest_gap_to": end}
        says = (
            f"{len(places):,} gaps: nothing from {start:.10g} to {end:.10g}, where 99 % of steps are "
            f"below {common:.4g}."
        )
        means = "What changed in a gap looks like a jump, and a window by count spans it unseen."
        advice = (
            "find out whether events were lost; if so, evaluate before and after by themselves."
        )
        yield Finding("time", "warning", says, means, advice, numbers)
    else:
        says = f"Times run from {time[0]:.10g} to {time[-1]:.10g} without a gap."
        yield Finding("time", "fine", says, "", "", numbers)


def check_drift(evidence: Evidence) -> Iterator[Finding]:
    """Work out how large a change between the halves of the log must be to be seen.

    For an arm with n_1 and n_2 rewards in the halves: 2.8 sd sqrt(1 / n_1 + 1 / n_2). Decisions hang on
    contrasts, so it is the second most played arm that counts.
    """
    has = np.isfinite(evidence.reward)
    reward, arm = evidence.reward[has], evidence.arm[has]
    spread = float(reward.std()) if len(reward) else 0.0
    means = "Whether forgetting pays cannot be answered from this log."
    if not spread:
        says = "All rewards are equal, or there are none: drift could not be told."
        advice = "look at what is logged as a reward."
        yield Finding("drift", "warning", says, means, advice, {"standard_deviation": spread})
        return
    half = len(evidence.arm) // 2
    early = np.flatnonzero(has) < half
    n_arms = len(evidence.arms)
    first, second = (np.bincount(arm[part], minlength=n_arms) for part in (early, ~early))
    with np.errstate(divide="ignore"):
        visible = _POWER * spread * np.sqrt(1.0 / first + 1.0 / second)
    best = np.sort(visible)[:2]
    numbers = {
        "standard_deviation": spread,
        "visible_change_of_most_played": _or_none(best[0]),
        "visible_change_of_second": _or_none(best[1]) if len(best) > 1 else None,
    }
    if len(best) < 2:
        says = (
            "One action was played all the time: no drift that matters for decisions could be told."
        )
        yield Finding("drift", "warning", says, means, "explore.", numbers)
    elif best[1] > spread:
        says = (
            "Drift could hardly be told: the second most played action has too few rewards in one half "
            f"of the log to see a change of one standard deviation, {spread:.3g}."
        )
        advice = "log for longer, or explore more."
        yield Finding("drift", "warning", says, means, advice, numbers)
    else:
        says = (
            f"Between the halves of the log, a change of {best[0]:.3g} in the mean reward of the action "
            f"played most, and of {best[1]:.3g} of the second, would be seen four times in five "
            f"(standard deviation of rewards: {spread:.3g})."
        )
        yield Finding("drift", "fine", says, "Smaller changes could not be told.", "", numbers)


def _or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
