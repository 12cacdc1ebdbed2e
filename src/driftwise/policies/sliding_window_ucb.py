"""Optimism on the most recent rounds only: Algorithm 1 of Cheung, Simchi-Levi and Zhu (2019)."""

from __future__ import annotations

from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from .forgetting.rules import Optimistic
from .forgetting.window import Windowed, WindowSettings

__all__ = ["SlidingWindowUCB"]


@described(
    Card(
        source="Cheung, Simchi-Levi, Zhu (2019), Algorithm 1",
        knows="noise, bound on the parameter; horizon and variation for the best window",
        cost="K d^2; K d if the decision set is fixed; K if its rows lie on the axes",
        guarantee="d^(2/3) B^(1/3) T^(2/3) under Assumption 1, d^(7/8) B^(1/4) T^(3/4) without",
        plays_ball=True,
    )
)
@compilable
class SlidingWindowUCB(Windowed, Optimistic, WindowSettings):
    r"""Plays the action with the largest upper confidence bound, learnt from a sliding window.

    With V = λI + Σ X_s X_s' and θ̂ = V⁻¹ Σ X_s Y_s over the last w rounds, it plays

    .. math:: X_t = \arg\max_{x \in D_t} x'\hat\theta + \beta \lVert x \rVert_{V^{-1}}, \quad
       \beta = R \sqrt{d \ln \frac{1 + w L^2 / \lambda}{\delta}} + \sqrt{\lambda} S,

    ties broken at random. A reward that comes late enters the window when it comes.

    Parameters
    ----------
    window
        How many rounds to learn from (w).
    noise
        Scale of the noise: its sub-Gaussian proxy, for Gaussian noise the standard deviation (R).
    action_norm
        Bound on the length of an action (L).
    parameter_norm
        Bound on the length of the unknown parameter (S).
    ridge
        Weight of the regularisation (λ).
    confidence
        Probability with which the bounds may fail in a round (δ).

    Notes
    -----
    A round costs O(K d^2), or O(K d) for a decision set that never changes, or O(K) if its rows
    lie on the axes, whatever the window. The regret bound needs Assumption 1 of the paper, see
    `driftwise.theory.assumption_one`; without it the rate is T^(3/4).

    References
    ----------
    Cheung, Simchi-Levi and Zhu (2019). Learning to Optimize under Non-Stationarity. AISTATS.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.SlidingWindowUCB(window=100, noise=0.1)
    >>> agent = dw.Agent(policy, dimension=2, seed=0)
    >>> for reward in (0.2, 0.8, 0.7):
    ...     decision = agent.choose([[1.0, 0.0], [0.0, 1.0]])
    ...     agent.learn(decision, reward)
    >>> agent.estimate.round(3)
    array([0.5, 0.1])
    """

    __slots__ = ()
