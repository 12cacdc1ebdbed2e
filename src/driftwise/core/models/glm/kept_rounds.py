"""Logistic regression on rounds that fade: those that still count are kept, and read again."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable, inlined
from ...compiler.elementary import log
from ..discounted.fading import FadingDense, begin_fading
from ..flight import Flight, flight
from ..ridge.window import COUNT, REWARD, SLOT
from .logistic import LogisticFit, begin_logistic

__all__ = [
    "FadingLogisticMemory",
    "begin",
    "forget",
    "keep",
    "rounds_that_count",
]

_NEGLIGIBLE = 1e-3  # weight of a round that the estimate no longer reads
ROOM = 2  # of `FadingLogisticMemory.clock`, after COUNT and SLOT
FIRST = 1  # coordinate of an action in a row of `FadingLogisticMemory.history`, after REWARD


@compilable
class FadingLogisticMemory(NamedTuple):
    """Rounds that fade, and what was learnt from them."""

    regression: FadingDense  # for V and W only; its linear estimate is not used
    history: Matrix  # (rounds kept, 1 + d): reward, action; a ring
    clock: NDArray[np.int64]  # rounds in the ring, slot of the next, slots in use
    fit: LogisticFit  # the estimate
    radius: Vector  # (1,)
    dimension: Vector  # (1,)
    rounds: Vector  # (1,): all of them, faded or not
    power: Vector  # (1,): discount ** (2 * rounds)
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        room = self.history.shape[-2]
        return [
            (self.clock[..., COUNT], 0, room),
            (self.clock[..., SLOT], 0, room - 1),
            (self.clock[..., ROOM], 1, room),
            (self.rounds, 0, MOST),
            (self.dimension, 1, MOST),
        ]

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior; in Python only.

        Rounds with such an action become rounds without a reward.
        """
        self.regression._forget(unlearnt.regression, columns)
        self.fit._forget(unlearnt.fit, columns)
        self.pending._forget(unlearnt.pending, columns)
        self.history[self.history[:, FIRST:][:, columns].any(axis=1)] = 0.0

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        self.regression._extend(former.regression, unlearnt.regression, columns, factor)
        self.fit._extend(former.fit, unlearnt.fit, columns, factor)
        self.history[:, REWARD] = former.history[:, REWARD]
        self.history[:, FIRST + columns] = former.history[:, FIRST:] / factor
        for mine, theirs in ((self.clock, former.clock), (self.rounds, former.rounds)):
            mine[:] = theirs
        self.power[:] = former.power
        self.radius[:] = former.radius


def begin(n_arms: int, dimension: int, room: int) -> FadingLogisticMemory:
    """Return a memory with room for ``room`` rounds."""
    regression = begin_fading(n_arms, int(dimension), None)
    assert isinstance(regression, FadingDense)  # as it is for sets that change
    history, clock = np.zeros((room, FIRST + dimension)), np.zeros(3, np.int64)
    numbers = np.zeros(1), np.full(1, float(dimension)), np.zeros(1), np.ones(1)
    pending = flight(dimension, (dimension, dimension))
    fit = begin_logistic(dimension)
    return FadingLogisticMemory(regression, history, clock, fit, *numbers, pending)


@inlined
def forget(memory: FadingLogisticMemory, ridge: float, room: int) -> None:
    """Forget everything; ``room`` slots are in use from now on."""
    memory.pending.land_all()
    memory.regression.clear(ridge)
    memory.fit.start_over()
    memory.clock[COUNT] = 0
    memory.clock[SLOT] = 0
    memory.clock[ROOM] = room
    memory.rounds[0] = 0.0
    memory.power[0] = 1.0


@inlined
def keep(
    memory: FadingLogisticMemory, action: Vector, reward: float, discount: float,
    ridge: float, newton_steps: int,
) -> None:  # fmt: skip
    """Keep one more round, and move the estimate there."""
    slot, room = memory.clock[SLOT], memory.clock[ROOM]
    row = memory.history[slot]
    row[REWARD] = reward
    for i in range(action.size):
        row[FIRST + i] = action[i]
    memory.clock[COUNT] = min(memory.clock[COUNT] + 1, room)
    memory.clock[SLOT] = slot + 1 if slot + 1 < room else 0
    memory.fit.approach(memory.history, memory.clock, room, discount, ridge, newton_steps)
    memory.rounds[0] += 1.0
    memory.power[0] *= discount * discount


@inlined
def rounds_that_count(discount: float, most: int) -> int:
    """Return for how many rounds a weight stays above 1/1000, but no more than ``most``.

    Examples
    --------
    >>> rounds_that_count(0.99, 10_000), rounds_that_count(1.0, 10_000)
    (688, 10000)
    """
    if discount >= 1.0:
        return most
    return min(most, max(1, math.ceil(log(_NEGLIGIBLE) / log(discount))))
