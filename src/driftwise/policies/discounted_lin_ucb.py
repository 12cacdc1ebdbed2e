"""Linear optimism with exponentially fading rounds (Russac, Vernade and Cappe, 2019)."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.belief import Belief, fading_belief
from .fading_memory import FadingMemory, fade, start_listed, widen
from .linear_settings import require_discounted

__all__ = ["DiscountedLinUCB"]


@described(
    Card(
        source="Russac, Vernade, Cappe (2019)",
        knows="noise, bound on the parameter, horizon; variation for the best discount",
        cost="K d^2 + d^3 / 6; mostly K d + d^3 / 6 on a fixed set of many arms; K on the axes",
        guarantee="d^(2/3) B^(1/3) T^(2/3) under Assumption 1, d^(7/8) B^(1/4) T^(3/4) without",
    )
)
@compilable
class DiscountedLinUCB(NamedTuple):
    r"""Plays the action with the largest upper confidence bound, learnt from fading rounds.

    With weights γ^age, V = λI + Σ γ^age X X', W = λI + Σ γ^(2 age) X X' and θ̂ = V⁻¹ Σ γ^age X Y it
    plays

    .. math:: \arg\max_x\; x'\hat\theta + \beta \sqrt{x' V^{-1} W V^{-1} x}, \quad
       \beta = R \sqrt{2 \ln \frac{1}{\delta} + d \ln\left(1 + \frac{L^2 (1 - \gamma^{2n})}
       {\lambda d (1 - \gamma^2)}\right)} + \sqrt{\lambda} S

    after n rounds.

    Parameters
    ----------
    discount
        What a round counts for after one more round (γ), in (0, 1].
    noise, action_norm, parameter_norm, ridge
        As in `SlidingWindowUCB`.
    confidence
        Probability with which the bounds may fail in a round (δ). The published proof claims it
        for all rounds at once, which is false; `tuned` takes δ/T with δ = 1/T, see Notes.

    Notes
    -----
    This is the recursion of the paper, W from W. The code published with it takes W from V, and
    the figures published with it were made so.

    The radius is valid in each round, but not in all rounds at once, as the source has it: with a
    discount it stays bounded, and chance exceeds any fixed bound in the end (Y.-S. Wu, 2026).
    With δ/T in the place of δ it holds over a horizon of T.

    References
    ----------
    Russac, Vernade and Cappe (2019). Weighted linear bandits for non-stationary environments.
    NeurIPS.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.DiscountedLinUCB.tuned(horizon=6000, dimension=2, variation=5.414, noise=1.0)
    >>> round(policy.discount, 5)
    0.99412
    """

    discount: float
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01

    def _check(self) -> None:
        require_discounted(self)

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
    ) -> DiscountedLinUCB:
        """Return the policy with the discount of the paper, and δ/T for δ = 1/T.

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
        return start_listed(n_arms, dimension, fixed)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.regression.clear(self.ridge)
        memory.cells[2] = 0.0
        memory.cells[3] = 1.0
        widen(self, memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        arm, value, ties = memory.regression.optimistic(actions, memory.cells[0], luck)
        return Choice(arm, 1.0 / ties, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Weigh all rounds down and take one in."""
        fade(self, memory, action, choice.arm, reward, 1)

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another discount."""
        return DiscountedLinUCB(
            setting, self.noise, self.action_norm, self.parameter_norm, self.ridge, self.confidence
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
        return fading_belief(self, memory)
