"""Every round counts for less than the one after it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import theory
from ...core.base.arrays import Matrix, Vector
from ...core.base.limits import MOST, Limits
from ...core.compiler.compiled import compilable
from ...core.explain.belief import faded_rounds
from ...core.models.discounted.fading import begin_fading
from ...core.models.flight import Flight
from ...core.models.ridge.radii import faded_weight
from ...core.models.ridge.regression import last_arm
from .linear import Forgetful, confidence_radius, flight_for
from .settings import ByDiscount

__all__ = ["DiscountSettings", "Discounted", "FadingMemory", "InflatedSettings"]

_NEGLIGIBLE = 1e-17


class DiscountSettings(NamedTuple):
    """The settings of a policy that forgets by a discount."""

    discount: float
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01


class InflatedSettings(NamedTuple):
    """The same, and how widely a rule draws."""

    discount: float
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    inflation: float = 1.0


@compilable
class FadingMemory(NamedTuple):
    """A regression that fades, and the confidence radius that goes with it."""

    regression: Any  # FadingDense or FadingAxes
    radius: Vector  # (1,)
    dimension: Vector  # (1,)
    rounds: Vector  # (1,): all of them, faded or not
    power: Vector  # (1,): discount ** (2 * rounds)
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        last = last_arm(self.regression)
        return [(self.rounds, 0, MOST), (self.dimension, 1, MOST), (self.pending.arms, 0, last)]


class Discounted(ByDiscount, Forgetful):
    """Learns from all rounds, which fade by ``discount`` with every new one."""

    __slots__ = ()
    _best_setting = staticmethod(theory.discount)

    @classmethod
    def _best_confidence(cls, horizon: int) -> float:
        # The radius is valid in each round, not in all at once: δ/T with δ = 1/T.
        return 1.0 / (horizon * horizon)

    def sandwich(self) -> int:
        """Return how errors are measured: by V^-1 (0), by V^-1 W V^-1 (1), or drawn so (2)."""
        return 1

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Any:
        """Allocate a memory."""
        regression = begin_fading(n_arms, dimension, fixed)
        numbers = np.zeros(1), np.full(1, float(dimension)), np.zeros(1), np.ones(1)
        return FadingMemory(regression, *numbers, flight_for(regression, dimension))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.pending.land_all()
        memory.regression.clear(self.ridge)
        memory.rounds[0] = 0.0
        memory.power[0] = 1.0
        self.widen(memory)

    def widen(self, memory: Any) -> None:
        """Write the confidence radius for the rounds so far (Russac et al., 2019, Prop. 1)."""
        weight = faded_weight(memory.power[0], memory.rounds[0], self.discount)
        memory.radius[0] = confidence_radius(self, weight, memory.dimension[0])

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Weigh all rounds down and take one in."""
        memory.pending.hear()
        memory.regression.fade(
            action, choice.arm, reward, self.discount, self.ridge, self.sandwich()
        )
        memory.rounds[0] += 1.0
        if memory.power[0] > _NEGLIGIBLE:  # 1 less it is 1, and the radius has reached its limit
            memory.power[0] *= self.discount * self.discount
            self.widen(memory)

    def tick(self, memory: Any) -> None:
        """Weigh all rounds down; the radius, which holds for more weight, stays."""
        memory.regression.dim(self.discount, self.ridge, self.sandwich())

    def counted_in(self, memory: Any) -> tuple[float, str]:
        """Return how many rounds count, and why, in words; runs in Python only."""
        rounds = faded_rounds(self.discount, memory.rounds[0])
        return rounds, f"As many as {rounds:.4g} rounds count, faded by {self.discount:g} each."
