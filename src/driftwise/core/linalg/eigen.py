"""The principal axes of an ellipsoid whose matrix is known in factors, V^-1 = U D U'."""

from __future__ import annotations

import math

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import inlined

__all__ = ["write_axes"]

# Axes count as orthogonal if their cosine is below this. Convergence is quadratic, so most end far
# below it.
_COSINE = 1e-12
_SWEEPS = 30  # ten are a lot; no input may loop forever


@inlined
def write_axes(root: Matrix, pivots: Vector, axes: Matrix) -> None:
    """Write the principal axes of U D U' into the rows of ``axes``, in no particular order.

    A row is a unit eigenvector times the square root of its eigenvalue. The columns of U sqrt(D)
    are made orthogonal by plane rotations, which change no product U D U' (one-sided Jacobi,
    Hestenes 1958). The product itself is never formed, so small eigenvalues keep their digits
    (Demmel and Veselic, 1992). 3.5 d^3 multiplications per sweep; two
    sweeps for d = 2, about four for d = 3, seven for d = 10.

    ``root`` and ``pivots`` are U and D as in `driftwise.core.linalg.kernels`.
    """
    d = pivots.size
    for j in range(d):
        scale = math.sqrt(pivots[j])
        for i in range(j):
            axes[j, i] = scale * root[j, i]
        axes[j, j] = scale
        for i in range(j + 1, d):
            axes[j, i] = 0.0
    for _ in range(_SWEEPS):
        n_rotations = 0
        for p in range(d - 1):
            for q in range(p + 1, d):
                if rotate(axes, p, q):
                    n_rotations += 1
        if n_rotations == 0:
            break


@inlined
def rotate(axes: Matrix, p: int, q: int) -> bool:
    """Make two rows orthogonal by a rotation in their plane; return False if they are already."""
    d = axes.shape[1]
    first, second, overlap = 0.0, 0.0, 0.0
    for i in range(d):
        x, y = axes[p, i], axes[q, i]
        first += x * x
        second += y * y
        overlap += x * y
    if abs(overlap) <= _COSINE * (math.sqrt(first) * math.sqrt(second)):
        return False
    # The smaller of the two angles, without which the sweeps might not converge.
    slope = (second - first) / (2.0 * overlap)
    tangent = 1.0 / (abs(slope) + math.sqrt(1.0 + slope * slope))
    if slope < 0.0:
        tangent = -tangent
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for i in range(d):
        x, y = axes[p, i], axes[q, i]
        axes[p, i] = cosine * x - sine * y
        axes[q, i] = sine * x + cosine * y
    return True
