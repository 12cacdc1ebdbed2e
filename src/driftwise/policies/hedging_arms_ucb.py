"""Optimism about each arm on a sliding window, for drift (Cheung, Simchi-Levi and Zhu, 2022)."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import theory
from ..core.base.card import Card, described
from ..core.base.validation import require_fraction, require_number
from ..core.compiler.compiled import compilable
from ..core.compiler.elementary import log
from .forgetting.arm_rules import OptimisticArms
from .forgetting.arms import RecentRewards

__all__ = ["HedgingArmsUCB"]


class _Settings(NamedTuple):
    window: int
    noise: float
    confidence: float = 0.01


@described(
    Card(
        source='Cheung, Simchi-Levi, Zhu (2022), "Hedging the Drift", d-armed SW-UCB',
        knows="noise; horizon and variation for the best window",
        cost="K",
        guarantee="K^(1/3) B^(1/3) T^(2/3) up to logs, B in the largest change of a mean",
        plays="arms",
    )
)
@compilable
class HedgingArmsUCB(RecentRewards, OptimisticArms, _Settings):
    r"""Plays the arm with the largest upper confidence bound on a window, tuned for drift.

    With the mean and the number N_k of the rewards of arm k among the last w rewards, it plays

    .. math:: \arg\max_k \; \hat\mu_k + R \sqrt{\frac{2 \ln (2 K / \delta)}{N_k}},

    an arm that is not in the window first, ties broken at random. A reward that comes late enters
    the window when it comes.

    Parameters
    ----------
    window
        How many rewards to learn from (w).
    noise
        Scale of the noise: its sub-Gaussian proxy, for Gaussian noise the standard deviation (R).
    confidence
        Probability with which the bound of some arm may fail, for given numbers of rewards (δ).

    Notes
    -----
    A round costs O(K) on average, whatever the window. The index is taken from a public
    re-implementation of the paper, where it is written with ln(2 K T²): that is δ = 1/T², which
    `tuned` sets. The paper's own text was not at hand.

    References
    ----------
    Cheung, Simchi-Levi and Zhu (2022). Hedging the drift: Learning to optimize under
    nonstationarity. Management Science 68(3).

    Examples
    --------
    >>> from driftwise.policies.hedging_arms_ucb import HedgingArmsUCB
    >>> HedgingArmsUCB.tuned(horizon=30_000, n_arms=2, noise=0.1, variation=1.0).window
    1216
    """

    __slots__ = ()

    def _check(self) -> None:
        RecentRewards._check(self)
        require_number("noise", self.noise, at_least=0.0)
        require_fraction("confidence", self.confidence, inclusive=True)

    @classmethod
    def tuned(
        cls, *, horizon: int, n_arms: int, noise: float, variation: float | None = None
    ) -> HedgingArmsUCB:
        """Return the policy with the window of `theory.drift_window`, and δ = 1/T².

        Parameters
        ----------
        horizon, n_arms, variation
            As for `Exp3S.tuned`, but an unknown variation counts as 1.
        noise
            As in the class.
        """
        window = theory.drift_window(horizon=horizon, n_arms=n_arms, variation=variation)
        return cls(window, noise, 1.0 / horizon / horizon)

    def scale(self) -> float:
        """Return the noise."""
        return self.noise

    def noise_scale(self) -> float:
        """Return the noise."""
        return self.noise

    def spread(self, memory: Any) -> float:
        """Return 2 ln(2 K / δ), as a difference: the quotient can be more than a float holds."""
        return 2.0 * (log(2.0 * memory.counts.size) - log(self.confidence))
