"""A matrix as a product of triangles, V = R' C R: R has ones on its diagonal, C is diagonal."""

from __future__ import annotations

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import inlined
from .lanes import LANES, eliminate, widest_within

__all__ = ["backward", "factor"]

_LEAST = 1e-15  # of a diagonal entry: less than that of it cannot be told from rounding


@inlined
def factor(gram: Matrix, ridge: float, scratch: Matrix, unit: Matrix, pivots: Vector) -> None:
    """Factor gram + ridge * I from the upper triangle of ``gram``, in d^3 / 6 multiplications.

    Writes R above the diagonal of ``unit``, and C^-1 into ``pivots``; on the diagonal, and to the
    left of it in the same lanes, there is nothing of meaning. Further columns b of ``gram`` are
    right-hand sides, and become C^-1 R'^-1 b.
    """
    for i in range(gram.shape[0]):
        _reduce_row(gram, i, scratch, unit)
        # No pivot of a matrix above ridge * I is below ridge. Where actions are longer than
        # sqrt(ridge) by many orders of magnitude rounding may say otherwise, and what it leaves of
        # the rest of such a row is no information, but would blow up.
        rest = scratch[i, i] + ridge
        pivots[i] = 1.0 / max(rest, ridge)
        share = pivots[i] if rest > _LEAST * gram[i, i] else 0.0
        _write_row(share, i, scratch, unit)


@inlined
def _reduce_row(gram: Matrix, i: int, scratch: Matrix, unit: Matrix) -> None:
    """Write row i of C R into ``scratch``; rows before it are done."""
    n = gram.shape[1]
    first = i - i % LANES
    while first < n:
        count = widest_within(n - first)
        eliminate(scratch, gram, 1.0, i, first, count, unit[:, i], 0, i, 1, scratch)
        first += count


@inlined
def _write_row(share: float, i: int, scratch: Matrix, unit: Matrix) -> None:
    """Write a share of row i into ``unit``: row i of R, if it is C^-1."""
    for first in range(i - i % LANES, unit.shape[1], LANES):
        eliminate(unit, scratch, share, i, first, LANES, unit[:, i], 0, 0, 1, scratch)


@inlined
def backward(unit: Matrix, vector: Vector) -> None:
    """Multiply with R^-1, column by column: no subtraction waits for the last."""
    for k in range(unit.shape[0] - 1, 0, -1):
        x = vector[k]
        for i in range(k):
            vector[i] -= unit[i, k] * x
