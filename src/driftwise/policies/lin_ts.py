"""Linear Thompson sampling (Abeille and Lazaric, 2017)."""

from __future__ import annotations

from typing import NamedTuple

from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from .forgetting.everything import Everything
from .forgetting.linear import Unforgetful
from .forgetting.rules import Sampled

__all__ = ["LinTS"]


class _Settings(NamedTuple):
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    inflation: float = 1.0


@described(
    Card(
        source="Abeille, Lazaric (2017)",
        knows="noise, bound on the parameter, horizon",
        cost="K d + d^2; K if the decision set is fixed with rows on the axes",
        guarantee="d^(3/2) sqrt(T) without drift; none under drift",
        plays_ball=True,
    )
)
@compilable
class LinTS(Everything, Sampled, Unforgetful, _Settings):
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
    Goyal (2013) take another constant in place of β. The propensity of an arm has no closed
    form and is reported as nan.

    References
    ----------
    Abeille and Lazaric (2017). Linear Thompson sampling revisited. AISTATS.

    Examples
    --------
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.LinTS(noise=0.1), decision_set=[[1.0, 0.0], [0.6, 0.8]], seed=0)
    >>> agent.choose().propensity  # it has no closed form
    nan
    """

    __slots__ = ()

    @classmethod
    def _best_confidence(cls, horizon: int) -> float:
        return 0.25 / (horizon * horizon)
