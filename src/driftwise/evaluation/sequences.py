"""Limits that hold at all times at once, while the values that they bound may move.

The target at event t is the mean of the values so far, which itself moves. So a running intersection of
limits would be wrong here: it is right for a constant value only.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["asymptotic_halfwidths", "boundary", "lower_limits"]

Numbers = NDArray[np.float64]

# A finite mixture of bets, which needs no special function. Any fixed one is valid.
_BETS = 0.8 * 2.0 ** (-np.arange(32) / 2.0)
_PSI = -np.log1p(-_BETS) - _BETS
_GRID = np.geomspace(1e-4, 1e12, 4000)  # of V; steps of 1 %
_HALVINGS = 80


def lower_limits(outcomes: Numbers, least: float, alpha: float) -> Numbers:
    r"""Return L_t for t = 1..m: with probability 1 - alpha the mean value is never below.

    Empirical Bernstein: with xi = phi / (1 + k), m_{t-1} the mean of the past cut at 1 / (1 + k),
    and V_t = sum of (xi_s - m_{s-1})^2, exp(l sum(xi_s - mu_s) - psi(l) V_t) with
    psi(l) = -ln(1 - l) - l is a supermartingale for every l in [0, 1), because
    exp(l y - psi(l) y^2) <= 1 + l y for y >= -1 (Fan et al., 2015); so is any mixture over l, and
    Ville's inequality bounds it at all times. Nothing is assumed about how mu_s moves.

    Parameters
    ----------
    outcomes
        phi_t >= -``least`` with conditional mean v_t in [0, 1].
    least
        k >= 0.
    alpha
        The probability of ever being wrong.
    """
    scaled = outcomes / (1.0 + least)
    count = np.arange(1, len(scaled) + 1)
    total = np.cumsum(scaled)
    centre = np.zeros(len(scaled))
    centre[1:] = np.minimum(total[:-1] / count[:-1], 1.0 / (1.0 + least))
    spread = np.cumsum((scaled - centre) ** 2)
    return np.asarray((1.0 + least) * (total - boundary(spread, alpha)) / count)


def boundary(spread: Numbers, alpha: float) -> Numbers:
    """Return B_alpha(V), the least sum at which the mixture reaches 1 / alpha, rounded up.

    Examples
    --------
    >>> [round(float(boundary(np.array([v]), 0.025)[0] / v**0.5), 1) for v in (100.0, 1e4)]
    [4.0, 3.6]
    """
    table = _table(alpha)
    at = np.searchsorted(_GRID, spread, side="left")  # up: B grows with V
    if len(at) and at.max() >= len(_GRID):
        raise ValueError(f"the sum of squares must be at most {_GRID[-1]:g}, got {spread.max():g}")
    return table[at]


@lru_cache(maxsize=8)
def _table(alpha: float) -> Numbers:
    low, high = np.zeros(len(_GRID)), 20.0 * np.sqrt(_GRID) + 100.0 + 60.0 * math.log(1.0 / alpha)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        has_reached = _log_mixture(middle, _GRID) >= math.log(1.0 / alpha)
        high, low = np.where(has_reached, middle, high), np.where(has_reached, low, middle)
    return np.asarray(high)


def _log_mixture(total: Numbers, spread: Numbers) -> Numbers:
    terms = total[:, None] * _BETS - spread[:, None] * _PSI
    largest = terms.max(axis=1)
    return np.asarray(largest + np.log(np.exp(terms - largest[:, None]).mean(axis=1)))


def asymptotic_halfwidths(spread: Numbers, count: Numbers, alpha: float) -> Numbers:
    """Return the half-widths of the asymptotic confidence sequence around a running mean.

    sd sqrt(2 (t rho + 1) / (t^2 rho) ln(sqrt(t rho + 1) / alpha)), tightest near the last event.
    Only right once the effective sample is some hundreds (Waudby-Smith et al., 2021).

    Parameters
    ----------
    spread
        The standard deviation of the outcomes so far.
    count
        How many there were.
    alpha
        The probability of ever being wrong.
    """
    start = max(float(count[-1]), 1.0) if len(count) else 1.0
    rho = (-2.0 * math.log(alpha) + math.log(1.0 - 2.0 * math.log(alpha))) / start
    grown = count * rho + 1.0
    return np.asarray(
        spread * np.sqrt(2.0 * grown / (count * count * rho) * np.log(np.sqrt(grown) / alpha))
    )
