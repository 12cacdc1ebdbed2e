"""Linear optimism that restarts periodically (Zhao, Zhang, Jiang and Zhou, 2020)."""

from __future__ import annotations

from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from .forgetting.restarts import PeriodSettings, RestartingEvery
from .forgetting.rules import Optimistic

__all__ = ["RestartUCB"]


@described(
    Card(
        source="Zhao, Zhang, Jiang, Zhou (2020); tuning for general sets: Zhao, Zhang (2021)",
        knows="noise, bound on the parameter; horizon and variation for the best period",
        cost="K d^2; K d if the decision set is fixed; K if its rows lie on the axes",
        guarantee="d^(2/3) (B+1)^(1/3) T^(2/3) under Assumption 1, d^(7/8) (B+1)^(1/4) T^(3/4) without",
        plays_ball=True,
    )
)
@compilable
class RestartUCB(RestartingEvery, Optimistic, PeriodSettings):
    r"""Plays the action with the largest upper confidence bound, learnt since the last restart.

    `LinUCB` (trace form) that forgets everything after every H rounds; n counts the rounds since
    then in

    .. math:: \beta = R \sqrt{2 \ln \frac{1}{\delta} + d \ln\left(1 + \frac{n L^2}{\lambda d}
       \right)} + \sqrt{\lambda} S .

    Parameters
    ----------
    restart_every
        Rounds between two restarts (H).
    noise, action_norm, parameter_norm, ridge, confidence
        As in `SlidingWindowUCB`.

    References
    ----------
    Zhao, Zhang, Jiang and Zhou (2020). A simple approach for non-stationary linear bandits.
    AISTATS. Zhao and Zhang (2021), arXiv 2103.05324, corrects the analysis for general sets.

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.RestartUCB.tuned(horizon=6000, dimension=2, variation=4.0, noise=1.0).restart_every
    179
    """

    __slots__ = ()
