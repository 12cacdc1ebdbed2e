"""Decision sets with rows on the axes; for K arms, the unit vectors, in K numbers instead of K^2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Matrix, Vector

__all__ = ["axes_of", "unit_rows"]


def unit_rows(n_arms: int) -> Matrix:
    """Return the (K, K) identity matrix as a view of 2 K - 1 numbers: do not write to it.

    Each row is the one above it, moved by one place, so all are parts of 0 ... 0 1 0 ... 0.

    Examples
    --------
    >>> unit_rows(3)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    line = np.zeros(2 * n_arms - 1)
    line[n_arms - 1] = 1.0
    # Writable, as all arrays are that the compiler sees: a read-only one would have another type.
    return np.lib.stride_tricks.as_strided(
        line[n_arms - 1 :], (n_arms, n_arms), (-line.itemsize, line.itemsize)
    )


def axes_of(rows: Matrix) -> tuple[NDArray[np.int64], Vector] | None:
    """Return the axis of each row and its one coordinate that is not zero; None if one has more."""
    rows = np.asarray(rows)  # a decision set without rows does not pass this line
    if _are_unit_rows(rows):
        return np.arange(len(rows)), np.ones(len(rows))
    if np.any(np.count_nonzero(rows, axis=1) > 1):
        return None
    axis = np.argmax(np.abs(rows), axis=1)
    return axis, rows[np.arange(len(rows)), axis]


def _are_unit_rows(rows: Matrix) -> bool:
    """Return whether these are `unit_rows`, by their steps in memory: looking at all takes K^2."""
    (n_rows, dimension), step = rows.shape, rows.itemsize
    if n_rows != dimension or rows.strides != (-step, step):
        return False
    return bool(rows[0, 0] == 1.0 and not rows[0, 1:].any() and not rows[1:, 0].any())
