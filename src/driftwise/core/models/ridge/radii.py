"""Confidence radii that grow with what has been seen, for the compiled rules."""

from __future__ import annotations

import math

from ...compiler.compiled import inlined
from ...compiler.elementary import log

__all__ = ["faded_weight", "radius_from", "trace_radius"]


@inlined
def radius_from(
    log_growth: float, noise: float, parameter_norm: float, ridge: float, confidence: float
) -> float:
    """Return R sqrt(2 ln(1/delta) + log_growth) + sqrt(lambda) S.

    ``log_growth`` is ln(det V / lambda^d), or a bound on it.
    """
    spread = log_growth - 2.0 * log(confidence)
    return noise * math.sqrt(spread) + math.sqrt(ridge) * parameter_norm


@inlined
def trace_radius(
    weight: float,
    dimension: float,
    noise: float,
    action_norm: float,
    parameter_norm: float,
    ridge: float,
    confidence: float,
) -> float:
    """Return the radius with ln(det V / lambda^d) bounded by d ln(1 + n L^2 / (lambda d)).

    ``weight`` is n, the number of rounds, or the sum of their squared weights (Abbasi-Yadkori, Pal
    and Szepesvari, 2011; Russac, Vernade and Cappe, 2019).
    """
    growth = weight * action_norm * action_norm / (ridge * dimension)
    return radius_from(dimension * log(1.0 + growth), noise, parameter_norm, ridge, confidence)


@inlined
def faded_weight(power: float, rounds: float, discount: float) -> float:
    """Return the sum of discount^(2 age) over n rounds, (1 - discount^(2n)) / (1 - discount^2).

    ``power`` is discount^(2n); without a discount the sum is n.
    """
    return (1.0 - power) / (1.0 - discount * discount) if discount < 1.0 else rounds
