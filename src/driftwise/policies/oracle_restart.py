"""A yardstick: linear optimism that is told when the world changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_integer
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.belief import Belief, ridge_belief
from ..core.models.ridge.radii import trace_radius
from ..core.models.ridge.regression import begin
from .linear_settings import require_linear

__all__ = ["OracleRestart"]


@compilable
class OracleMemory(NamedTuple):
    """What `OracleRestart` has learnt since the last change."""

    regression: Any  # in the layout that `regression.begin` picked
    cells: Vector  # radius, rounds since the change, dimension, rounds in all, changes in the past

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        return [(self.cells[..., 1:], 0, MOST), (self.cells[..., 2], 1, MOST)]


@described(
    Card(
        source="a yardstick",
        knows="noise, bound on the parameter, and every change point",
        cost="K d^2; K d if the decision set is fixed; K if its rows lie on the axes",
        guarantee="d sqrt(T) per stationary piece of T rounds",
    )
)
@compilable
class OracleRestart(NamedTuple):
    """Plays as `LinUCB` and forgets everything whenever the world changes: it is told when.

    What nobody can do who does not know the change points: a yardstick for worlds that switch.

    Parameters
    ----------
    change_points
        How many rounds have been played when the world changes, in increasing order.
    noise, action_norm, parameter_norm, ridge, confidence
        As in `LinUCB`.

    Examples
    --------
    >>> import driftwise as dw
    >>> OracleRestart(change_points=[1000, 2000], noise=0.1).change_points
    array([1000, 2000])
    """

    change_points: Any  # any sequence; kept as a read-only array
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01

    def _check(self) -> None:
        points = self.change_points
        if not isinstance(points, np.ndarray) or points.ndim != 1 or points.dtype.kind != "i":
            raise ValueError(f"change_points must be a list of whole rounds, got {points!r}")
        if points.size == 0 or points[0] < 1 or np.any(np.diff(points) < 1):
            raise ValueError(f"change_points must increase from at least 1, got {points.tolist()}")
        require_linear(self)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        change_points: Any,
        noise: float,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
    ) -> OracleRestart:
        """Return the policy with δ = 1/T."""
        horizon = require_integer("horizon", horizon, unit="round")
        return cls(change_points, noise, action_norm, parameter_norm, ridge, 1.0 / horizon)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> OracleMemory:
        """Allocate a memory."""
        cells = np.array([0.0, 0.0, dimension, 0.0, 0.0])
        return OracleMemory(begin(n_arms, dimension, fixed), cells)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything, the round included."""
        memory.cells[3] = 0.0
        memory.cells[4] = 0.0
        self.forget(memory)

    def forget(self, memory: Any) -> None:
        """Forget what was learnt, as after a change."""
        memory.regression.clear(self.ridge)
        memory.cells[1] = 0.0
        self.widen(memory)

    def widen(self, memory: Any) -> None:
        """Write the confidence radius for the rounds since the change."""
        memory.cells[0] = trace_radius(
            memory.cells[1], memory.cells[2], self.noise, self.action_norm, self.parameter_norm,
            self.ridge, self.confidence,
        )  # fmt: skip

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        arm, value, ties = memory.regression.optimistic(actions, memory.cells[0], luck)
        return Choice(arm, 1.0 / ties, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Take one round in, and forget everything if the world changes now."""
        memory.regression.insert(action, choice.arm, reward)
        memory.cells[1] += 1.0
        memory.cells[3] += 1.0
        passed = int(memory.cells[4])
        if passed < self.change_points.size and memory.cells[3] >= self.change_points[passed]:
            memory.cells[4] += 1.0
            self.forget(memory)
        else:
            self.widen(memory)

    def estimate_in(self, memory: Any) -> Vector:
        """Return the ridge estimate since the last change; runs in Python only."""
        return memory.regression.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        radius, rounds = memory.cells[:2]
        source = f"The {int(rounds)} rounds since the last change count."
        return ridge_belief(memory.regression, rounds, source, radius, self.noise)
