"""Linear Thompson sampling (Abeille and Lazaric, 2017)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.belief import Belief, ridge_belief
from ..core.models.ridge.radii import trace_radius
from ..core.models.ridge.regression import begin
from .linear_settings import require_linear

__all__ = ["LinTS"]


@compilable
class SampleMemory(NamedTuple):
    """What `LinTS` has learnt."""

    regression: Any  # in the layout that `regression.begin` picked
    cells: Vector  # radius, rounds, dimension

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        return [(self.cells[..., 1], 0, MOST), (self.cells[..., 2], 1, MOST)]


@described(
    Card(
        source="Abeille, Lazaric (2017)",
        knows="noise, bound on the parameter, horizon",
        cost="K d + d^2; K if the decision set is fixed with rows on the axes",
        guarantee="d^(3/2) sqrt(T) without drift; none under drift",
    )
)
@compilable
class LinTS(NamedTuple):
    r"""Plays the best action for one parameter drawn around the estimate, learnt from all rounds.

    With V, θ̂ and β as in `LinUCB` (trace form) and η standard normal in d dimensions, it plays the
    best action for

    .. math:: \tilde\theta = \hat\theta + a \beta V^{-1/2} \eta .

    Parameters
    ----------
    noise, action_norm, parameter_norm, ridge, confidence
        As in `LinUCB`.
    inflation
        How much wider than the confidence set to draw (a). 1 has the guarantee; smaller values
        explore less, and often do better.

    Notes
    -----
    Taken from the general form of Abeille and Lazaric, in which η may have any distribution that
    is neither too narrow nor too wide; `tuned` sets their δ' = δ / (4T) with δ = 1/T. Agrawal and
    Goyal (2013) take another constant in the place of β. The propensity of an arm has no closed
    form and is reported as nan.

    References
    ----------
    Abeille and Lazaric (2017). Linear Thompson sampling revisited. AISTATS.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Stationary(horizon=1000, parameter=[0.2, 0.8])
    >>> dw.simulate(dw.LinTS(noise=0.1), world).total_regret < 60
    True
    """

    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    inflation: float = 1.0

    def _check(self) -> None:
        require_linear(self)
        require_number("inflation", self.inflation, above=0.0)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        noise: float,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
    ) -> LinTS:
        """Return the policy with δ' = 1 / (4 T^2)."""
        horizon = require_integer("horizon", horizon, unit="round")
        return cls(noise, action_norm, parameter_norm, ridge, 0.25 / (horizon * horizon))

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> SampleMemory:
        """Allocate a memory."""
        return SampleMemory(begin(n_arms, dimension, fixed), np.array([0.0, 0.0, dimension]))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.regression.clear(self.ridge)
        memory.cells[1] = 0.0
        self.widen(memory)

    def widen(self, memory: Any) -> None:
        """Write the confidence radius for the rounds so far."""
        memory.cells[0] = trace_radius(
            memory.cells[1], memory.cells[2], self.noise, self.action_norm, self.parameter_norm,
            self.ridge, self.confidence,
        )  # fmt: skip

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the best row for the parameter drawn."""
        spread = self.inflation * memory.cells[0]
        arm, value, _ = memory.regression.randomised(actions, spread, luck)
        return Choice(arm, math.nan, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Take one round in."""
        memory.regression.insert(action, choice.arm, reward)
        memory.cells[1] += 1.0
        self.widen(memory)

    def estimate_in(self, memory: Any) -> Vector:
        """Return the ridge estimate; runs in Python only."""
        return memory.regression.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        radius, rounds = self.inflation * memory.cells[0], memory.cells[1]
        source = f"All {int(rounds)} rounds count."
        belief = ridge_belief(memory.regression, rounds, source, radius, self.noise)
        return belief._replace(is_random=True)
