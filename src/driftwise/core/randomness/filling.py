"""Arrays of normal numbers, filled by compiled code: Numba draws the same ones as NumPy."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import compiled

__all__ = ["fill_normals", "fill_sums"]


@compiled
def fill_normals(random: np.random.Generator, numbers: Vector) -> None:
    """Fill an array with standard normal numbers, one after the other."""
    for i in range(numbers.size):
        numbers[i] = random.standard_normal()


@compiled
def fill_sums(means: Matrix, scale: float, random: np.random.Generator, sums: Matrix) -> None:
    """Write means plus ``scale`` times a standard normal number, the same for all of a row."""
    for t in range(means.shape[0]):
        noise = scale * random.standard_normal()
        for k in range(means.shape[1]):
            sums[t, k] = means[t, k] + noise
