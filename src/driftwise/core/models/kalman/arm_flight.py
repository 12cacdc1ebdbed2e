"""Decisions of arms whose rewards have not come: they count, and fade if they are never heard of.

Without them a look at an arm would be repeated until its first reward is there. What was decided is worth
exp(-age / (delay + 1)) of a decision, with ages in ticks, and the delay the mean age of the rewards that
came. A tick passes with each decision while anything is in flight, and no other: where every reward comes
at once nothing here is ever written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable
from ...compiler.elementary import exp

__all__ = ["ArmFlight", "TimedChoice", "begin_arm_flight"]

# Cells of a clock.
TICK = 0  # ticks so far
DELAY = 1  # the mean age of rewards when they came, over the last thousand
ARRIVED = 2  # rewards that this mean is of
OPEN = 3  # 1 if anything is in flight, otherwise 0
_CELLS = 4

_SLOTS = 1024  # of the decisions before the last so many, none is known to be in flight
_NOBODY = -1  # where there is no luck
_LAST_LUCK = 2**63 - 2  # but one
_LASTING = 1000.0  # rewards over which the delay is averaged
_NOTHING = 1e-9  # of a decision: gone


@compilable
class TimedChoice(NamedTuple):
    """A `driftwise.core.contract.policy.Choice` that knows when it was made."""

    arm: int  # row of the decision set
    propensity: float  # probability of this row, given memory and decision set
    value: float  # mean plus bonus, in units of reward; nan if the arm was never seen
    tick: int  # of the clock


@compilable
class ArmFlight(NamedTuple):
    """How much of a decision is in flight for each arm."""

    flight: Vector  # (K,)
    clock: Vector  # (4,), see above
    lucks: NDArray[np.int64]  # (1024,): what is in flight, by the last digits of its tick

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        counts = self.clock[..., [TICK, ARRIVED]]
        return [(counts, 0, MOST), (self.clock[..., OPEN], 0, 1), (self.lucks, _NOBODY, _LAST_LUCK)]

    def land_all(self) -> None:
        """Start over with nothing in flight."""
        for arm in range(self.flight.size):
            self.flight[arm] = 0.0
        for i in range(self.clock.size):
            self.clock[i] = 0.0
        for i in range(self.lucks.size):
            self.lucks[i] = _NOBODY

    def now(self) -> int:
        """Return the tick."""
        return int(self.clock[TICK])

    def take_off(self, arm: int, tick: int, luck: int) -> None:
        """Count a decision of an arm, and let a tick pass."""
        self.lucks[tick % self.lucks.size] = luck
        self.flight[arm] += 1.0
        self.let_pass()

    def land(self, arm: int, tick: int, luck: int) -> None:
        """Take out what is left of a decision, if it is known to be in flight."""
        slot = tick % self.lucks.size
        if self.lucks[slot] == luck:
            self.lucks[slot] = _NOBODY
            left = exp(-self.age_of(tick) / (self.clock[DELAY] + 1.0))
            self.flight[arm] = max(self.flight[arm] - left, 0.0)
            self.fade(1.0)

    def arrive(self, tick: int) -> None:
        """Take note of when a reward came, if anything is in flight or it was late."""
        clock, age = self.clock, self.age_of(tick)
        if age > 0.0 or clock[OPEN] > 0.0:
            clock[ARRIVED] += 1.0
            clock[DELAY] += (age - clock[DELAY]) / min(clock[ARRIVED], _LASTING)
            if age == 0.0:
                self.let_pass()

    def age_of(self, tick: int) -> float:
        """Return the ticks since a decision."""
        return max(float(self.clock[TICK]) - tick, 0.0)

    def let_pass(self) -> None:
        """Let a tick pass: everything in flight fades."""
        self.fade(exp(-1.0 / (self.clock[DELAY] + 1.0)))
        self.clock[TICK] += 1.0

    def fade(self, share: float) -> None:
        """Leave a share of what is in flight, and see whether that is anything."""
        self.clock[OPEN] = 0.0
        for arm in range(self.flight.size):
            left = share * self.flight[arm]
            self.flight[arm] = left if left > _NOTHING else 0.0
            if left > _NOTHING:
                self.clock[OPEN] = 1.0


def begin_arm_flight(n_arms: int) -> ArmFlight:
    """Return a clock of so many arms, with nothing in flight."""
    return ArmFlight(np.zeros(n_arms), np.zeros(_CELLS), np.full(_SLOTS, _NOBODY, dtype=np.int64))
