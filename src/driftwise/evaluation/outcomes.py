"""Pseudo-outcomes: one number an event whose mean is what another policy would have earned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_known, require_number

__all__ = ["ESTIMATORS", "LIMITS", "Terms", "bounded_below", "outcomes", "terms_of"]

Numbers = NDArray[np.float64]

ESTIMATORS = ("dr", "ips", "snips", "switch", "dros")
LIMITS = {"switch": 5.0, "dros": 25.0}  # largest weight, and shrinkage, if none is given


class Terms(NamedTuple):
    """What estimators are made of, for the events that are scored."""

    weight: Numbers  # (m,): pi(a) / p; 0 where the log says nothing about the target's choice
    reward: Numbers  # (m,)
    direct: Numbers  # (m,): sum of pi(k) g(k), with a model g of rewards that is fitted on the past
    predicted: Numbers  # (m,): g(a) of the logged action


def terms_of(
    probabilities: Numbers,  # (m, K)
    chosen: NDArray[np.int64],
    propensity: Numbers,
    reward: Numbers,
    arrival: Numbers,  # 1, or see `Scoring`
    model: Numbers,  # (m, K)
) -> Terms:
    """Return the terms of a target policy."""
    at = np.arange(len(chosen)), chosen
    weight = np.nan_to_num(probabilities[at] / propensity) * arrival
    direct = (probabilities * model).sum(axis=1)
    return Terms(weight, np.where(arrival > 0.0, reward, 0.0), direct, model[at])


def outcomes(terms: Terms, estimator: str, limit: float | None = None) -> Numbers:
    """Return the pseudo-outcome of each event; their mean is the estimate.

    ``ips``
        w r, unbiased.
    ``dr``
        sum of pi(k) g(k) + w (r - g(a)), unbiased whatever g, if g is fitted on the past alone.
    ``switch``, ``dros``
        The same with w 1{w <= L}, and with L w / (w^2 + L). Where the weight is cut the model decides,
        and under drift it lags: these are biased, and no interval is right for them.

    ``snips`` is a ratio, sum of w r over sum of w, and no mean: here w r, to be divided by the mean of w.

    Examples
    --------
    >>> one = Terms(np.array([2.0]), np.array([1.0]), np.array([0.5]), np.array([0.25]))
    >>> [float(outcomes(one, name)[0]) for name in ("ips", "dr", "switch")]
    [2.0, 2.0, 2.0]
    >>> float(outcomes(one, "switch", limit=1.0)[0])
    0.5
    """
    require_known("estimator", estimator, ESTIMATORS)
    if limit is not None and estimator not in LIMITS:
        raise ValueError(f"limit must be left out with the estimator {estimator}, got {limit}")
    w = terms.weight
    if estimator in ("ips", "snips"):
        return w * terms.reward
    if estimator in LIMITS:
        most = LIMITS[estimator] if limit is None else require_number("limit", limit, at_least=0.0)
        if estimator == "switch":
            w = np.where(w <= most, w, 0.0)
        else:
            w = most * w / np.maximum(w * w + most, np.finfo(float).tiny)
    return terms.direct + w * (terms.reward - terms.predicted)


def bounded_below(
    probabilities: Numbers,  # (m, K)
    propensities: Numbers,  # (m, K), all known
    chosen: NDArray[np.int64],
    weight: Numbers,
    reward: Numbers,  # in [0, 1]
    model: Numbers,  # (m, K)
    least: float,  # k >= 0
) -> Numbers:
    """Return doubly robust pseudo-outcomes that are never below -k, for rewards in [0, 1].

    g'(j) = min(g(j), k / w(j)): then phi = w (r - g'(a)) + sum of pi(j) g'(j) >= -k, with the same
    mean. With k = 0 it is IPS. (Waudby-Smith et al., 2022, arXiv 2210.10768.)
    """
    ratio = np.divide(
        probabilities, propensities, out=np.zeros_like(propensities), where=propensities > 0.0
    )
    most = np.divide(least, ratio, out=np.full_like(ratio, np.inf), where=ratio > 0.0)
    cut = np.minimum(np.clip(model, 0.0, 1.0), most)
    at = np.arange(len(chosen)), chosen
    return np.asarray(weight * (reward - cut[at]) + (probabilities * cut).sum(axis=1))
