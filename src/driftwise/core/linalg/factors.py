"""One observation into a factored regression, and out of it with care."""

from __future__ import annotations

import math

import numpy as np

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import called, inlined
from ..compiler.elementary import log
from .kernels import move, whiten

__all__ = [
    "LEAST_STEP",
    "LEAST_TOTAL",
    "NOW",
    "OWED",
    "PEAK",
    "SOLVED",
    "WHITENED",
    "ahead_factors",
    "change",
    "clear_factors",
    "copy_factors",
    "inverse_of",
    "log_growth_of",
]

# Taking an observation out multiplies the error by V before / V after, in its direction. A single
# step may cost one digit, all steps since the last rebuild four; `remove` then says no.
LEAST_STEP = 0.1
LEAST_TOTAL = 1e-4
_LARGE = 1e100
_NOTHING = 1e-13  # of a diagonal entry: less than that of it is what rounding left

NOW, PEAK = range(2)  # of what is followed since the last rebuild, such as a volume
WHITENED, SOLVED, OWED = range(3)  # rows of scratch: U'x; V^-1 x; the same of a removal that waits


@inlined
def clear_factors(
    root: Matrix, pivots: Vector, estimate: Vector, volume: Vector, ridge: float
) -> None:
    """Write V = ridge * I."""
    for j in range(pivots.size):
        estimate[j] = 0.0
        pivots[j] = 1.0 / ridge
        for i in range(pivots.size):
            root[j, i] = 0.0
    volume[NOW] = 1.0
    volume[PEAK] = 1.0


@inlined
def copy_factors(
    root: Matrix, pivots: Vector, estimate: Vector,
    to_root: Matrix, to_pivots: Vector, to_estimate: Vector,
) -> None:  # fmt: skip
    """Copy one regression's factors and estimate into another's."""
    for j in range(pivots.size):
        to_estimate[j] = estimate[j]
        to_pivots[j] = pivots[j]
        for i in range(j):
            to_root[j, i] = root[j, i]


@inlined
def log_growth_of(pivots: Vector, ridge: float) -> float:
    """Return ln(det V / ridge^d)."""
    total = 0.0
    for j in range(pivots.size):
        total -= log(ridge * pivots[j])
    return total


@inlined
def change(
    root: Matrix, pivots: Vector, estimate: Vector, scratch: Matrix, volume: Vector,
    action: Vector, reward: float, sign: float,
) -> tuple[float, float]:  # fmt: skip
    """Add or take away one observation; return s and g of V^-1 -= s vv', estimate += g v.

    Leaves v = V^-1 x in ``scratch[SOLVED]``. Returns 0, and may have changed nothing, if an observation
    cannot be taken away safely.
    """
    room = 1.0 + sign * whiten(root, pivots, action, scratch[WHITENED])
    volume[NOW] *= room
    if room < LEAST_STEP or volume[NOW] < LEAST_TOTAL * volume[PEAK]:
        return 0.0, 0.0
    volume[PEAK] = max(volume[PEAK], volume[NOW])
    if volume[PEAK] > _LARGE:  # only their ratio counts
        volume[NOW] /= volume[PEAK]
        volume[PEAK] = 1.0
    move(root, pivots, scratch[WHITENED], scratch[SOLVED], sign)
    error = reward
    for i in range(estimate.size):
        error -= estimate[i] * action[i]
    scale = sign / room
    gain = scale * error
    for i in range(estimate.size):
        estimate[i] += gain * scratch[SOLVED, i]
    return scale, gain


@called
def ahead_factors(root: Matrix, pivots: Vector, gram: Matrix) -> tuple[Matrix, Vector, Matrix]:
    """Return the factors of (V + G)^-1, and scratch; of G there is the lower triangle.

    G is a sum of squares, and so is what elimination leaves of it: column by column, each is taken
    out as one observation, and put into V. That takes as many steps as G has ranks.
    """
    d = pivots.size
    new_root, new_pivots, scratch = np.zeros((d, d)), np.empty(d), np.empty((2, d))
    rest, row = gram.copy(), np.empty(d)
    for j in range(d):
        new_pivots[j] = pivots[j]
        for i in range(j):
            new_root[j, i] = root[j, i]
    for j in range(d):
        if rest[j, j] <= _NOTHING * gram[j, j]:  # rounding, or nothing at all
            continue
        scale = 1.0 / math.sqrt(rest[j, j])
        for i in range(d):
            row[i] = scale * rest[i, j] if i >= j else 0.0
        for i in range(j + 1, d):
            for k in range(j + 1, i + 1):
                rest[i, k] -= row[i] * row[k]
        whiten(new_root, new_pivots, row, scratch[WHITENED])
        move(new_root, new_pivots, scratch[WHITENED], scratch[SOLVED], 1.0)
    return new_root, new_pivots, scratch


def inverse_of(root: Matrix, pivots: Vector) -> Matrix:
    """Return V^-1; in Python only."""
    upper = np.tril(root, -1).T + np.eye(len(pivots))
    return np.asarray((upper * pivots) @ upper.T)
