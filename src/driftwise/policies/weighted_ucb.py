"""Linear optimism with fading rounds and one matrix (Wang, Zhao and Zhou, 2023)."""

from __future__ import annotations

from .. import theory
from ..core.base.card import Card, described
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
    discount, noise, action_norm, parameter_norm, ridge, confidence
        As in `DiscountedLinUCB`; its notes on the confidence hold here, too.

    Notes
    -----
    Structure and rate are those of the source; its λ = d and its discount are taken from its rate,
    not read there: see `theory.weighted_discount`.

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
            λ; the dimension, as in the source, by default.
        """
        discount = theory.weighted_discount(
            horizon=horizon, dimension=dimension, variation=variation
        )
        ridge = float(dimension) if ridge is None else ridge
        confidence = cls._best_confidence(horizon)
        return cls(discount, noise, action_norm, parameter_norm, ridge, confidence)

    def sandwich(self) -> int:
        """Ask for errors by V^-1 alone."""
        return 0
