"""Optimism of random strength on fading rounds (Kim and Tewari, 2020)."""

from __future__ import annotations

from ..core.base.card import described
from ..core.base.settings import defaulting
from ..core.compiler.compiled import compilable
from .discounted_lin_ts import CARD
from .forgetting.discount import Discounted, InflatedSettings
from .forgetting.rules import RandomStrength

__all__ = ["DiscountedRandLinUCB"]


@described(
    CARD._replace(
        cost="K d^2 + d^3 / 6; K if the decision set is fixed with rows on the axes",
        guarantee="claimed d^(2/3) B^(1/3) T^(2/3); T^(3/4) without Assumption 1",
    )
)
@compilable
@defaulting(inflation=0.4)
class DiscountedRandLinUCB(Discounted, RandomStrength, InflatedSettings):
    r"""Plays the action with the largest mean plus a random multiple of its width.

    With V, W, θ̂ and β as in `DiscountedLinUCB` and one standard normal Z per round, shared by all
    actions, it plays

    .. math:: \arg\max_x\; x'\hat\theta + a |Z| \beta \sqrt{x' V^{-1} W V^{-1} x} .

    Parameters
    ----------
    discount, noise, action_norm, parameter_norm, ridge, confidence
        As in `DiscountedLinUCB`.
    inflation
        How strong optimism is overall (a); 0.4 in the authors' experiments.

    Notes
    -----
    Taken from the authors' code, its variant with a half-normal Z; the source is that of
    `DiscountedLinTS`. The propensity of an arm has no closed form and is nan.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Stationary(horizon=1000, parameter=[0.2, 0.8])
    >>> dw.simulate(dw.DiscountedRandLinUCB(discount=0.99, noise=0.1), world).total_regret < 60
    True
    """

    __slots__ = ()
