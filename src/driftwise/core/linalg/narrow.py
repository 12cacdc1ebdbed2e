"""Numbers of 32 bits, where few digits do: half as much to read, twice as many per instruction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..compiler.compiled import called, inlined

__all__ = ["Narrow", "multiply_thrice", "narrowed"]

Narrow = NDArray[np.float32]


@inlined
def narrowed(vector: Vector, scale: float, target: Narrow) -> None:
    """Write ``scale * vector`` into ``target``."""
    for i in range(vector.size):
        target[i] = scale * vector[i]


@called
def multiply_thrice(
    rows: Narrow, weights: Narrow, one: Narrow, other: Narrow, third: Narrow
) -> None:
    """Write the sums of ``weights[j, i] * rows[i]`` over i, for j = 0, 1 and 2.

    Four rows at a time, so that sums are read and written once for four of them.
    """
    count, n = rows.shape
    rest, nought = count % 4, np.float32(0.0)
    for k in range(n):
        one[k] = nought
        other[k] = nought
        third[k] = nought
    for i in range(rest):
        u, v, w = weights[0, i], weights[1, i], weights[2, i]
        for k in range(n):
            one[k] += u * rows[i, k]
            other[k] += v * rows[i, k]
            third[k] += w * rows[i, k]
    for i in range(rest, count, 4):
        u0, u1, u2, u3 = weights[0, i], weights[0, i + 1], weights[0, i + 2], weights[0, i + 3]
        v0, v1, v2, v3 = weights[1, i], weights[1, i + 1], weights[1, i + 2], weights[1, i + 3]
        w0, w1, w2, w3 = weights[2, i], weights[2, i + 1], weights[2, i + 2], weights[2, i + 3]
        for k in range(n):
            x0, x1, x2, x3 = rows[i, k], rows[i + 1, k], rows[i + 2, k], rows[i + 3, k]
            one[k] = one[k] + u0 * x0 + u1 * x1 + u2 * x2 + u3 * x3
            other[k] = other[k] + v0 * x0 + v1 * x1 + v2 * x2 + v3 * x3
            third[k] = third[k] + w0 * x0 + w1 * x1 + w2 * x2 + w3 * x3
