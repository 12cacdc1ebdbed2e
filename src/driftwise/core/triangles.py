"""A matrix as a product of triangles, V = R' C R: R has ones on its diagonal, C is diagonal."""

from __future__ import annotations

from .abreast import FOUR, put, take
from .compiled import inlined
from .hints import natural
from .lanes import LANES, eliminate, widest_within
from .protocols import Matrix, Vector

__all__ = ["backward", "backward_twice", "factor", "forward"]

_LEAST = 1e-15  # of a diagonal entry: less than that of it cannot be told from rounding


@inlined
def factor(gram: Matrix, ridge: float, scratch: Matrix, unit: Matrix, pivots: Vector) -> None:
    """Factor gram + ridge * I from the upper triangle of ``gram``, in d^3 / 6 multiplications.

    Writes R above the diagonal of ``unit``, and C^-1 into ``pivots``; on the diagonal, and to the
    left of it in the same lanes, there is nothing of meaning. Further columns b of ``gram`` are
    right-hand sides, and become C^-1 R'^-1 b.
    """
    d, n = gram.shape
    for i in range(d):
        edge = i - i % LANES
        first = edge
        while first < n:  # C R
            count = widest_within(n - first)
            eliminate(scratch, gram, 1.0, i, first, count, unit[:, i], 0, i, 1, scratch)
            first += count
        # No pivot of a matrix above ridge * I is below ridge. Where actions are longer than
        # sqrt(ridge) by many orders of magnitude rounding may say otherwise, and what it leaves of
        # the rest of such a row is no information, but would blow up.
        rest = scratch[i, i] + ridge
        pivots[i] = 1.0 / max(rest, ridge)
        share = pivots[i] if rest > _LEAST * gram[i, i] else 0.0
        for first in range(edge, n, LANES):
            eliminate(unit, scratch, share, i, first, LANES, unit[:, i], 0, 0, 1, scratch)


@inlined
def forward(unit: Matrix, pivots: Vector, work: Vector, out: Vector) -> None:
    """Write C^-1 R'^-1 b into ``out``, where b is in ``work``, which is used up.

    What lands to the left of i in its lanes is not read any more.
    """
    for i in range(pivots.size):
        y = work[i]
        out[i] = pivots[i] * y
        for first in range(i - i % LANES, unit.shape[1], LANES):
            put(work, first, take(work, first, FOUR) - y * take(unit[natural(i)], first, FOUR))


@inlined
def backward(unit: Matrix, vector: Vector) -> None:
    """Multiply with R^-1, column by column: no subtraction waits for the last."""
    for k in range(unit.shape[0] - 1, 0, -1):
        x = vector[k]
        for i in range(k):
            vector[i] -= unit[i, k] * x


@inlined
def backward_twice(unit: Matrix, one: Vector, other: Vector) -> None:
    """Do what `backward` does for two vectors, while a number is at hand."""
    for k in range(unit.shape[0] - 1, 0, -1):
        x, y = one[k], other[k]
        for i in range(k):
            one[i] -= unit[i, k] * x
            other[i] -= unit[i, k] * y
