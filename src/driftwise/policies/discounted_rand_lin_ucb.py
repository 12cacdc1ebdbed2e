"""Optimism of random strength on fading rounds (Kim and Tewari, 2020)."""

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
from ..core.randomness.normals import normal
from .fading_memory import FadingMemory, fade, start_fading, widen
from .linear_settings import require_discounted

__all__ = ["DiscountedRandLinUCB"]


@described(
    Card(
        source="Kim, Tewari (2020)",
        knows="noise, bound on the parameter, horizon; variation for the best discount",
        cost="K d^2 + d^3 / 6; K if the decision set is fixed with rows on the axes",
        guarantee="claimed d^(2/3) B^(1/3) T^(2/3); T^(3/4) without Assumption 1",
    )
)
@compilable
class DiscountedRandLinUCB(NamedTuple):
    r"""Plays the action with the largest mean plus a random multiple of its width.

    With V, W, θ̂ and β as in `DiscountedLinUCB` and one standard normal Z per round, shared by all
    actions, it plays

    .. math:: \arg\max_x\; x'\hat\theta + a |Z| \beta \sqrt{x' V^{-1} W V^{-1} x} .

    Parameters
    ----------
    discount, noise, action_norm, parameter_norm, ridge, confidence
        As in `DiscountedLinUCB`.
    inflation
        How strong optimism is on the whole (a); 0.4 in the authors' experiments.

    Notes
    -----
    Taken from the authors' code, its variant with a half-normal Z. The propensity of an arm has no
    closed form and is nan.

    References
    ----------
    Kim and Tewari (2020). Randomized exploration for non-stationary stochastic linear bandits. UAI.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Stationary(horizon=1000, parameter=[0.2, 0.8])
    >>> dw.simulate(dw.DiscountedRandLinUCB(discount=0.99, noise=0.1), world).total_regret < 60
    True
    """

    discount: float
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    inflation: float = 0.4

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
    ) -> DiscountedRandLinUCB:
        """Return the policy with the discount of `DiscountedLinUCB`, and δ/T for δ = 1/T.

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
        memory.cells[3] = 1.0
        widen(self, memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest mean plus a random multiple of its width."""
        radius = self.inflation * abs(normal(luck, 0)) * memory.cells[0]
        arm, value, _ = memory.regression.optimistic(actions, radius, draws.fork(luck))
        return Choice(arm, math.nan, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Weigh all rounds down and take one in."""
        fade(self, memory, action, choice.arm, reward, 1)

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another discount."""
        return DiscountedRandLinUCB(
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
        belief = fading_belief(self, memory)
        return belief._replace(is_random=True, radius=self.inflation * belief.radius)
