"""All rounds since the last restart count: one every H rounds, or at given rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import theory
from ...core.base.arrays import Matrix, Vector
from ...core.base.errors import RuleValueError
from ...core.base.limits import MOST, Limits
from ...core.compiler.compiled import compilable
from ...core.models.flight import Flight
from ...core.models.ridge.regression import last_arm
from .everything import Everything
from .linear import Forgetful
from .settings import ByPeriod

__all__ = ["PeriodSettings", "RestartingAt", "RestartingEvery"]


class PeriodSettings(NamedTuple):
    """The settings of a policy that forgets by a period."""

    restart_every: int
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01


class RestartingEvery(ByPeriod, Everything, Forgetful):
    """Forgets everything after every ``restart_every`` rounds."""

    __slots__ = ()
    _best_setting = staticmethod(theory.restart_period)

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision in flight, of no more than a period holds."""
        memory.pending.take_off(memory.regression, action, choice.arm, luck)
        memory.pending.keep_newest(memory.regression, self.restart_every)

    def is_over(self, memory: Any) -> bool:
        """Return whether this was the last round of its period."""
        return memory.rounds[0] >= self.restart_every  # type: ignore[no-any-return]  # a bool

    def tick(self, memory: Any) -> None:
        """Let a round of the period pass; the radius holds for more rounds than were learnt from."""
        memory.rounds[0] += 1.0
        if self.is_over(memory):
            self.forget(memory)

    def counted_in(self, memory: Any) -> tuple[float, str]:
        """Return how many rounds count, and why, in words; runs in Python only."""
        rounds = memory.rounds[0]
        return rounds, f"The {int(rounds)} rounds since the last restart count."


@compilable
class ScheduledMemory(NamedTuple):
    """A `RidgeMemory`, and where in the schedule of restarts it is."""

    regression: Any  # in the layout that `regression.begin` picked
    radius: Vector  # (1,)
    rounds: Vector  # (1,): how many count
    dimension: Vector  # (1,)
    pending: Flight  # decisions in flight
    played: Vector  # (1,): rounds in total
    passed: Vector  # (1,): how many change points lie behind

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [
            (self.rounds, 0, MOST),
            (self.dimension, 1, MOST),
            (self.played, 0, MOST),
            (self.passed, 0, MOST),
            (self.pending.arms, 0, last_arm(self.regression)),
        ]


class RestartingAt(Everything):
    """Forgets everything after the rounds listed in ``change_points``."""

    __slots__ = ()
    if TYPE_CHECKING:
        change_points: Any

    def _check(self) -> None:
        points = self.change_points
        if not isinstance(points, np.ndarray) or points.ndim != 1 or points.dtype.kind != "i":
            raise RuleValueError("change_points", "be a list of integers", points)
        if points.size == 0 or points[0] < 1 or np.any(np.diff(points) < 1):
            raise RuleValueError("change_points", "increase from at least 1", points.tolist())
        super()._check()

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Any:
        """Allocate a memory."""
        ridge = Everything.start(self, n_arms, dimension, fixed)
        return ScheduledMemory(*ridge, np.zeros(1), np.zeros(1))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything, the round included."""
        memory.pending.land_all()
        memory.played[0] = 0.0
        memory.passed[0] = 0.0
        self.forget(memory)

    def is_over(self, memory: Any) -> bool:
        """Return whether the world changes after this round, and count rounds and changes."""
        memory.played[0] += 1.0
        passed = int(memory.passed[0])
        if passed < self.change_points.size and memory.played[0] >= self.change_points[passed]:
            memory.passed[0] += 1.0
            return True
        return False

    def tick(self, memory: Any) -> None:
        """Let a round pass, and forget everything if the world changes after it."""
        if self.is_over(memory):
            self.forget(memory)

    def counted_in(self, memory: Any) -> tuple[float, str]:
        """Return how many rounds count, and why, in words; runs in Python only."""
        rounds = memory.rounds[0]
        return rounds, f"The {int(rounds)} rounds since the last change count."
