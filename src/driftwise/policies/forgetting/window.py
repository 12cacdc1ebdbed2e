"""The most recent rounds count."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import theory
from ...core.base.arrays import Matrix, Vector
from ...core.base.limits import MOST, Limits
from ...core.compiler.compiled import compilable
from ...core.compiler.elementary import log
from ...core.models.flight import Flight
from ...core.models.ridge.regression import begin, last_arm
from ...core.models.ridge.window import ARM, COUNT, NO_ARM, Ring, extend_rounds, forget_rounds, ring
from .linear import Forgetful, flight_for
from .settings import ByWindow

__all__ = ["WindowMemory", "WindowSettings", "Windowed"]


@compilable
class WindowMemory(NamedTuple):
    """A regression on the rounds of a window, and the confidence radius that goes with it."""

    regression: Any  # in the layout that `regression.begin` picked
    ring: Ring  # the rounds in the window
    radius: Vector  # (1,)
    dimension: Vector  # (1,)
    pending: Flight  # decisions in flight

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior, and drop the rounds that had them; in Python only."""
        forget_rounds(self, unlearnt, columns)
        self.pending._forget(unlearnt.pending, columns)

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over rounds whose actions had fewer coordinates; in Python only."""
        extend_rounds(self, former, columns, factor)

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [
            (self.ring.history[..., ARM], NO_ARM, last_arm(self.regression)),
            (self.dimension, 1, MOST),
            (self.pending.arms, 0, last_arm(self.regression)),
        ]


class WindowSettings(NamedTuple):
    """The settings of a policy that forgets by a window."""

    window: int
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01


class Windowed(ByWindow, Forgetful):
    """Learns from the last ``window`` rounds; a reward that comes late enters when it comes."""

    __slots__ = ()
    _best_setting = staticmethod(theory.window)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Any:
        """Allocate a memory."""
        regression = begin(n_arms, dimension, fixed)
        rounds = ring(self.window, dimension, regression)
        numbers = np.zeros(1), np.full(1, float(dimension))
        pending = flight_for(regression, dimension, self.window)
        return WindowMemory(regression, rounds, *numbers, pending)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything, and write the radius of the paper, which never changes."""
        growth = 1.0 + self.window * self.action_norm * self.action_norm / self.ridge
        spread = memory.dimension[0] * (log(growth) - log(self.confidence))
        memory.radius[0] = (
            self.noise * math.sqrt(spread) + math.sqrt(self.ridge) * self.parameter_norm
        )
        memory.pending.land_all()
        memory.ring.empty()
        memory.regression.clear(self.ridge)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the round into the window."""
        memory.pending.hear()
        memory.ring.push(memory.regression, action, choice.arm, reward, self.window, self.ridge)

    def tick(self, memory: Any) -> None:
        """Let a round without a reward into the window."""
        memory.ring.skip(memory.regression, self.window, self.ridge)

    def counted_in(self, memory: Any) -> tuple[float, str]:
        """Return how many rounds count, and why, in words; runs in Python only."""
        rounds = int(np.sum(memory.ring.history[: memory.ring.clock[COUNT], ARM] != NO_ARM))
        return rounds, f"The last {rounds} rounds count, of a window of {self.window}."
