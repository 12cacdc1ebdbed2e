"""All rounds so far count."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.base.arrays import Matrix, Vector
from ...core.base.limits import MOST, Limits
from ...core.compiler.compiled import compilable
from ...core.models.flight import Flight
from ...core.models.ridge.regression import begin, last_arm
from .linear import Linear, confidence_radius, flight_for

__all__ = ["Everything", "RidgeMemory"]


@compilable
class RidgeMemory(NamedTuple):
    """A regression, and the confidence radius that goes with it."""

    regression: Any  # in the layout that `regression.begin` picked
    radius: Vector  # (1,)
    rounds: Vector  # (1,): how many count
    dimension: Vector  # (1,)
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        last = last_arm(self.regression)
        return [(self.rounds, 0, MOST), (self.dimension, 1, MOST), (self.pending.arms, 0, last)]


class Everything(Linear):
    """Learns from all rounds so far."""

    __slots__ = ()

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> RidgeMemory:
        """Allocate a memory."""
        regression = begin(n_arms, dimension, fixed)
        numbers = np.zeros(1), np.zeros(1), np.full(1, float(dimension))
        return RidgeMemory(regression, *numbers, flight_for(regression, dimension))

    def tick(self, memory: Any) -> None:
        """Do nothing: nothing is forgotten as time passes."""

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.pending.land_all()
        self.forget(memory)

    def forget(self, memory: Any) -> None:
        """Forget what was learnt."""
        memory.regression.clear(self.ridge)
        memory.rounds[0] = 0.0
        self.widen(memory)

    def widen(self, memory: Any) -> None:
        """Write the confidence radius for the rounds that count."""
        memory.radius[0] = confidence_radius(self, memory.rounds[0], memory.dimension[0])

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Take one round in, and forget everything where an estimator that restarts says so."""
        memory.pending.hear()
        memory.regression.insert(action, choice.arm, reward)
        memory.rounds[0] += 1.0
        if self.is_over(memory):
            self.forget(memory)
        else:
            self.widen(memory)

    def is_over(self, memory: Any) -> bool:
        """Return whether what was learnt is out of date."""
        return False

    def counted_in(self, memory: Any) -> tuple[float, str]:
        """Return how many rounds count, and why, in words; runs in Python only."""
        rounds = memory.rounds[0]
        return rounds, f"All {int(rounds)} rounds count."
