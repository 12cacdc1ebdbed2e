"""The types of arrays that rules and memories pass around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matrix", "Vector"]

Vector = NDArray[np.float64]  # numbers in a row
Matrix = NDArray[np.float64]  # numbers in rows and columns
