"""What a policy believes that keeps a mean of each arm."""

from __future__ import annotations

import math

import numpy as np

from ..base.arrays import Vector
from .belief import Belief

__all__ = ["arms_belief", "mean_of_arms"]


def arms_belief(counts: Vector, means: Vector, radius: float, noise: float, source: str) -> Belief:
    """Return the belief of a policy with means of arms and the bound mean + radius / sqrt(count).

    An arm without rewards that count has no mean and no width (nan), and no bound (infinity). The
    standard error of a mean is noise / sqrt(count): for rewards in an interval of width b, whose
    noise is not known, with b / 2 it is as large as it can be.

    Examples
    --------
    >>> belief = arms_belief(np.array([4.0, 0.0]), np.array([0.5, 0.0]), 1.0, 0.5, "Four rounds.")
    >>> belief.effective_memory, belief.estimate, belief.bonuses
    (4.0, array([0.5, nan]), array([0.5, inf]))
    """
    widths = np.full(counts.shape, math.nan)
    np.divide(1.0, np.sqrt(counts), out=widths, where=counts > 0.0)
    return Belief(
        effective_memory=float(counts.sum()),
        source=source,
        estimate=np.where(counts > 0.0, means, math.nan),
        spread=widths * widths,
        radius=float(radius),
        error_scale=noise,
        bonuses=np.where(counts > 0.0, radius * widths, math.inf),
    )


def mean_of_arms(counts: Vector, sums: Vector) -> Vector:
    """Return the mean of each arm, 0 where there is none."""
    return np.divide(sums, counts, out=np.zeros(counts.shape), where=counts > 0.0)
