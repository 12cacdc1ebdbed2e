"""Optimism about each arm with rewards that fade (Garivier and Moulines, 2011)."""

from __future__ import annotations

from typing import NamedTuple

from .. import theory
from ..core.base.card import described
from ..core.compiler.compiled import compilable
from .forgetting.arm_rules import ForgetfulArms
from .forgetting.arms import FadingRewards
from .sliding_window_arms_ucb import CARD

__all__ = ["DiscountedArmsUCB"]


class _Settings(NamedTuple):
    discount: float
    reward_range: float = 1.0
    optimism: float = 0.6


@described(
    CARD._replace(
        source="Kocsis, Szepesvari (2006); Garivier, Moulines (2011), D-UCB",
        knows="range of rewards; horizon and number of changes for the best discount",
    )
)
@compilable
class DiscountedArmsUCB(FadingRewards, ForgetfulArms, _Settings):
    r"""Plays the arm with the largest upper confidence bound, learnt from rewards that fade.

    The reward that came i rewards ago weighs γ^i. With the weighted mean and the weight N_k of the
    rewards of arm k, and n the weight of all, it plays

    .. math:: \arg\max_k \; \hat\mu_k + 2 b \sqrt{\frac{\xi \ln n}{N_k}},

    an arm without rewards first, ties broken at random. A late reward has its full weight when it
    comes.

    Parameters
    ----------
    discount
        What is left of a weight after one more reward (γ), in (0, 1].
    reward_range, optimism
        As in `SlidingWindowArmsUCB`: b and ξ.

    Notes
    -----
    A weight so old that it has underflowed counts as none. The index is that of the paper,
    which is the one of `SlidingWindowArmsUCB`; ξ is from memory, as it is there.

    Examples
    --------
    >>> from driftwise.policies.discounted_arms_ucb import DiscountedArmsUCB
    >>> DiscountedArmsUCB.tuned(horizon=10_000, n_arms=3, n_changes=4)
    DiscountedArmsUCB(discount=0.995, reward_range=1.0, optimism=0.6)
    """

    __slots__ = ()
    _best_setting = staticmethod(theory.abrupt_discount)

    def scale(self) -> float:
        """Return twice the width of the interval of rewards, as in the paper."""
        return 2.0 * self.reward_range
