"""Linear optimism with exponentially fading rounds (Russac, Vernade and Cappe, 2019)."""

from __future__ import annotations

from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from .forgetting.discount import Discounted, DiscountSettings
from .forgetting.rules import Optimistic

__all__ = ["DiscountedLinUCB"]


@described(
    Card(
        source="Russac, Vernade, Cappe (2019)",
        knows="noise, bound on the parameter, horizon; variation for the best discount",
        cost="K d^2 + d^3 / 6; K on the axes",
        guarantee="d^(2/3) B^(1/3) T^(2/3) under Assumption 1, d^(7/8) B^(1/4) T^(3/4) without",
    )
)
@compilable
class DiscountedLinUCB(Discounted, Optimistic, DiscountSettings):
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
    With δ/T in place of δ it holds over a horizon of T.

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

    __slots__ = ()
