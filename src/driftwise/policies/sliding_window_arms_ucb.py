"""Optimism about each arm on the most recent rounds (Garivier and Moulines, 2011)."""

from __future__ import annotations

from typing import NamedTuple

from .. import theory
from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from .forgetting.arm_rules import ForgetfulArms
from .forgetting.arms import RecentRewards

__all__ = ["SlidingWindowArmsUCB"]

CARD = Card(
    source="Garivier, Moulines (2011), SW-UCB",
    knows="range of rewards; horizon and number of changes for the best window",
    cost="K",
    guarantee="sqrt(G T) log T for G abrupt changes, gaps fixed, rewards in [0, b]",
    plays="arms",
)


class _Settings(NamedTuple):
    window: int
    reward_range: float = 1.0
    optimism: float = 0.6


@described(CARD)
@compilable
class SlidingWindowArmsUCB(RecentRewards, ForgetfulArms, _Settings):
    r"""Plays the arm with the largest upper confidence bound, learnt from a sliding window.

    With the mean and the number N_k of the rewards of arm k among the last τ rewards, it plays

    .. math:: \arg\max_k \; \hat\mu_k + b \sqrt{\frac{\xi \ln (n \wedge \tau)}{N_k}},

    n being the number of all rewards so far. The index of an arm that is not in the window is
    infinite: such arms come first, and of several one is drawn at random, as for all ties. A reward
    that comes late enters the window when it comes.

    Parameters
    ----------
    window
        How many rewards to learn from (τ).
    reward_range
        Width of the interval that rewards lie in (b); see `UCB1`.
    optimism
        Weight of the logarithm (ξ). The analysis needs more than 1/2.

    Notes
    -----
    A round costs O(K) on average, whatever the window. The form of the index is that of the paper;
    its ξ = 0.6 is quoted from memory of the paper's experiments.

    References
    ----------
    Garivier and Moulines (2011). On upper-confidence bound policies for switching bandit problems.
    ALT.

    Examples
    --------
    >>> from driftwise.policies.sliding_window_arms_ucb import SlidingWindowArmsUCB
    >>> SlidingWindowArmsUCB.tuned(horizon=10_000, n_arms=3, n_changes=2)
    SlidingWindowArmsUCB(window=429, reward_range=1.0, optimism=0.6)
    """

    __slots__ = ()
    _best_setting = staticmethod(theory.abrupt_window)
