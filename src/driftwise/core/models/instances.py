"""Instances of one policy at several scales, at most one of each order, and the block that they play."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.limits import MOST, Limits
from ..compiler.compiled import compilable
from ..compiler.layers import layer
from ..contract.coordinates import extend_layers, forget_layers

__all__ = [
    "ACTING",
    "BEGUN",
    "EXCESS",
    "FAILURES",
    "LEAST_BOUND",
    "ORDER",
    "PASSED",
    "InstancesMemory",
]

ORDER, PASSED, ACTING, BEGUN, FAILURES = range(5)  # of `InstancesMemory.block`
LEAST_BOUND, EXCESS = range(2)  # of `InstancesMemory.sums`


@compilable
class InstancesMemory(NamedTuple):
    """What `Master` has learnt: the block in play, with at most one instance of each order."""

    bases: Any  # memories of the base, one layer per order
    instances: NDArray[np.int64]  # (orders,), number of the instance that is alive, 0 for none
    earned: Vector  # (orders,), sum of rewards since it began
    block: NDArray[np.int64]  # its order, rewards in it, order that acts; instances, failures ever
    sums: Vector  # smallest bound in the block, sum of bound - reward

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates of every instance back to the prior; in Python only."""
        begun = layer(unlearnt.bases, unlearnt._alive()[0])
        forget_layers(self.bases, begun, self._alive(), columns)

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what every instance has learnt of fewer coordinates; in Python only."""
        stacks = self.bases, former.bases, unlearnt.bases
        extend_layers(*stacks, former._alive(), unlearnt._alive()[0], columns, factor)
        for field in ("instances", "earned", "block", "sums"):
            getattr(self, field)[...] = getattr(former, field)

    def _alive(self) -> list[int]:
        """Return the orders of which there is an instance; in Python only."""
        return np.flatnonzero(self.instances).tolist()

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        order = self.block[..., ORDER]
        return [
            (self.instances, 0, MOST),
            (order, 0, self.instances.shape[-1] - 1),
            (self.block[..., PASSED], 0, (1 << order) - 1),
            (self.block[..., ACTING], 0, order),
            (self.block[..., [BEGUN, FAILURES]], 0, MOST),
        ]
