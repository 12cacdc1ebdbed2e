"""What a mixture of Kalman filters believes: its memory, its noise, what is stale, what changed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.arrays import Matrix
from ..compiler.elementary import exp
from ..models.kalman.adaptive_arms import AdaptiveArms
from ..models.kalman.adaptive_features import AdaptiveFeatures
from ..models.kalman.adaptive_rows import AdaptiveRows
from ..models.kalman.arm_filters import COUNT, DEVIATION, MEAN_NOISE, STALENESS
from ..models.kalman.feature_units import COUNT as COUNTED
from ..models.kalman.lookout import CHANGED, CHANGES, Lookout
from ..models.kalman.mixture import DRIFT, LOG_MEMORY, MEMORY, ROUNDS, WEIGHT, Mixture
from ..models.kalman.probe import staleness_of
from ..models.kalman.reward_kind import HITS, KIND
from .belief import Belief

__all__ = ["mixture_belief"]

_BEYOND = 1.1  # times the bound on the parameter: more than noise does


def mixture_belief(memory: Any, width: float, parameter_norm: float | None) -> Belief:
    """Return the belief of filters and their mixture, of any layout.

    The effective memory is the geometric mean of those of the filters, by their weights,

        exp(sum w_j ln(min(1 / g_j, t))),

    with t the rounds so far and g_j the steady gain of filter j, for an action that is played in
    every round (`driftwise.core.models.kalman.mixture.steady_gain`). A change is noticed some rounds after that
    memory fell, or after an action came back that is not what it was: `notice` and `compare` of
    `driftwise.core.models.kalman.lookout.Lookout` say when.
    """
    if isinstance(memory, AdaptiveArms):
        return _belief_of_arms(memory, width)
    if isinstance(memory, AdaptiveFeatures):
        return _belief_of_features(memory, width)
    return _belief_of_rows(memory, width, 1.0 if parameter_norm is None else parameter_norm)


def _belief_of_arms(memory: AdaptiveArms, width: float) -> Belief:
    """Return the belief of means of arms, in units of reward; those of unseen arms are nan."""
    filters, means = memory.filters, memory.means()
    is_seen, kind = filters.summary[COUNT] > 0.0, filters.kind
    unit, stale = abs(kind.unit()), filters.summary[STALENESS]
    errors = np.where(is_seen, unit * filters.summary[DEVIATION], math.nan)
    bonuses = width * unit * np.array([memory.deviation(arm) for arm in range(means.size)])
    _, least, n_untried = memory.unseen(0)
    is_next = ~is_seen & (-memory.pending.flight == least) & (n_untried > 0)
    noise = unit * math.sqrt(filters.tally[MEAN_NOISE])
    is_even = kind.cells[KIND] == 1.0
    remembered, source, remarks, details = _account(filters.mixture, memory.lookout, noise, is_even)
    if kind.has_two_values():
        low, high = sorted([kind.origin(), kind.origin() + kind.unit()])
        remarks.append(f"Rewards have been {low:g} or {high:g}: they are taken for clicks.")
    return Belief(
        remembered, source, means, errors * errors, width, 1.0,
        is_drift_counted=True, is_noticing=True, bonuses=np.where(is_seen, bonuses, math.inf),
        staleness=stale / (1.0 + stale), look=-1 if n_untried else memory.looked_at(width),
        awaited=tuple(np.flatnonzero(~is_seen & ~is_next).tolist()),
        remarks=tuple(remarks), details=details,
    )  # fmt: skip


def _belief_of_features(memory: AdaptiveFeatures, width: float) -> Belief:
    """Return the belief of a parameter and a constant, in units of actions and rewards."""
    units, clicks, (estimate, errors, constants) = memory.units, memory.clicks, memory.parameters()
    unit, rounds = units.unit(), units.cells[COUNTED]
    noise = unit * math.sqrt(memory.mixture.mean_noise())
    if clicks.are_on():  # that of all clicks: those that units were settled by may have been others
        rate = clicks.kind.cells[HITS] / rounds
        noise = clicks.range() * math.sqrt(rate * (1.0 - rate))
    remembered, source, remarks, details = _account(
        memory.mixture, memory.lookout, noise, clicks.kind.cells[KIND] == 1.0, int(rounds)
    )
    _, stale = memory.filters.covariances()
    features = np.delete(np.arange(len(stale)), np.s_[memory.row.size - 1 :: memory.row.size])
    directions = _principal_directions(stale[np.ix_(features, features)])
    details |= {"intercepts": constants.tolist(), "stale_directions": directions}
    if clicks.are_on():
        low, high = clicks.low(), clicks.low() + clicks.range()
        remarks.append(
            f"Rewards have been {low:g} or {high:g}: they are taken for clicks, whose log-odds are linear."
        )

    def judge(rows: Matrix) -> list[dict[str, Any]]:
        means, landed, looks, errors, stale = memory.judged(rows)
        look = int(looks.argmax()) if looks.max() > 0.0 else -1
        told = np.array([clicks.told(units, each) for each in means])
        bounds = np.array([clicks.told(units, each) for each in means + width * landed])
        slopes = np.array([clicks.slope(units, each) for each in means])
        names = "mean", "standard_error", "width", "staleness", "bonus", "upper_bound"
        bonuses = bounds - told if clicks.are_on() else width * unit * landed
        columns = told, slopes * errors, slopes * landed, stale / (1.0 + stale), bonuses, bounds
        return [
            {"arm": k, "is_probe": k == look} | dict(zip(names, map(float, each), strict=True))
            for k, each in enumerate(zip(*columns, strict=True))
        ]

    return Belief(
        remembered, source, estimate, errors * errors, width, 1.0,
        is_drift_counted=True, is_noticing=True, judge=judge, remarks=tuple(remarks), details=details,
    )  # fmt: skip


def _belief_of_rows(memory: AdaptiveRows, width: float, parameter_norm: float) -> Belief:
    spread, stale = memory.filters.covariances()
    noise = math.sqrt(memory.mixture.mean_noise())
    remembered, source, remarks, details = _account(memory.mixture, memory.lookout, noise)
    details["stale_directions"] = _principal_directions(stale)
    estimate = memory.filters.solution()
    # A coordinate, not the length: for arms, one on each axis, that is what is bounded.
    if np.abs(estimate).max() > _BEYOND * parameter_norm:
        remarks.append(
            f"The estimate goes beyond the bound that it was told, {parameter_norm:g}: "
            "rescale the rewards or raise the bound, or actions may never be tried."
        )
    return Belief(
        remembered, source, estimate, spread, width, 1.0,
        is_drift_counted=True, is_noticing=True, stale=stale, parameter_norm=parameter_norm,
        remarks=tuple(remarks), details=details,
    )  # fmt: skip


def _account(
    mixture: Mixture, lookout: Lookout, noise: float, is_even: bool = False, known: int = 0
) -> tuple[float, str, list[str], dict[str, Any]]:
    """Return the effective memory, where it comes from, more sentences, and details.

    ``is_even`` says that all rewards were equal. ``known`` of them came: filters that began anew did not see all.
    """
    table, tally = mixture.table, mixture.tally
    seen = int(tally[ROUNDS])
    rounds = max(known, seen)
    remembered = exp(tally[MEMORY]) if rounds > 0 else 0.0
    changed = int(lookout.notes[CHANGED]) + rounds - seen if lookout.notes[CHANGED] > 0.0 else None
    details = {
        "rounds": rounds,
        # Where the filters start from is no belief: nothing was seen of the noise.
        "noise": noise if rounds > 0 and not is_even else None,
        "filters": [
            {
                "drift": float(drift),
                "memory": min(exp(log_memory), float(seen)),
                "weight": float(weight),
            }
            for drift, log_memory, weight in zip(
                table[DRIFT], table[LOG_MEMORY], table[WEIGHT], strict=True
            )
        ],
        "last_change": changed,  # rewards that had come when it showed
        "changes": int(lookout.notes[CHANGES]),
    }
    if rounds == 0:
        return remembered, "Nothing has been learnt yet.", [], details
    plural = "" if rounds == 1 else "s"
    opening = f"After {rounds:,} reward{plural}, "
    if is_even:
        equal = "" if rounds == 1 else "which were all equal, "
        source = f"{opening}{equal}nothing is known of noise or change."
        return float(rounds), source, [], details
    source = f"{opening}the world has been changing as if only the last {remembered:,.0f} counted."
    remarks = [f"The noise is about {noise:.3g}.", _about_changes(changed)]
    return remembered, source, remarks, details


def _principal_directions(stale: Matrix) -> list[dict[str, Any]]:
    """Return the eigenvectors of U and how stale each is, stalest first; largest entry positive."""
    values, vectors = np.linalg.eigh(stale)
    directions = []
    for value, vector in zip(values[::-1], vectors.T[::-1], strict=True):
        sign = math.copysign(1.0, vector[np.abs(vector).argmax()])
        # Plus zero, since a zero turned around is -0.0, which looks odd in JSON.
        direction = (sign * vector + 0.0).tolist()
        staleness = staleness_of(max(float(value), 0.0))
        directions.append({"direction": direction, "staleness": staleness})
    return directions


def _about_changes(changed: int | None) -> str:
    if changed is None:
        return "No change was noticed."
    plural = "" if changed == 1 else "s"
    return f"The last change that it noticed showed after {changed:,} reward{plural}."
