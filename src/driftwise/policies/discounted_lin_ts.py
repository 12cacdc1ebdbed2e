"""Linear Thompson sampling on fading rounds (Kim and Tewari, 2020)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.belief import Belief, fading_belief
from ..core.randomness import draws
from .fading_memory import FadingMemory, start_fading
from .linear_settings import require_discounted

__all__ = ["DiscountedLinTS"]


@described(
    Card(
        source="Kim, Tewari (2020)",
        knows="noise, bound on the parameter, horizon; variation for the best discount",
        cost="K d + d^3 / 3; K if the decision set is fixed with rows on the axes",
        guarantee="claimed d^(2/3) B^(1/3) T^(2/3) up to sqrt(log K); T^(3/4) without Assumption 1",
    )
)
@compilable
class DiscountedLinTS(NamedTuple):
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

    discount: float
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    inflation: float = 1.0

    def _check(self) -> None:
        require_discounted(self)
        require_number("inflation", self.inflation, above=0.0)

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
    ) -> DiscountedLinTS:
        """Return the policy with the discount of `DiscountedLinUCB`.

        Parameters
        ----------
        horizon, dimension, variation, geometry
            As for `SlidingWindowUCB.tuned`; an unknown variation counts as 1.
        noise, action_norm, parameter_norm, ridge
            As in the class.
        """
        discount = theory.discount(
            horizon=horizon, dimension=dimension, variation=variation, geometry=geometry
        )
        confidence = 1.0 / (horizon * horizon)
        return cls(discount, noise, action_norm, parameter_norm, ridge, confidence)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> FadingMemory:
        """Allocate a memory."""
        return start_fading(n_arms, dimension, fixed)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.regression.clear(self.ridge)
        memory.cells[2] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the best row for the parameter drawn; in the first d rounds any row."""
        n_arms = actions.shape[0]
        if memory.cells[2] < memory.cells[1]:
            arm = int(draws.uniform(luck, 0) * n_arms)
            return Choice(arm, 1.0 / n_arms, math.nan)
        arm, value, _ = memory.regression.randomised(actions, self.inflation, luck)
        return Choice(arm, math.nan, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Weigh all rounds down and take one in; there is no radius to widen."""
        memory.regression.fade(action, choice.arm, reward, self.discount, self.ridge, 2)
        memory.cells[2] += 1.0

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another discount."""
        return DiscountedLinTS(
            setting,
            self.noise,
            self.action_norm,
            self.parameter_norm,
            self.ridge,
            self.confidence,
            self.inflation,
        )

    def roomiest(self, settings: Any) -> Any:
        """Return any discount: all need the same room."""
        return settings[0]

    def candidates(self, block_length: int) -> Any:
        """Return the discounts to try in blocks of H rounds."""
        return theory.discount_grid(block_length)

    def estimate_in(self, memory: Any) -> Vector:
        """Return the faded ridge estimate; runs in Python only."""
        return memory.regression.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        return fading_belief(self, memory)._replace(is_random=True, radius=self.inflation)
