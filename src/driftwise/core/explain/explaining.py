"""Why a policy would play what it would play, as plain data and in words.

A policy says what it believes (`core.explain.belief`); what follows from that, action by action, is the same
for all and is worked out here.
"""

from __future__ import annotations

import math
from typing import Any

from ..base.arrays import Matrix, Vector
from ..models.glm.logistic import mean_of, slope_of
from ..models.kalman.probe import promise, staleness_of
from .belief import Belief
from .winner import winner_of

__all__ = ["explained", "score_of"]


def explained(policy: Any, memory: Any, rows: Matrix | None) -> dict[str, Any]:
    """Return what a policy believes and, given a decision set, what it would play and why.

    Ready for JSON. The keys are

    - ``policy``, ``summary``: its name, and the rest in a few sentences;
    - ``effective_memory``, ``memory_source``: how many rounds count, and how that is known;
    - ``estimate``, ``standard_errors``: of the unknown parameter, the errors without what
      regularisation adds to them; ``is_drift_counted``: whether the errors allow for drift;
    - ``is_noticing``: whether it takes note of changes;
    - ``radius``: how many widths are added to a mean;
    - ``actions``: for each the ``mean`` and its ``standard_error``, the ``width``, the ``bonus``
      and the ``upper_bound``, mean plus bonus;
    - ``winner``: the ``arm`` with the largest upper bound (where the choice is partly random:
      with the largest mean), the ``reason`` and the ``explanation``;
    - whatever else the policy has to say.

    Policies that play arms have as estimate the mean of each arm. What nobody can know, such as
    the mean of an arm of which nothing counts, is None; an upper bound of None is infinite. Of a
    policy with an estimate and no account of it, only the estimate.

    Examples
    --------
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.SlidingWindowUCB(50, noise=0.1), n_arms=2, is_interpreted=True)
    >>> for reward in (0.2, 0.8, 0.7):
    ...     agent.learn(agent.choose(), reward)
    >>> for sentence in agent.explain()["summary"]:
    ...     print(sentence)
    The last 3 rounds count, of a window of 50.
    Action 0 would be played: its mean, 0.5, is the largest.
    """
    name = type(policy).__name__
    if not hasattr(policy, "belief_in") and not hasattr(policy, "estimate_in"):
        raise AttributeError(
            f"{name} keeps no estimate of a parameter, so it cannot explain itself"
        )
    if not hasattr(policy, "belief_in"):
        estimate = policy.estimate_in(memory).tolist()
        summary = [f"{name} gives no account of its estimate."]
        return {"policy": name, "summary": summary, "effective_memory": None, "estimate": estimate}
    belief: Belief = policy.belief_in(memory)
    data: dict[str, Any] = {
        "policy": name,
        "summary": [belief.source, *belief.remarks],
        "effective_memory": belief.effective_memory,
        "memory_source": belief.source,
        "estimate": [_known(each) for each in belief.estimate],
        "standard_errors": [_known(each) for each in belief.standard_errors()],
        "is_drift_counted": belief.is_drift_counted,
        "is_noticing": belief.is_noticing,
        "radius": _known(belief.radius),
        **belief.details,
    }
    if rows is not None:
        data["actions"] = _scores_of(belief, rows)
        probes = [each["arm"] for each in data["actions"] if belief.judge and each["is_probe"]]
        candidates = [each for each in data["actions"] if each["arm"] not in belief.awaited]
        data["winner"] = winner_of(
            candidates, turn=belief.turn, is_random=belief.is_random, look=[*probes, belief.look][0]
        )
        data["summary"] = [*data["summary"], data["winner"]["explanation"]]
    return data


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _scores_of(belief: Belief, rows: Matrix) -> list[dict[str, Any]]:
    if belief.judge is not None:
        return belief.judge(rows)
    return [score_of(belief, row, arm) for arm, row in enumerate(rows)]


def score_of(belief: Belief, row: Vector, arm: int) -> dict[str, Any]:
    """Return what is believed of one action: an item of ``actions``, see `explained`."""
    if belief.bonuses is not None:
        return _score_of_arm(belief, belief.bonuses[arm], arm)
    if belief.judge is not None:
        return belief.judge(row[None])[0] | {"arm": arm}
    linear = float(row @ belief.estimate)
    mean = mean_of(linear) if belief.is_logistic else linear
    width = belief.width_of(row)
    bonus = belief.radius * width
    error = belief.error_scale * width * (slope_of(linear) if belief.is_logistic else 1.0)
    score: dict[str, Any] = {"arm": arm, "mean": mean, "standard_error": error, "width": width}
    if belief.stale is not None:
        square = float(row @ row)
        stale = max(float(row @ belief.stale @ row), 0.0) / square if square > 0.0 else 0.0
        bound = promise(mean, bonus, stale, belief.parameter_norm * math.sqrt(square))
        is_probe = bound > mean + bonus
        bonus = bound - mean if is_probe else bonus
        score |= {"staleness": staleness_of(stale), "is_probe": is_probe}
    return score | {"bonus": bonus, "upper_bound": mean + bonus}


def _score_of_arm(belief: Belief, bonus: float, arm: int) -> dict[str, Any]:
    mean, width = belief.estimate[arm], math.sqrt(belief.diagonal()[arm])
    parts = mean, belief.error_scale * width, width, bonus, mean + bonus
    names = "mean", "standard_error", "width", "bonus", "upper_bound"
    score = {"arm": arm} | {name: _known(each) for name, each in zip(names, parts, strict=True)}
    if belief.staleness is not None:
        score |= {"staleness": float(belief.staleness[arm]), "is_probe": arm == belief.look}
    return score
