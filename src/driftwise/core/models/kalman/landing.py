"""How certain a mixture of filters will be when all that is in flight is learnt."""

from __future__ import annotations

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import inlined

__all__ = ["quadratic", "write_landed"]

_ROUNDING = 1e-12  # of a diagonal entry: what is left of a direction is rounding


@inlined
def write_landed(
    shape: Matrix, gram: Matrix, noise: float, scratch: Matrix, along: Vector, out: Matrix
) -> None:
    """Write (C^-1 + N / R^2)^-1 into ``out``, given lower triangles of C and N and R^2.

    N = L D L', and what each column of L says is learnt in turn. ``scratch`` and ``along`` are written over.
    """
    n = gram.shape[1]
    for i in range(n):
        for k in range(i + 1):
            scratch[i, k] = gram[i, k]
            out[i, k] = shape[i, k]
    for j in range(n):
        pivot = scratch[j, j]
        if pivot <= _ROUNDING * gram[j, j] or pivot <= 0.0:
            continue
        square = 0.0
        for i in range(n):  # C l, with l the column of L times its pivot
            along[i] = 0.0
            for k in range(j, n):
                along[i] += (out[i, k] if k <= i else out[k, i]) * scratch[k, j]
        for i in range(j, n):
            square += along[i] * scratch[i, j]
        share = 1.0 / (noise * pivot + max(square, 0.0))
        for i in range(n):
            for k in range(i + 1):
                out[i, k] -= share * along[i] * along[k]
        for i in range(j + 1, n):
            for k in range(j + 1, i + 1):
                scratch[i, k] -= scratch[i, j] * scratch[k, j] / pivot


@inlined
def quadratic(shape: Matrix, x: Vector) -> float:
    """Return x'C x, at least 0, given the lower triangle of C."""
    square = 0.0
    for i in range(x.size):
        s = 0.0
        for k in range(i):
            s += shape[i, k] * x[k]
        square += x[i] * (2.0 * s + shape[i, i] * x[i])
    return max(square, 0.0)
