"""Thompson sampling for clicks on the most recent rounds (Trovo et al., 2020)."""

from __future__ import annotations

from typing import NamedTuple

from .. import theory
from ..core.base.card import described
from ..core.compiler.compiled import compilable
from .forgetting.arms import RecentRewards
from .forgetting.thompson import BetaArms
from .sliding_window_arms_ucb import CARD

__all__ = ["SlidingWindowBetaTS"]


class _Settings(NamedTuple):
    window: int
    low: float = 0.0
    high: float = 1.0
    prior_successes: float = 1.0
    prior_failures: float = 1.0


@described(
    CARD._replace(
        source="Trovo, Paladino, Restelli, Gatti (2020), SW-TS",
        guarantee="sqrt(G T) log T for G abrupt changes, gaps fixed, rewards 0 or 1",
    )
)
@compilable
class SlidingWindowBetaTS(RecentRewards, BetaArms, _Settings):
    r"""Plays the best arm for rates drawn from beta beliefs, learnt from a sliding window.

    With the number :math:`N_k` and the sum :math:`S_k` of the rewards of arm k among the last τ
    rewards, it draws

    .. math:: \theta_k \sim \mathrm{Beta}(a + S_k,\; b + N_k - S_k)

    and plays the arm with the largest. A reward that comes late enters the window when it comes.

    Parameters
    ----------
    window
        How many rewards to learn from (τ).
    low, high, prior_successes, prior_failures
        As in `DiscountedBetaTS`.

    Notes
    -----
    `tuned` takes the window of Garivier and Moulines, which is in proportion to √(T ln T / G) as the
    analysis wants. The analysis of the source was corrected by Fiandri, Metelli and Trovo (2024); the
    rate is the same. The propensity of an arm has no closed form and is nan.

    References
    ----------
    Trovo, Paladino, Restelli and Gatti (2020). Sliding-window Thompson sampling for non-stationary
    settings. JAIR 68. Fiandri, Metelli and Trovo (2024), arXiv 2409.05181.

    Examples
    --------
    >>> from driftwise.policies.sliding_window_beta_ts import SlidingWindowBetaTS
    >>> SlidingWindowBetaTS.tuned(horizon=10_000, n_arms=3, n_changes=2).window
    429
    """

    __slots__ = ()
    _best_setting = staticmethod(theory.abrupt_window)
