"""Which arm an index picks, up to rounding: what policies are held to, arm by arm."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

NEAR = 1e-9  # indices this close may be put in another order by rounding


def is_near_tie(indices: NDArray[np.float64], arm: int, near: float = NEAR) -> bool:
    """Check that the arm is the best, or as good as the best; tell whether that was close."""
    best = indices.max()
    are_best = indices == best if math.isinf(best) else indices >= best - near
    assert are_best[arm]
    return int(are_best.sum()) > 1
