"""Thompson sampling for amounts that fade (Qi, Guo and Zhu, 2025)."""

from __future__ import annotations

from typing import NamedTuple

from .. import theory
from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from .forgetting.arms import FadingRewards
from .forgetting.thompson import NormalArms

__all__ = ["DiscountedGaussianTS"]


class _Settings(NamedTuple):
    discount: float
    noise: float


@described(
    Card(
        source="Qi, Guo, Zhu (2025), discounted Thompson sampling",
        knows="noise; horizon and number of changes for the best discount",
        cost="K",
        guarantee="claimed sqrt(G T) up to logs for G abrupt changes, gaps fixed",
        plays="arms",
    )
)
@compilable
class DiscountedGaussianTS(FadingRewards, NormalArms, _Settings):
    r"""Plays the best arm for means drawn from normal beliefs, learnt from rewards that fade.

    With the weighted mean and the weight :math:`N_k` of the rewards of arm k, of which the one that
    came i rewards ago weighs :math:`\gamma^i`, it draws

    .. math:: \theta_k \sim N(\hat\mu_k,\; R^2 / N_k)

    and plays the arm with the largest; an arm without rewards first. The less is left of an arm's
    rewards, the wider its draws: it is tried again by itself. Neither an offset of rewards nor, if the
    noise is in the same unit, their unit changes a decision. A late reward has its full weight when
    it comes.

    Parameters
    ----------
    discount
        What is left of a weight after one more reward (γ), in (0, 1].
    noise
        Standard deviation of rewards around their mean (R).

    Notes
    -----
    The form is that of the source; how wide its analysis wants the draws was not at hand, so R is the
    noise. `tuned` takes the discount of Garivier and Moulines for abrupt changes. The propensity of an
    arm has no closed form and is nan.

    References
    ----------
    Qi, Guo and Zhu (2025). Thompson sampling for non-stationary bandit problems. Entropy 27(1), 51.

    Examples
    --------
    >>> from driftwise.policies.discounted_gaussian_ts import DiscountedGaussianTS
    >>> DiscountedGaussianTS.tuned(horizon=10_000, n_arms=3, noise=2.5, n_changes=4)
    DiscountedGaussianTS(discount=0.995, noise=2.5)
    """

    __slots__ = ()
    _best_setting = staticmethod(theory.abrupt_discount)

    @classmethod
    def tuned(
        cls, *, horizon: int, n_arms: int, noise: float, n_changes: int | None = None
    ) -> DiscountedGaussianTS:
        """Return the policy for a number of abrupt changes.

        Parameters
        ----------
        horizon, n_arms, n_changes
            As for `DiscountedBetaTS.tuned`.
        noise
            As in the class.
        """
        return cls(cls._best_for(horizon, n_arms, n_changes), noise)
