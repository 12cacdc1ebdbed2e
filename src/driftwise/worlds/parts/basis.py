"""The actions of a world that takes any: one arm per coordinate, unless others are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.base.validation import require_array

__all__ = ["actions_or_basis"]

_DEFAULT_DIMENSION = 2


def actions_or_basis(decision_set: ArrayLike | None, dimension: int | None) -> NDArray[np.float64]:
    """Return the (K, d) actions; if there are none, the d basis vectors, two if d is not known.

    Examples
    --------
    >>> actions_or_basis(None, None)
    array([[1., 0.],
           [0., 1.]])
    >>> actions_or_basis([[1.0, 2.0]], 3)
    Traceback (most recent call last):
    driftwise...ValueError: decision_set must have shape (any, 3), got (1, 2)
    """
    if decision_set is None:
        decision_set = np.eye(_DEFAULT_DIMENSION if dimension is None else dimension)
    return require_array("decision_set", decision_set, shape=(None, dimension))
