"""The actions of a world that takes any: one arm per coordinate, unless others are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.base.validation import require_array, require_integer

__all__ = ["actions_or_basis"]


def actions_or_basis(
    decision_set: ArrayLike | None, dimension: int | None, default: int = 2
) -> NDArray[np.float64]:
    """Return the (K, d) actions; if there are none, the d basis vectors, by default two.

    Examples
    --------
    >>> actions_or_basis(None, None)
    array([[1., 0.],
           [0., 1.]])
    >>> actions_or_basis([[1.0, 2.0]], 3)
    Traceback (most recent call last):
    driftwise...ValueError: decision_set must have shape (any, 3), got (1, 2)
    """
    if dimension is not None:
        dimension = require_integer("dimension", dimension)
    if decision_set is None:
        decision_set = np.eye(default if dimension is None else dimension)
    return require_array("decision_set", decision_set, shape=(None, dimension))
