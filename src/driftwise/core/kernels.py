"""The inverse of a Gram matrix in factors, V^-1 = U D U', moved by one observation at a time.

U is upper triangular with ones on its diagonal and D is diagonal (Bierman, 1977). ``root`` holds
the columns of U as rows, so that every inner loop runs over neighbours in memory; ``pivots`` holds
D. The factors carry half as many digits of trouble as V^-1 itself, which matters when an action a
million times longer than the others comes along.

All sums have a fixed order, so interpreter and compiler give the same bits. One sum is a chain, in
which each addition waits for the one before it; four sums side by side, for four actions, keep the
processor as busy as reordering would.
"""

from __future__ import annotations

from .compiled import inlined
from .protocols import Matrix, Vector

__all__ = ["move", "multiply", "score", "score_four", "whiten"]

Four = tuple[float, float, float, float]


@inlined
def whiten(root: Matrix, pivots: Vector, action: Vector, white: Vector) -> float:
    """Write U'x into ``white``; return x'V^-1 x."""
    square = 0.0
    for j in range(pivots.size):
        s = action[j]
        for i in range(j):
            s += root[j, i] * action[i]
        white[j] = s
        square += s * s * pivots[j]
    return square


@inlined
def move(root: Matrix, pivots: Vector, white: Vector, along: Vector, sign: float) -> None:
    """Add (``sign=1``) or take away (``sign=-1``) the action x whose U'x is in ``white``.

    Leaves V^-1 x, of the V before, in ``along``. To take away, 1 - x'V^-1 x must be positive.
    """
    before = sign
    for j in range(pivots.size):
        f = white[j]
        v = pivots[j] * f
        after = before + f * v
        pivots[j] *= before / after
        tilt = -f / before
        for i in range(j):
            u, g = root[j, i], along[i]
            root[j, i] = u + tilt * g
            along[i] = g + v * u
        along[j] = v
        before = after


@inlined
def score(
    root: Matrix, pivots: Vector, estimate: Vector, actions: Matrix, arm: int
) -> tuple[float, float]:
    """Return x'estimate and x'V^-1 x for one row x of ``actions``."""
    mean, square = 0.0, 0.0
    for j in range(pivots.size):
        x = actions[arm, j]
        s = x
        for i in range(j):
            s += root[j, i] * actions[arm, i]
        square += s * s * pivots[j]
        mean += estimate[j] * x
    return mean, square


@inlined
def score_four(
    root: Matrix, pivots: Vector, estimate: Vector, actions: Matrix, arm: int
) -> tuple[Four, Four]:
    """Return what `score` returns for four rows from ``arm`` on: means, then squares."""
    m0, m1, m2, m3 = 0.0, 0.0, 0.0, 0.0
    q0, q1, q2, q3 = 0.0, 0.0, 0.0, 0.0
    for j in range(pivots.size):
        x0, x1 = actions[arm, j], actions[arm + 1, j]
        x2, x3 = actions[arm + 2, j], actions[arm + 3, j]
        s0, s1, s2, s3 = x0, x1, x2, x3
        for i in range(j):
            u = root[j, i]
            s0 += u * actions[arm, i]
            s1 += u * actions[arm + 1, i]
            s2 += u * actions[arm + 2, i]
            s3 += u * actions[arm + 3, i]
        p, e = pivots[j], estimate[j]
        q0 += s0 * s0 * p
        q1 += s1 * s1 * p
        q2 += s2 * s2 * p
        q3 += s3 * s3 * p
        m0 += e * x0
        m1 += e * x1
        m2 += e * x2
        m3 += e * x3
    return (m0, m1, m2, m3), (q0, q1, q2, q3)


@inlined
def multiply(rows: Matrix, vector: Vector, out: Vector) -> None:
    """Write x'vector into ``out`` for every row x of ``rows``."""
    n, d = rows.shape
    for first in range(0, n - 3, 4):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(d):
            v = vector[j]
            s0 += rows[first, j] * v
            s1 += rows[first + 1, j] * v
            s2 += rows[first + 2, j] * v
            s3 += rows[first + 3, j] * v
        out[first], out[first + 1], out[first + 2], out[first + 3] = s0, s1, s2, s3
    for k in range(n - n % 4, n):
        s0 = 0.0
        for j in range(d):
            s0 += rows[k, j] * vector[j]
        out[k] = s0
