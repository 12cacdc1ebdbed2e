"""Lengths of vectors, computed so that the last bit does not depend on how many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["lengths", "within_unit_ball"]


def lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the l2 norms along the last axis.

    Examples
    --------
    >>> lengths(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([5., 0.])
    """
    # Coordinate after coordinate, for the reason given in `expected_rewards`.
    squares = vectors[..., 0] * vectors[..., 0]
    for i in range(1, vectors.shape[-1]):
        squares += vectors[..., i] * vectors[..., i]
    return np.sqrt(squares)


def within_unit_ball(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the vectors, those longer than 1 scaled to length 1.

    Examples
    --------
    >>> within_unit_ball(np.array([[3.0, 4.0], [0.3, 0.4]]))
    array([[0.6, 0.8],
           [0.3, 0.4]])
    """
    return vectors / np.maximum(1.0, lengths(vectors))[..., None]
