"""How far the windowed estimate may be from the truth because of noise."""

from __future__ import annotations

import math

import numpy as np

from ..core.base.validation import require_fraction, require_integer, require_number

__all__ = ["radius"]


def radius(
    *,
    window: int,
    dimension: int,
    noise: float,
    action_norm: float = 1.0,
    parameter_norm: float = 1.0,
    ridge: float = 1.0,
    confidence: float,
) -> float:
    r"""Return the confidence radius of the sliding-window ridge estimate.

    .. math:: \beta = R \sqrt{d \ln \frac{1 + w L^2 / \lambda}{\delta}} + \sqrt{\lambda}\, S .

    In any one round, with probability at least :math:`1 - \delta`, every action :math:`x` has
    :math:`|x^\top(\hat\theta_t - \theta_t)| \le L \sum_s \|\theta_s - \theta_{s+1}\|
    + \beta \|x\|_{V_{t-1}^{-1}}`, the sum running over the window, if the decision sets satisfy
    Assumption 1. Without it the drift has a larger factor; the radius stays the same.

    Parameters
    ----------
    window
        The number of rounds remembered, :math:`w`.
    dimension
        The length of an action, :math:`d`.
    noise
        The sub-Gaussian scale of the noise, :math:`R`: the standard deviation if it is normal.
    action_norm
        A bound on the length of every action, :math:`L`.
    parameter_norm
        A bound on the length of the parameter, :math:`S`.
    ridge
        The regularisation, :math:`\lambda`.
    confidence
        The probability of failure in one round, :math:`\delta`, in (0, 1]. The regret bounds take
        :math:`1/T`. A statement about all rounds at once takes a further factor :math:`1/T`.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, Lemma 2 and Theorem 2; after Abbasi-Yadkori, Pal and
    Szepesvari, "Improved Algorithms for Linear Stochastic Bandits", NIPS 2011.

    Examples
    --------
    >>> round(radius(window=1532, dimension=2, noise=0.1, confidence=1 / 30_000), 4)
    1.594
    >>> radius(window=1532, dimension=2, noise=0.0, ridge=4.0, confidence=0.05)
    2.0
    """
    window = require_integer("window", window, unit="round")
    dimension = require_integer("dimension", dimension)
    noise = require_number("noise", noise, at_least=0.0)
    action_norm = require_number("action_norm", action_norm, above=0.0)
    parameter_norm = require_number("parameter_norm", parameter_norm, above=0.0)
    ridge = require_number("ridge", ridge, above=0.0)
    confidence = require_fraction("confidence", confidence, inclusive=True)
    # ln(1 + w L^2 / lambda) from logarithms: the ratio itself can overflow when lambda is tiny.
    growth = np.logaddexp(0.0, math.log(window) + 2.0 * math.log(action_norm) - math.log(ridge))
    spread = math.sqrt(dimension * (float(growth) - math.log(confidence)))
    return noise * spread + math.sqrt(ridge) * parameter_norm
