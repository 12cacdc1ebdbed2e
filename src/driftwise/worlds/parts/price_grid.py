"""Prices to choose from, one for each arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.base.errors import RuleValueError
from ...core.base.validation import require_array

__all__ = ["price_grid"]


def price_grid(prices: ArrayLike | None, default: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a copy of the prices, all above 0; if there are none, the default."""
    grid = require_array("prices", default if prices is None else prices, shape=(None,)).copy()
    if grid.min() <= 0.0:
        raise RuleValueError("prices", "be above 0", grid.min())
    return grid
