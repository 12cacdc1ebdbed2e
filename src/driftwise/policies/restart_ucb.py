"""Linear optimism that starts afresh every so many rounds (Zhao, Zhang, Jiang and Zhou, 2020)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import theory
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

__all__ = ["RestartUCB"]


@compilable
class EpochMemory(NamedTuple):
    """What `RestartUCB` has learnt since the last restart."""

    regression: Any  # in the layout that `regression.begin` picked
    cells: Vector  # radius, rounds since the restart, dimension

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        return [(self.cells[..., 1], 0, MOST), (self.cells[..., 2], 1, MOST)]


@described(
    Card(
        source="Zhao, Zhang, Jiang, Zhou (2020); tuning for general sets: Zhao, Zhang (2021)",
        knows="noise, bound on the parameter; horizon and variation for the best period",
        cost="K d^2; K d if the decision set is fixed; K if its rows lie on the axes",
        guarantee="d^(2/3) (B+1)^(1/3) T^(2/3) under Assumption 1, d^(7/8) (B+1)^(1/4) T^(3/4) without",
    )
)
@compilable
class RestartUCB(NamedTuple):
    r"""Plays the action with the largest upper confidence bound, learnt since the last restart.

    `LinUCB` (trace form) that forgets everything after every H rounds; n counts the rounds since
    then in

    .. math:: \beta = R \sqrt{2 \ln \frac{1}{\delta} + d \ln\left(1 + \frac{n L^2}{\lambda d}
       \right)} + \sqrt{\lambda} S .

    Parameters
    ----------
    restart_every
        Rounds between two restarts (H).
    noise, action_norm, parameter_norm, ridge, confidence
        As in `SlidingWindowUCB`.

    References
    ----------
    Zhao, Zhang, Jiang and Zhou (2020). A simple approach for non-stationary linear bandits.
    AISTATS. Zhao and Zhang (2021), arXiv 2103.05324, corrects the analysis for general sets.

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.RestartUCB.tuned(horizon=6000, dimension=2, variation=4.0, noise=1.0).restart_every
    179
    """

    restart_every: int
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01

    def _check(self) -> None:
        require_integer("restart_every", self.restart_every, unit="round")
        require_linear(self)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        dimension: int,
        noise: float,
        variation: float | None = None,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
        geometry: theory.Geometry = "orthogonal",
    ) -> RestartUCB:
        """Return the policy with the period of Zhao et al., which is that of a window for B + 1.

        Parameters
        ----------
        horizon, dimension, variation, geometry
            As for `SlidingWindowUCB.tuned`; an unknown variation counts as 0.
        noise, action_norm, parameter_norm, ridge
            As in the class.
        """
        period = theory.window(
            horizon=horizon,
            dimension=dimension,
            variation=1.0 + (variation or 0.0),
            geometry=geometry,
        )
        return cls(period, noise, action_norm, parameter_norm, ridge, 1.0 / horizon)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> EpochMemory:
        """Allocate a memory."""
        return EpochMemory(begin(n_arms, dimension, fixed), np.array([0.0, 0.0, dimension]))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.regression.clear(self.ridge)
        memory.cells[1] = 0.0
        self.widen(memory)

    def widen(self, memory: Any) -> None:
        """Write the confidence radius for the rounds since the restart."""
        memory.cells[0] = trace_radius(
            memory.cells[1], memory.cells[2], self.noise, self.action_norm, self.parameter_norm,
            self.ridge, self.confidence,
        )  # fmt: skip

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        arm, value, ties = memory.regression.optimistic(actions, memory.cells[0], luck)
        return Choice(arm, 1.0 / ties, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Take one round in, and forget everything if it was the last of its period."""
        memory.regression.insert(action, choice.arm, reward)
        memory.cells[1] += 1.0
        if memory.cells[1] == self.restart_every:
            memory.cells[1] = 0.0
            memory.regression.clear(self.ridge)
        self.widen(memory)

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another period."""
        return RestartUCB(
            setting, self.noise, self.action_norm, self.parameter_norm, self.ridge, self.confidence
        )

    def roomiest(self, settings: Any) -> Any:
        """Return any period: all need the same room."""
        return settings[0]

    def candidates(self, block_length: int) -> Any:
        """Return the periods to try in blocks of H rounds: the grid that serves for windows."""
        return theory.window_grid(block_length)

    def estimate_in(self, memory: Any) -> Vector:
        """Return the ridge estimate since the last restart; runs in Python only."""
        return memory.regression.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        radius, rounds = memory.cells[:2]
        source = f"The {int(rounds)} rounds since the last restart count."
        return ridge_belief(memory.regression, rounds, source, radius, self.noise)
