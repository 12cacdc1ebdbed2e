"""Linear optimism that forgets nothing: OFUL (Abbasi-Yadkori, Pal and Szepesvari, 2011)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_number
from ..core.compiler.compiled import compilable
from ..core.compiler.elementary import log
from ..core.contract.policy import Choice
from ..core.explain.belief import Belief, ridge_belief
from ..core.models.flight import Flight
from ..core.models.ridge.radii import radius_from
from ..core.models.ridge.regression import begin, last_arm
from .forgetting.everything import Everything
from .forgetting.linear import Unforgetful, confidence_radius
from .forgetting.rules import Optimistic

__all__ = ["LinUCB"]


@compilable
class GrowingMemory(NamedTuple):
    """A `RidgeMemory`, and what choices are made by if switches are rare."""

    regression: Any  # all rounds, in the layout that `regression.begin` picked
    acting: Any  # the same layout: as the regression was at the last switch
    radius: Vector  # (1,)
    rounds: Vector  # (1,): how many count
    dimension: Vector  # (1,)
    pending: Flight  # decisions in flight
    growth: Vector  # (1,): ln(det V / ridge^d) at the last switch

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        last = last_arm(self.regression)
        return [(self.rounds, 0, MOST), (self.dimension, 1, MOST), (self.pending.arms, 0, last)]


class _Settings(NamedTuple):
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    is_determinant: bool = False
    patience: float = 0.0


@described(
    Card(
        source="Abbasi-Yadkori, Pal, Szepesvari (2011)",
        knows="noise, bound on the parameter",
        cost="K d^2; K d if the decision set is fixed; K if its rows lie on the axes",
        guarantee="d sqrt(T) without drift; none under drift",
        plays_ball=True,
    )
)
@compilable
class LinUCB(Everything, Optimistic, Unforgetful, _Settings):
    r"""Plays the action with the largest upper confidence bound, learnt from all rounds.

    With V = λI + Σ X_s X_s' and θ̂ = V⁻¹ Σ X_s Y_s over all n rounds so far, it plays the action x
    with the largest x'θ̂ + β ‖x‖ in the norm of V⁻¹, where

    .. math:: \beta = R \sqrt{2 \ln \frac{1}{\delta} + d \ln\left(1 + \frac{n L^2}{\lambda d}
       \right)} + \sqrt{\lambda} S,

    valid for all rounds at once with probability 1 - δ. The determinant form has ln(det V / λ^d),
    which is never larger, in place of the second term.

    Parameters
    ----------
    noise, action_norm, parameter_norm, ridge
        As in `SlidingWindowUCB`.
    confidence
        Probability with which the bounds may ever fail (δ).
    is_determinant
        Whether the radius has the determinant form; it has the trace form otherwise.
    patience
        Rare switching: what is learnt is acted upon only when det V has grown by the factor
        1 + patience since the last time; 0 for every round.

    References
    ----------
    Abbasi-Yadkori, Pal and Szepesvari (2011). Improved algorithms for linear stochastic bandits.
    NIPS.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Stationary(horizon=1000, parameter=[0.2, 0.8])
    >>> dw.simulate(dw.LinUCB(noise=0.1), world).total_regret < 30
    True
    """

    __slots__ = ()

    def _check(self) -> None:
        Everything._check(self)
        require_number("patience", self.patience, at_least=0.0)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Any:
        """Allocate a memory."""
        ridge = Everything.start(self, n_arms, dimension, fixed)
        acting = begin(n_arms, dimension, fixed)
        return GrowingMemory(ridge.regression, acting, *ridge[1:], np.zeros(1))

    def forget(self, memory: Any) -> None:
        """Forget what was learnt."""
        memory.regression.clear(self.ridge)
        memory.acting.clear(self.ridge)
        memory.rounds[0] = 0.0
        memory.growth[0] = 0.0
        self.widen(memory)

    def widen(self, memory: Any) -> None:
        """Write the confidence radius for the rounds so far."""
        if self.is_determinant:
            memory.radius[0] = radius_from(
                memory.regression.log_growth(self.ridge), self.noise, self.parameter_norm,
                self.ridge, self.confidence,
            )  # fmt: skip
        else:
            memory.radius[0] = confidence_radius(self, memory.rounds[0], memory.dimension[0])

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        pending, radius = memory.pending, memory.radius[0]
        if self.patience > 0.0:
            arm, value, ties = pending.optimistic(memory.acting, actions, radius, luck)
        else:
            arm, value, ties = pending.optimistic(memory.regression, actions, radius, luck)
        return Choice(arm, 1.0 / ties, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Take one round in."""
        memory.pending.hear()
        memory.regression.insert(action, choice.arm, reward)
        memory.rounds[0] += 1.0
        if self.patience > 0.0:
            growth = memory.regression.log_growth(self.ridge)
            if growth > memory.growth[0] + log(1.0 + self.patience):
                memory.growth[0] = growth
                memory.acting.copy_from(memory.regression)
                self.widen(memory)
        else:
            self.widen(memory)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        regression = memory.acting if self.patience > 0.0 else memory.regression
        late = " up to the last switch" if self.patience > 0.0 else ""
        rounds = memory.rounds[0]
        source = f"All rounds count{late}, of {int(rounds)} so far."
        return ridge_belief(regression, rounds, source, memory.radius[0], self.noise)
