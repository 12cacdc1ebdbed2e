"""What one round does to some of the Kalman filters, side by side: see `driftwise.core.models.kalman.filters`.

Each step takes the filters from ``first`` on, as many as ``width`` is long, through all coordinates, so
that what belongs to a filter alone stays in registers. Sums over the filters go on where those before
have left them: they have the order of the filters. ``moments`` and ``spreads`` are those of a
`FilterDense`, ``table`` is that of a `Mixture`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.abreast import Width, abreast, add_each, larger, put, same, take
from ...compiler.compiled import called, inlined
from .mixture import BROADEN, ERROR, GROWTH, KEEP, LEAP, PULL, REACH, VARIANCE, WEIGHT

__all__ = ["ALONG", "HEADING", "MEAN", "follow", "foresee", "mix"]

MEAN, ALONG, HEADING = range(3)  # of `FilterDense.moments`

Array = NDArray[np.float64]


@inlined
def foresee(
    first: int, width: Width, moments: Array, spreads: Array, x: Vector, y: float, table: Matrix
) -> None:
    """Write P_j x, x'P_j x and the error y - x'm_j."""
    variance, error = same(0.0, width), same(y, width)
    for i in range(x.size):
        along = x[i] * take(spreads[i, i], first, width)
        for k in range(i):
            along = along + x[k] * take(spreads[i, k], first, width)
        for k in range(i + 1, x.size):
            along = along + x[k] * take(spreads[k, i], first, width)
        put(moments[ALONG, i], first, along)
        variance = variance + x[i] * along
        error = error - x[i] * take(moments[MEAN, i], first, width)
    put(table[VARIANCE], first, larger(variance, 0.0))  # rounding may say otherwise
    put(table[ERROR], first, error)


@inlined
def follow(first: int, width: Width, moments: Array, aim: Vector, table: Matrix) -> None:
    """Move the means towards the reward, and on by a jump along ``aim``, z."""
    pull, scale = take(table[PULL], first, width), take(table[REACH], first, width)
    leap = take(table[LEAP], first, width)
    for i in range(aim.size):
        along = take(moments[ALONG, i], first, width)
        centre = take(moments[MEAN, i], first, width) + along * pull
        along = along * scale
        heading = aim[i] - along * scale
        put(moments[MEAN, i], first, centre + leap * heading)
        put(moments[ALONG, i], first, along)
        put(moments[HEADING, i], first, heading)


@called  # by learning and by restarting; inlined it would be compiled twice
def mix(moments: Array, spreads: Array, mean: Vector, shape: Matrix, table: Matrix) -> None:
    """Let every P_j shrink and grow; write the mean and the covariance of the mixture."""
    for i in range(mean.size):
        mean[i] = 0.0
        for k in range(i + 1):
            shape[i, k] = 0.0
    abreast(mix_means, moments.shape[2], moments, mean, table)
    abreast(mix_spreads, moments.shape[2], moments, spreads, mean, shape, table)


@inlined
def mix_means(first: int, width: Width, moments: Array, mean: Vector, table: Matrix) -> None:
    """Add w_j m_j to the mean of the mixture."""
    weight = take(table[WEIGHT], first, width)
    for i in range(mean.size):
        mean[i] = add_each(mean[i], weight * take(moments[MEAN, i], first, width))


@inlined
def mix_spreads(
    first: int, width: Width, moments: Array, spreads: Array, mean: Vector, shape: Matrix, table: Matrix
) -> None:  # fmt: skip
    """Take v v' off P_j, add what a jump leaves open, and let it grow; add all that to C."""
    weight, growth = take(table[WEIGHT], first, width), take(table[GROWTH], first, width)
    keep, broaden = take(table[KEEP], first, width), take(table[BROADEN], first, width)
    for i in range(mean.size):
        v, g = (
            take(moments[ALONG, i], first, width),
            broaden * take(moments[HEADING, i], first, width),
        )
        apart = take(moments[MEAN, i], first, width) - mean[i]
        for k in range(i + 1):
            u, f = take(moments[ALONG, k], first, width), take(moments[HEADING, k], first, width)
            spread = keep * (take(spreads[i, k], first, width) - v * u + g * f)
            if i == k:
                spread = spread + growth
            put(spreads[i, k], first, spread)
            other = take(moments[MEAN, k], first, width) - mean[k]
            shape[i, k] = add_each(shape[i, k], weight * (spread + apart * other))
