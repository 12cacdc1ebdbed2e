"""How many rounds SW-UCB should remember, and after how many RestartUCB should restart."""

from __future__ import annotations

import math

from ..core.base.validation import require_integer, require_known, require_number
from .geometry import GEOMETRIES, Geometry
from .rounding import floor

__all__ = ["restart_period", "window"]


def window(
    *,
    horizon: int,
    dimension: int,
    variation: float | None = None,
    geometry: Geometry = "orthogonal",
) -> int:
    r"""Return the window that balances drift against noise in SW-UCB.

    A window of :math:`w` rounds costs :math:`w B_T` in drift and :math:`d T / \sqrt{w}` in noise
    if the decision sets are orthogonal, and the best compromise is

    .. math:: w = \lfloor (d T)^{2/3} B_T^{-2/3} \rfloor .

    For general decision sets the drift is only known to cost :math:`d^{1/2} w^{3/2} B_T`, and then

    .. math:: w = \lfloor d^{1/4} (T / B_T)^{1/2} \rfloor .

    An unknown variation is replaced by 1 in both. The result is clipped to :math:`[1, T]`.

    Parameters
    ----------
    horizon
        The number of rounds, :math:`T`.
    dimension
        The length of an action, :math:`d`.
    variation
        The variation budget :math:`B_T`, the most that the parameter moves in total; ``None`` if it
        is unknown. Zero means that nothing moves, and the window is the whole horizon.
    geometry
        ``"orthogonal"`` if every action is a multiple of one vector of a fixed orthonormal basis
        (Assumption 1 of the paper), otherwise ``"general"``.
        :func:`~driftwise.theory.assumption_one` tells which.

    Notes
    -----
    For general decision sets a direct estimate of the drift,
    :math:`|x^\top V^{-1} \sum_s X_s X_s^\top u| \le L \sqrt{n} \|x\|_{V^{-1}} \|u\|`, saves the
    factor :math:`d^{1/2}`: its window is :math:`\sqrt{d T / B_T}`, and the rate of the regret
    improves from :math:`d^{7/8}` to :math:`d^{3/4}`. The published window is the one returned here.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, "Learning to Optimize under Non-Stationarity", AISTATS 2019,
    Theorem 3. General decision sets: Zhao and Zhang, "Non-stationary Linear Bandits Revisited",
    arXiv 2103.05324 (the rate; the window follows from it).

    Examples
    --------
    >>> window(horizon=30_000, dimension=2, variation=1.0)
    1532
    >>> window(horizon=30_000, dimension=2, variation=30_000 ** (1 / 3))
    155
    >>> window(horizon=30_000, dimension=2, variation=1.0, geometry="general")
    205
    >>> window(horizon=30_000, dimension=2, variation=0.0)
    30000
    """
    horizon = require_integer("horizon", horizon, unit="round")
    dimension = require_integer("dimension", dimension)
    require_known("geometry", geometry, GEOMETRIES)
    budget = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
    if budget == 0.0:
        return horizon
    if geometry == "orthogonal":
        ideal = (dimension * horizon / budget) ** (2 / 3)
    else:
        ideal = dimension**0.25 * math.sqrt(horizon / budget)
    # Clipped before the floor: a tiny budget makes the ideal infinite, and infinity has no floor.
    return max(1, floor(min(ideal, horizon)))


def restart_period(
    *,
    horizon: int,
    dimension: int,
    variation: float | None = None,
    geometry: Geometry = "orthogonal",
) -> int:
    r"""Return after how many rounds to restart: `window` for :math:`B_T + 1`.

    An unknown variation counts as 0 (Zhao, Zhang, Jiang and Zhou, AISTATS 2020).

    Examples
    --------
    >>> restart_period(horizon=6000, dimension=2, variation=4.0)
    179
    """
    path = 1.0 + (variation or 0.0)
    return window(horizon=horizon, dimension=dimension, variation=path, geometry=geometry)
