"""Linear Thompson sampling on fading rounds (Kim and Tewari, 2020)."""

from __future__ import annotations

import math
from typing import Any

from ..core.base.arrays import Matrix
from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.randomness import draws
from .forgetting.discount import Discounted, InflatedSettings
from .forgetting.rules import Sampled

__all__ = ["DiscountedLinTS"]

CARD = Card(
    source="Kim, Tewari (2020)",
    knows="noise, bound on the parameter, horizon; variation for the best discount",
    cost="K d + d^3 / 3; K if the decision set is fixed with rows on the axes",
    guarantee="claimed d^(2/3) B^(1/3) T^(2/3) up to sqrt(log K); T^(3/4) without Assumption 1",
)


@described(CARD)
@compilable
class DiscountedLinTS(Discounted, Sampled, InflatedSettings):
    r"""Plays the best action for one parameter drawn around an estimate from fading rounds.

    With V, W and θ̂ as in `DiscountedLinUCB` and Z standard normal it plays the best action for

    .. math:: \tilde\theta = V^{-1} \left(\sum \gamma^{age} X Y + a W^{1/2} Z\right),

    that is, for a draw from N(θ̂, a² V⁻¹ W V⁻¹). The first d rounds play any action.

    Parameters
    ----------
    discount, noise, action_norm, parameter_norm, ridge, confidence
        As in `DiscountedLinUCB`; only discount and ridge decide what is played.
    inflation
        How widely to draw (a). The authors' experiments take 1; the theory takes it in
        proportion to the confidence radius.

    Notes
    -----
    Taken from the authors' code. The propensity of an arm has no closed form and is nan.

    References
    ----------
    Kim and Tewari (2020). Randomized exploration for non-stationary stochastic linear bandits. UAI.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Stationary(horizon=1000, parameter=[0.2, 0.8])
    >>> policy = dw.DiscountedLinTS(discount=0.99, noise=0.1, inflation=0.1)
    >>> dw.simulate(policy, world).total_regret < 60
    True
    """

    __slots__ = ()

    def _drawing(self, noise: float) -> Any:
        return self._replace(inflation=noise)  # it knows no radius

    def strength(self, memory: Any) -> float:
        """Return how widely to draw, which the confidence radius has no part in."""
        return self.inflation

    def sandwich(self) -> int:
        """Ask for errors that can be drawn by."""
        return 2

    def widen(self, memory: Any) -> None:
        """Do nothing: there is no radius."""

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the best row for the parameter drawn; in the first d rounds any row."""
        n_arms = actions.shape[0]
        if memory.rounds[0] < memory.dimension[0]:
            arm = int(draws.uniform(luck, 0) * n_arms)
            return Choice(arm, 1.0 / n_arms, math.nan)
        return self.sample(memory, actions, luck)
