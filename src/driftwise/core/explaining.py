"""What a policy believes, and why it would play what it would play: as plain data and in words.

A policy says what it believes in ``belief_in(memory)``, in Python only. What follows from it, action
by action, is the same for all and is worked out here.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .ball import Ball
from .fading import FadingAxes, FadingDense
from .logistic import mean_of, slope_of
from .probe import due, promise
from .protocols import Matrix, Vector
from .regression import Axes
from .validation import require_array
from .winner import winner_of

__all__ = [
    "Belief",
    "explained",
    "faded_rounds",
    "fading_belief",
    "logistic_belief",
    "ridge_belief",
    "share_of",
    "spread_of",
    "standard_errors",
]


class Belief(NamedTuple):
    """What a policy believes of the unknown parameter at one moment."""

    effective_memory: float  # in rounds
    source: str  # where that number comes from, in words
    estimate: Vector  # (d,)
    spread: Matrix  # (d, d): an action x is uncertain by radius * sqrt(x' spread x)
    radius: float
    error_scale: float  # the standard error of x'estimate is error_scale * sqrt(x' spread x)
    is_drift_counted: bool = False  # whether these errors allow for drift, or for noise alone
    is_noticing: bool = False  # whether it takes note of changes: `details` has "last_change"
    is_random: bool = False  # whether it plays what is best for a parameter drawn at random
    is_logistic: bool = False  # whether the mean reward of x is 1 / (1 + exp(-x'estimate))
    stale: Matrix | None = None  # (d, d), U of `driftwise.core.probe`
    parameter_norm: float = 0.0  # what a direction that was never seen may hold
    bonuses: Vector | None = None  # (K,), where each arm has a mean of its own: `arms_belief`
    turn: int | None = None  # the arm that is played whatever the bounds say
    remarks: tuple[str, ...] = ()  # more sentences
    details: dict[str, Any] = {}  # noqa: RUF012  # of a named tuple, and never written to


def explained(policy: Any, memory: Any, rows: Matrix | None) -> dict[str, Any]:
    """Return what a policy believes and, given a decision set, what it would play and why.

    Fit for JSON. The keys are

    - ``policy``, ``summary``: its name, and the rest in a few sentences;
    - ``effective_memory``, ``memory_source``: how many rounds count, and how that is known;
    - ``estimate``, ``standard_errors``: of the unknown parameter, the errors without what
      regularisation adds to them; ``is_drift_counted``: whether the errors allow for drift;
    - ``is_noticing``: whether it takes note of changes;
    - ``radius``: how many widths are added to a mean;
    - ``actions``: for each the ``mean`` and its ``standard_error``, the ``width``, the ``bonus``
      and the ``upper_bound``, mean plus bonus;
    - ``winner``: the ``arm`` with the largest upper bound (where the choice is in part random:
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
        "standard_errors": [_known(each) for each in standard_errors(belief)],
        "is_drift_counted": belief.is_drift_counted,
        "is_noticing": belief.is_noticing,
        "radius": _known(belief.radius),
        **belief.details,
    }
    if rows is not None:
        rows = require_array("decision_set", rows, shape=rows.shape)
        data["actions"] = [_score(belief, row, arm) for arm, row in enumerate(rows)]
        data["winner"] = winner_of(data["actions"], turn=belief.turn, is_random=belief.is_random)
        data["summary"] = [*data["summary"], data["winner"]["explanation"]]
    return data


def ridge_belief(
    regression: Any, effective_memory: float, source: str, radius: float, noise: float
) -> Belief:
    """Return the belief of a policy that has a ridge regression of some layout."""
    return Belief(
        float(effective_memory), source, regression.solution(), spread_of(regression),
        float(radius), noise,
    )  # fmt: skip


def standard_errors(belief: Belief) -> Vector:
    """Return the standard errors of the estimate, coordinate by coordinate."""
    return np.asarray(belief.error_scale * np.sqrt(np.maximum(np.diag(belief.spread), 0.0)))


def fading_belief(policy: Any, memory: Any) -> Belief:
    """Return the belief of a policy with a discount, whose cells are radius, dimension, rounds."""
    rounds = faded_rounds(policy.discount, memory.cells[2])
    source = f"As many as {rounds:.4g} rounds count, faded by {policy.discount:g} each."
    return ridge_belief(memory.regression, rounds, source, memory.cells[0], policy.noise)


def logistic_belief(policy: Any, belief: Belief, estimate: Vector) -> Belief:
    """Return the belief of a policy with logistic rewards.

    The standard errors are those for the least slope within reach: where the curve is steeper, the
    estimate is better than they say.
    """
    least = slope_of(policy.action_norm * policy.parameter_norm)
    scale = belief.error_scale / least
    return belief._replace(estimate=estimate.copy(), error_scale=scale, is_logistic=True)


def spread_of(regression: Any) -> Matrix:
    """Return the matrix that gives the squared widths of a regression: V^-1, or V^-1 W V^-1."""
    if isinstance(regression, Ball):
        return spread_of(regression.dense)
    if isinstance(regression, Axes):
        return np.diag(1.0 / regression.sums[0])
    if isinstance(regression, FadingAxes | FadingDense):
        return regression.error_shape()
    upper = np.tril(regression.root, -1).T + np.eye(len(regression.pivots))
    return np.asarray((upper * regression.pivots) @ upper.T)


def faded_rounds(discount: float, rounds: float) -> float:
    """Return the sum of the weights discount^age of so many rounds: at most 1 / (1 - discount).

    Examples
    --------
    >>> faded_rounds(0.75, 10_000.0), faded_rounds(0.5, 2.0), faded_rounds(1.0, 70.0)
    (4.0, 1.5, 70.0)
    """
    if discount == 1.0:
        return float(rounds)
    return float((1.0 - discount**rounds) / (1.0 - discount))


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def share_of(weight: float) -> float:
    """Return what a weight is of itself and one: 0 for none, near 1 for very much."""
    return weight / (1.0 + weight)


def _score(belief: Belief, row: Vector, arm: int) -> dict[str, Any]:
    if belief.bonuses is not None:
        return _score_of_arm(belief, belief.bonuses[arm], arm)
    linear = float(row @ belief.estimate)
    mean = mean_of(linear) if belief.is_logistic else linear
    width = math.sqrt(max(float(row @ belief.spread @ row), 0.0))
    bonus = belief.radius * width
    error = belief.error_scale * width * (slope_of(linear) if belief.is_logistic else 1.0)
    score: dict[str, Any] = {"arm": arm, "mean": mean, "standard_error": error, "width": width}
    if belief.stale is not None:
        square = float(row @ row)
        stale = max(float(row @ belief.stale @ row), 0.0) / square if square > 0.0 else 0.0
        bound = promise(mean, bonus, stale, belief.parameter_norm * math.sqrt(square))
        is_probe = bound > mean + bonus
        bonus = bound - mean if is_probe else bonus
        score |= {"staleness": share_of(due(stale)), "is_probe": is_probe}
    return score | {"bonus": bonus, "upper_bound": mean + bonus}


def _score_of_arm(belief: Belief, bonus: float, arm: int) -> dict[str, Any]:
    mean, width = belief.estimate[arm], math.sqrt(belief.spread[arm, arm])
    parts = mean, belief.error_scale * width, width, bonus, mean + bonus
    names = "mean", "standard_error", "width", "bonus", "upper_bound"
    return {"arm": arm} | {name: _known(each) for name, each in zip(names, parts, strict=True)}
