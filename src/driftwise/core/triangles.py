"""A matrix as a product of triangles, V = R' C R: R has ones on its diagonal, C is diagonal."""

from __future__ import annotations

from .compiled import inlined
from .lanes import LANES, eliminate, widest_within
from .protocols import Matrix, Vector

__all__ = ["factor"]

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
