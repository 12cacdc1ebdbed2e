"""Thompson sampling for clicks that fade (Raj and Kalyani, 2017)."""

from __future__ import annotations

from typing import NamedTuple

from .. import theory
from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from .forgetting.arms import FadingRewards
from .forgetting.thompson import BetaArms

__all__ = ["DiscountedBetaTS"]


class _Settings(NamedTuple):
    discount: float
    low: float = 0.0
    high: float = 1.0
    prior_successes: float = 1.0
    prior_failures: float = 1.0


@described(
    Card(
        source="Raj, Kalyani (2017), dTS",
        knows="range of rewards; horizon and number of changes for a discount",
        cost="K",
        plays="arms",
    )
)
@compilable
class DiscountedBetaTS(FadingRewards, BetaArms, _Settings):
    r"""Plays the best arm for rates drawn from beta beliefs, learnt from rewards that fade.

    With the weight :math:`N_k` of the rewards of arm k, of which the one that came i rewards ago
    weighs :math:`\gamma^i`, and :math:`S_k` their weighted sum, it draws

    .. math:: \theta_k \sim \mathrm{Beta}(a + S_k,\; b + N_k - S_k)

    and plays the arm with the largest. A discount of 1 is Thompson sampling without forgetting. A late
    reward has its full weight when it comes.

    Parameters
    ----------
    discount
        What is left of a weight after one more reward (γ), in (0, 1].
    low, high
        What a failure and a success earn. A reward between them counts as a fraction of a success;
        one beyond an end counts as that end.
    prior_successes, prior_failures
        What is believed of an arm without rewards, and of one whose rewards have faded (a, b).

    Notes
    -----
    A fraction of a success keeps the mean right, and the belief is then wider than it need be: no
    reward in [0, 1] varies more than a coin of the same mean. Agrawal and Goyal (2012) toss such a
    coin instead, which adds noise and would make what is learnt a matter of luck.

    The source has no bound and no rule for the discount; `tuned` takes that of Garivier and
    Moulines for abrupt changes. The propensity of an arm has no closed form and is nan.

    References
    ----------
    Raj and Kalyani (2017). Taming non-stationary bandits: A Bayesian approach. arXiv 1707.09727.

    Examples
    --------
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.DiscountedBetaTS(discount=0.999), n_arms=2, seed=0)
    >>> for click in (0, 1, 1, 0):
    ...     agent.learn(agent.choose(), click)
    >>> dw.DiscountedBetaTS.tuned(horizon=10_000, n_arms=3, n_changes=4).discount
    0.995
    """

    __slots__ = ()
    _best_setting = staticmethod(theory.abrupt_discount)
