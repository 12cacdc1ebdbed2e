"""Ridge regression that can take observations in and out, in six layouts with one interface.

With V = ridge * I + sum of x x' over the observations, the estimate is V^-1 (sum of x y). A policy
is written once against the methods below; `begin` picks the layout, and the compiler makes one
version of the policy per layout. Costs, in multiplications:

=========  ====================================  =============  =================
layout     decision sets                         optimistic     insert, remove
=========  ====================================  =============  =================
`Dense`    any                                   K d^2 / 2      3 d^2 / 2
`Listed`   the same set every round              K              3 d^2 / 2 + K d
`Axes`     the same set, each row on one axis    K              1
`TwoArms`  the unit vectors of a plane           2              1
`Ball`     the unit ball, see `core.models.ridge.ball`        25 d^3         3 d^2 / 2
=========  ====================================  =============  =================

`DenseBlocks` is `Dense` for rows that touch one of several blocks: see `core.models.ridge.block_regression`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST
from ...compiler.layers import stacked
from ...contract.blocks import Blocked
from ...contract.unit_ball import UnitBall
from ...linalg.aligned import aligned_zeros
from ...linalg.unit_rows import axes_of
from .axes import Axes, TwoArms
from .ball import Ball
from .block_regression import DenseBlocks
from .dense import Dense
from .listed import Listed

__all__ = ["Axes", "Ball", "Dense", "Listed", "TwoArms", "begin", "last_arm"]


def begin(
    n_arms: int, dimension: int, fixed: Matrix | UnitBall | None
) -> Axes | Listed | Dense | DenseBlocks | Ball:
    """Return the cheapest regression for these decision sets, with nothing in it yet."""
    if fixed is None:
        if isinstance(dimension, Blocked):
            block = Dense(*_factors(dimension.length))
            return DenseBlocks(stacked(block, dimension.n_blocks))
        return Dense(*_factors(dimension))
    if isinstance(fixed, UnitBall):
        return Ball(Dense(*_factors(dimension)))
    on_axes = axes_of(fixed)
    if on_axes is not None:
        axis, length = on_axes
        layout = TwoArms if n_arms == 2 and np.array_equal(fixed, np.eye(2)) else Axes
        return layout(axis.astype(np.uint32), length, np.zeros((3, dimension)))
    # Copies: a read-only array would have another type, and the policy another compiled version.
    rows, columns = np.array(fixed), aligned_zeros(dimension, n_arms)
    columns[:] = fixed.T
    return Listed(rows, columns, aligned_zeros(5, n_arms), np.zeros(2), *_factors(dimension, 3))


def last_arm(regression: Any) -> int:
    """Return the last arm that a regression of any kind has, or no bound if it looks none up."""
    if hasattr(regression, "axis"):
        return int(regression.axis.shape[-1]) - 1
    if isinstance(regression, Listed):
        return int(regression.rows.shape[-2]) - 1
    return MOST


def _factors(dimension: int, n_scratch: int = 2) -> tuple[Matrix, Vector, Vector, Matrix, Vector]:
    d = dimension
    return np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros((n_scratch, d)), np.zeros(2)
