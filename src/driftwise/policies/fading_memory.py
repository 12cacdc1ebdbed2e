"""What the discounted policies remember, and the steps that they share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.limits import MOST, Limits
from ..core.compiler.compiled import compilable, inlined
from ..core.models.discounted.fading import begin_fading
from ..core.models.discounted.fading_listed import begin_listed
from ..core.models.ridge.radii import faded_weight, trace_radius

__all__ = ["FadingMemory", "fade", "start_fading", "start_listed", "widen"]

_NEGLIGIBLE = 1e-17


@compilable
class FadingMemory(NamedTuple):
    """A regression that fades, and the confidence radius that goes with it."""

    regression: Any  # FadingDense, FadingAxes or FadingListed
    cells: Vector  # radius, dimension, rounds, discount ** (2 * rounds)

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        return [(self.cells[..., 1], 1, MOST), (self.cells[..., 2], 0, MOST)]


def start_fading(n_arms: int, dimension: int, fixed: Matrix | None) -> FadingMemory:
    """Allocate a memory."""
    return _with_cells(begin_fading(n_arms, dimension, fixed), dimension)


def start_listed(n_arms: int, dimension: int, fixed: Matrix | None) -> FadingMemory:
    """Allocate a memory for a policy whose choices are by mean + radius * width."""
    return _with_cells(begin_listed(n_arms, dimension, fixed), dimension)


def _with_cells(regression: Any, dimension: int) -> FadingMemory:
    return FadingMemory(regression, np.array([0.0, dimension, 0.0, 1.0]))


@inlined
def widen(policy: Any, memory: Any) -> None:
    """Write the confidence radius for the rounds so far (Russac et al., 2019, Proposition 1)."""
    weight = faded_weight(memory.cells[3], memory.cells[2], policy.discount)
    memory.cells[0] = trace_radius(
        weight, memory.cells[1], policy.noise, policy.action_norm, policy.parameter_norm,
        policy.ridge, policy.confidence,
    )  # fmt: skip


@inlined
def fade(policy: Any, memory: Any, action: Vector, arm: int, reward: float, sandwich: int) -> None:
    """Weigh all rounds down, take one in, write the new radius and make ready for the choice."""
    memory.regression.fade(action, arm, reward, policy.discount, policy.ridge, sandwich)
    memory.cells[2] += 1.0
    if memory.cells[3] > _NEGLIGIBLE:  # 1 less it is 1, and the radius has reached its limit
        memory.cells[3] *= policy.discount * policy.discount
        widen(policy, memory)
    memory.regression.sharpen(memory.cells[0])
