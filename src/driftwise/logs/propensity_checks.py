"""Whether the logged propensities are right: what a log must show then, and what it shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .evidence import BINS, Evidence, Tally
from .finding import Finding

__all__ = ["check_frequencies", "check_vectors", "check_weights"]

# With right propensities, one log in a thousand is accused, whatever the number of groups.
_ALARM = 0.001
_ENOUGH = 9.0  # variance of a count from which on it is nearly normal
_ROUNDING = 1e-3  # propensities written with three or four digits need not sum to one

_MEANS = (
    "An estimate that divides by a wrong propensity is wrong, however long the log is, and the mean "
    "weight need not show it."
)
_ADVICE = (
    "look at how the logging policy draws and what it writes down. A policy that explores with "
    "probability eps among all K actions plays its favourite with probability 1 - eps + eps / K, not "
    "1 - eps, and writes the probability of the action, not that of the branch that led to it."
)


def check_frequencies(evidence: Evidence) -> Iterator[Finding]:
    """Compare how often rows were chosen with the sum of their propensities, group by group.

    For each arm k, and for each range of propensities, sum_t (1{a_t = k} - p_t(k)) over the square
    root of sum_t p_t(k) (1 - p_t(k)) is nearly a standard normal number if propensities are right.
    """
    if not evidence.vectors:
        return
    scores = [*_scores(evidence.by_arm), *_scores(evidence.by_bin)]
    limit = _limit(sum(not math.isnan(score) for score in scores))
    judged = [(abs(score), place) for place, score in enumerate(scores) if not math.isnan(score)]
    if not judged:
        yield Finding(
            "frequencies",
            "note",
            "There are too few events to compare how often actions were chosen with their propensities.",
            "Wrong propensities would go unnoticed.",
            "check again when there are more.",
            {"largest_z": None, "limit": limit},
        )
        return
    worst, place = max(judged)
    n_arms = len(evidence.by_arm.chosen)
    is_arm = place < n_arms
    tally = evidence.by_arm if is_arm else evidence.by_bin
    at = place if is_arm else place - n_arms
    group = _arm_name(evidence, at) if is_arm else _bin_name(at)
    found = f"{group} {'was' if is_arm else 'were'} chosen {tally.chosen[at]:,.0f} times, and the propensities add up to {tally.expected[at]:,.0f} (z = {scores[place]:.1f})"
    numbers = {
        "largest_z": scores[place],
        "limit": limit,
        "group": group,
        "by_arm": _plain(evidence.arms, _scores(evidence.by_arm)),
        "by_propensity": _plain(
            [_range(i) for i in range(len(BINS) - 1)], _scores(evidence.by_bin)
        ),
    }
    if worst > limit:
        yield Finding("frequencies", "error", f"{found}.", _MEANS, _ADVICE, numbers)
    else:
        says = f"Actions were chosen as often as their propensities say; farthest off, {found[0].lower() + found[1:]}."
        yield Finding("frequencies", "fine", says, "The propensities may be trusted.", "", numbers)


def check_vectors(evidence: Evidence) -> Iterator[Finding]:
    """Look at whether the propensities of an event fit together."""
    if not evidence.vectors:
        if np.isfinite(evidence.propensity).any():
            yield Finding(
                "propensities",
                "note",
                "Events have the propensity of the chosen action only.",
                "The strongest check of propensities, arm by arm, needs those of all actions.",
                "log the whole vector, in propensities.",
                {"vectors": 0},
            )
        return
    off = abs(evidence.worst_sum - 1.0) > _ROUNDING
    numbers = {
        "vectors": evidence.vectors,
        "worst_sum": evidence.worst_sum,
        "disagreements": evidence.disagreements,
    }
    if off:
        says = f"The propensities of an event add up to {evidence.worst_sum:.4g}, and not to 1."
        yield Finding("propensities", "error", says, _MEANS, _ADVICE, numbers)
    elif evidence.disagreements:
        says = f"In {evidence.disagreements:,} events propensity is not what propensities say of the action."
        yield Finding("propensities", "error", says, _MEANS, "find out which is right.", numbers)
    else:
        says = f"The propensities of all actions are known in {evidence.vectors:,} events, and add up to 1."
        yield Finding("propensities", "fine", says, "", "", numbers)


def check_weights(evidence: Evidence) -> Iterator[Finding]:
    """Look at means of weights that are 1 if propensities are right: for predictable targets.

    Two targets: all actions alike, and the last action that was more probable than not. The second
    sees the favourite of a policy that explores little, which the first hardly does; but it may not be
    on offer, and so says something only if its weights are too large.
    """
    p, size = evidence.propensity, evidence.size
    is_random = p < 1.0
    if not is_random.any():
        return
    known = np.isfinite(p) & (size > 0)
    scores = {"uniform": _mean_score(1.0 / (size[known] * p[known]))}
    favourite = _favourites(evidence)
    seen = np.isfinite(p) & (favourite >= 0)
    scores["favourite"] = _mean_score(
        np.where(evidence.arm[seen] == favourite[seen], 1.0 / p[seen], 0.0)
    )
    told = {
        name: score
        for name, score in scores.items()
        if score is not None and (name == "uniform" or score > 0.0)
    }
    if not told:
        return
    limit = _limit(len(told))
    name, worst = max(told.items(), key=lambda pair: abs(pair[1]))
    numbers = {"z": scores, "limit": limit}
    target = "all actions alike" if name == "uniform" else "the favourite of the events before"
    if worst > limit:
        says = f"Weights for {target} are above 1 on average (z = {worst:.1f}): propensities are too small."
        yield Finding("weights", "error", says, _MEANS, _ADVICE, numbers)
    elif worst < -limit:
        says = f"Weights for {target} are below 1 on average (z = {worst:.1f})."
        means = "Propensities are too large, or some actions could not be chosen at all."
        yield Finding("weights", "warning", says, means, _ADVICE, numbers)
    else:
        says = f"Weights are 1 on average, as they should be (z = {worst:.1f})."
        yield Finding("weights", "fine", says, "", "", numbers)


def _scores(tally: Tally) -> list[float]:
    """Return a score for each group, NaN where there is too little to judge by."""
    enough = tally.variance >= _ENOUGH
    safe = np.where(enough, tally.variance, 1.0)
    off = (tally.chosen - tally.expected) / np.sqrt(safe)
    return [float(score) for score in np.where(enough, off, math.nan)]


def _limit(tests: int) -> float:
    return NormalDist().inv_cdf(1.0 - _ALARM / (2.0 * max(1, tests)))


def _mean_score(weights: NDArray[np.float64]) -> float | None:
    """Return the distance of a mean from 1 in standard errors, if that can be told."""
    if len(weights) < 100 or not weights.std():
        return None
    return float((weights.mean() - 1.0) / (weights.std() / math.sqrt(len(weights))))


def _favourites(evidence: Evidence) -> NDArray[np.int64]:
    """Return for each event the last arm before it that was more probable than not; -1 for none."""
    places = np.where(evidence.propensity > 0.5, np.arange(len(evidence.arm)), -1)
    last = np.maximum.accumulate(np.concatenate([[-1], places[:-1]])).astype(np.int64)
    return np.where(last >= 0, evidence.arm[last], -1)


def _arm_name(evidence: Evidence, at: int) -> str:
    name = evidence.arms[at]
    return f"Action {name!r}" if evidence.is_named else f"Row {name}"


def _range(at: int) -> str:
    return f"{BINS[at]:g} to {BINS[at + 1]:g}"


def _bin_name(at: int) -> str:
    return f"Actions of propensity {_range(at)}"


def _plain(names: list[str], scores: list[float]) -> dict[str, Any]:
    return {
        name: score for name, score in zip(names, scores, strict=False) if not math.isnan(score)
    }
