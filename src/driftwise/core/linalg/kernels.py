"""The inverse of a Gram matrix in factors, V^-1 = U D U', moved by one observation at a time.

U is upper triangular with ones on its diagonal and D is diagonal (Bierman, 1977). ``root`` holds
the columns of U as rows, so that every inner loop runs over neighbours in memory; ``pivots`` holds
D. The factors lose half as many digits as V^-1 itself, which matters when an action a
million times longer than the others comes along.

All sums have a fixed order, so interpreter and compiler give the same bits. One sum is a chain, in
which each addition waits for the one before it; four sums side by side, for four actions, keep the
processor as busy as reordering would.
"""

from __future__ import annotations

import math

from ..base.arrays import Matrix, Vector
from ..compiler.abreast import FOUR, column, same
from ..compiler.compiled import inlined

__all__ = [
    "add_rows",
    "add_rows_twice",
    "euclidean",
    "move",
    "multiply",
    "score",
    "score_four",
    "score_many",
    "whiten",
]


@inlined
def euclidean(vector: Vector) -> float:
    """Return the length of a vector."""
    square = 0.0
    for i in range(vector.size):
        square += vector[i] * vector[i]
    return math.sqrt(square)


@inlined
def whiten(root: Matrix, pivots: Vector, action: Vector, white: Vector) -> float:
    """Write U'x into ``white``; return x'V^-1 x."""
    d = pivots.size
    for j in range(0, d - 3, 4):
        s0, s1, s2, s3 = action[j], action[j + 1], action[j + 2], action[j + 3]
        for i in range(j):
            x = action[i]
            s0 += root[j, i] * x
            s1 += root[j + 1, i] * x
            s2 += root[j + 2, i] * x
            s3 += root[j + 3, i] * x
        s1 += root[j + 1, j] * action[j]
        s2 += root[j + 2, j] * action[j]
        s2 += root[j + 2, j + 1] * action[j + 1]
        s3 += root[j + 3, j] * action[j]
        s3 += root[j + 3, j + 1] * action[j + 1]
        s3 += root[j + 3, j + 2] * action[j + 2]
        white[j], white[j + 1], white[j + 2], white[j + 3] = s0, s1, s2, s3
    for j in range(d - d % 4, d):
        s0 = action[j]
        for i in range(j):
            s0 += root[j, i] * action[i]
        white[j] = s0
    square = 0.0
    for j in range(d):
        square += white[j] * white[j] * pivots[j]
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
) -> tuple[Vector, Vector]:
    """Return what `score` returns for four rows from ``arm`` on, or as many as there are."""
    means, squares = same(0.0, FOUR), same(0.0, FOUR)
    for j in range(pivots.size):
        x = column(actions, arm, j)
        s = x
        for i in range(j):
            s = s + root[j, i] * column(actions, arm, i)
        squares = squares + s * s * pivots[j]
        means = means + estimate[j] * x
    return means, squares


@inlined
def score_many(
    root: Matrix, pivots: Vector, estimate: Vector, actions: Matrix, first: int, scratch: Matrix
) -> int:
    """Write what `score` returns for the rows from ``first`` on; return how many there was room for.

    ``scratch`` is (d + 3, n): n actions as columns, so that sums run over neighbours in memory and
    the processor does several at once; then their means, their squares, and one row for whitening. Every sum has the
    order that it has in `score`.
    """
    d = pivots.size
    n = min(scratch.shape[1], actions.shape[0] - first)
    means, squares, white = scratch[d], scratch[d + 1], scratch[d + 2]
    for k in range(n):
        means[k] = 0.0
        squares[k] = 0.0
        for i in range(d):
            scratch[i, k] = actions[first + k, i]
    for j in range(d):
        for k in range(n):
            white[k] = scratch[j, k]
        add_rows(scratch, root[j], j, n, white)
        p, e = pivots[j], estimate[j]
        for k in range(n):
            squares[k] += white[k] * white[k] * p
            means[k] += e * scratch[j, k]
    return n  # type: ignore[no-any-return]  # an int


@inlined
def add_rows(rows: Matrix, weights: Vector, count: int, n: int, out: Vector) -> None:
    """Add ``weights[i] * rows[i]`` to ``out``, its first n numbers, for i < ``count`` in this order.

    Four at a time, so that ``out`` is read and written once for four sums.
    """
    rest = count % 4
    for i in range(rest):
        w = weights[i]
        for k in range(n):
            out[k] += w * rows[i, k]
    for i in range(rest, count, 4):
        w0, w1, w2, w3 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for k in range(n):
            s = out[k] + w0 * rows[i, k]
            s += w1 * rows[i + 1, k]
            s += w2 * rows[i + 2, k]
            out[k] = s + w3 * rows[i + 3, k]


@inlined
def add_rows_twice(
    rows: Matrix, weights: Vector, others: Vector, count: int, n: int, out: Vector, other: Vector
) -> None:
    """Do what `add_rows` does with two weights for each row, while the row is at hand."""
    rest = count % 4
    for i in range(rest):
        w, v = weights[i], others[i]
        for k in range(n):
            out[k] += w * rows[i, k]
            other[k] += v * rows[i, k]
    for i in range(rest, count, 4):
        w0, w1, w2, w3 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        v0, v1, v2, v3 = others[i], others[i + 1], others[i + 2], others[i + 3]
        for k in range(n):
            x0, x1, x2, x3 = rows[i, k], rows[i + 1, k], rows[i + 2, k], rows[i + 3, k]
            out[k] = out[k] + w0 * x0 + w1 * x1 + w2 * x2 + w3 * x3
            other[k] = other[k] + v0 * x0 + v1 * x1 + v2 * x2 + v3 * x3


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
