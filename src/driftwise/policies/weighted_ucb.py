"""Linear optimism with fading rounds and one matrix (Wang, Zhao and Zhou, 2023)."""

from __future__ import annotations

import math

from ..core.base.card import Card, described
from ..core.base.validation import require_integer, require_number
from ..core.compiler.compiled import compilable
from .forgetting.discount import Discounted, DiscountSettings
from .forgetting.rules import Optimistic

__all__ = ["WeightedUCB"]


@described(
    Card(
        source="Wang, Zhao, Zhou (2023)",
        knows="noise, bound on the parameter, horizon; variation for the best discount",
        cost="K d^2 + d^3 / 6; K on the axes",
        guarantee="d^(3/4) B^(1/4) T^(3/4) for any decision sets",
    )
)
@compilable
class WeightedUCB(Discounted, Optimistic, DiscountSettings):
    r"""Plays the action with the largest upper confidence bound, learnt from fading rounds.

    As `DiscountedLinUCB`, but the width of an action x is its norm in V⁻¹ alone, which is never
    smaller: W ≤ V. One matrix less, and an analysis that holds for any decision sets.

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
    Structure and rate are those of the source; its λ = d and γ = 1 - max{1/T, sqrt(B / (dT))} are
    taken from its rate, not read there.

    The radius is valid in each round, but not in all rounds at once, as the source has it: with a
    discount it stays bounded, and chance exceeds any fixed bound in the end (Y.-S. Wu, 2026).
    With δ/T in the place of δ it holds over a horizon of T.

    References
    ----------
    Wang, Zhao and Zhou (2023), on weights for non-stationary parametric bandits; journal version
    arXiv 2601.01069.

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.WeightedUCB.tuned(horizon=10_000, dimension=4, variation=1.0, noise=1.0).discount
    0.995
    """

    __slots__ = ()

    @classmethod
    def tuned(  # type: ignore[override]  # it holds for any geometry, so it is told none
        cls,
        *,
        horizon: int,
        dimension: int,
        noise: float,
        variation: float | None = None,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float | None = None,
    ) -> WeightedUCB:
        """Return the policy with the discount and the ridge of the source, and δ/T for δ = 1/T.

        Parameters
        ----------
        horizon, dimension, variation
            As for `SlidingWindowUCB.tuned`; an unknown variation counts as 1.
        noise, action_norm, parameter_norm
            As in the class.
        ridge
            λ; the dimension, as in the source, if left out.
        """
        horizon = require_integer("horizon", horizon, unit="round")
        dimension = require_integer("dimension", dimension)
        path = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
        loss = max(1.0 / horizon, math.sqrt(path / (dimension * horizon)))
        discount = max(1.0 - loss, 1.0 / horizon)  # a horizon of a few rounds leaves no room
        ridge = float(dimension) if ridge is None else ridge
        confidence = cls._best_confidence(horizon)
        return cls(discount, noise, action_norm, parameter_norm, ridge, confidence)

    def sandwich(self) -> int:
        """Ask for errors by V^-1 alone."""
        return 0
