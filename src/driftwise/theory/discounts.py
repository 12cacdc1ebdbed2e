"""How fast to discount: the weight of a round after one more round."""

from __future__ import annotations

import math

from ..core.base.validation import require_integer, require_known, require_number
from .blocks import window_grid
from .geometry import GEOMETRIES, Geometry

__all__ = ["discount", "discount_grid", "weighted_discount"]


def discount(
    *,
    horizon: int,
    dimension: int,
    variation: float | None = None,
    geometry: Geometry = "orthogonal",
) -> float:
    r"""Return the discount of D-LinUCB.

    :math:`\gamma = 1 - (B_T / (dT))^{2/3}` for orthogonal decision sets (Assumption 1) and
    :math:`1 - d^{-1/4} \sqrt{B_T / T}` for general ones: one over the window of the same case. An
    unknown variation counts as 1, no variation as no discount. Never less than :math:`1 / T`.

    References
    ----------
    Russac, Vernade and Cappe, NeurIPS 2019. General decision sets: the discount with which the rate
    of Zhao and Zhang, arXiv 2103.05324, follows.

    Examples
    --------
    >>> round(discount(horizon=6000, dimension=2, variation=4 + 2**0.5), 6)
    0.994117
    """
    horizon = require_integer("horizon", horizon, unit="round")
    dimension = require_integer("dimension", dimension)
    path = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
    require_known("geometry", geometry, GEOMETRIES)
    if geometry == "orthogonal":
        loss = math.pow(path / (dimension * horizon), 2 / 3)
    else:
        loss = math.pow(dimension, -0.25) * math.sqrt(path / horizon)
    return max(1.0 - loss, 1.0 / horizon)


def weighted_discount(*, horizon: int, dimension: int, variation: float | None = None) -> float:
    r"""Return the discount of weighted UCB, for any decision sets.

    :math:`\gamma = 1 - \max\{1/T, \sqrt{B_T / (dT)}\}`, taken from the rate of Wang, Zhao and Zhou
    (2023), not read there. An unknown variation counts as 1. Never less than :math:`1 / T`.

    Examples
    --------
    >>> weighted_discount(horizon=10_000, dimension=4, variation=1.0)
    0.995
    """
    horizon = require_integer("horizon", horizon, unit="round")
    dimension = require_integer("dimension", dimension)
    path = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
    loss = max(1.0 / horizon, math.sqrt(path / (dimension * horizon)))
    return max(1.0 - loss, 1.0 / horizon)  # a horizon of a few rounds leaves no room


def discount_grid(block_length: int) -> tuple[float, ...]:
    r"""Return the discounts that BOB chooses from: :math:`1 - 1/w` for the windows w of its grid.

    The window 1, which remembers one round, has no counterpart but :math:`1/2` for 2.

    Examples
    --------
    >>> discount_grid(8)
    (0.5, 0.75, 0.875)
    >>> discount_grid(1)
    (0.5,)
    """
    windows = [window for window in window_grid(block_length) if window > 1] or [2]
    return tuple(1.0 - 1.0 / window for window in windows)
