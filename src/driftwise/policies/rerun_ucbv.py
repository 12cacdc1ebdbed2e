"""UCB-V from scratch, in batches of rounds (Wei, Hong and Lu, 2016)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.arms_belief import arms_belief
from ..core.explain.belief import Belief
from ..core.models.arms import variances
from ..core.models.arms.arms import foreseen, told_value, total_of, unheard
from ..core.models.arms.variances import VarianceMemory
from ..core.randomness.ties import better
from .forgetting.arm_rules import Ranged
from .forgetting.counting_flight import CountingFlight
from .forgetting.settings import ByPeriod

__all__ = ["RerunUCBV"]


class _Settings(NamedTuple):
    restart_every: int
    reward_range: float = 1.0
    optimism: float = 1.0


@described(
    Card(
        source="Wei, Hong, Lu (2016); index of Audibert, Munos, Szepesvari (2009)",
        knows="range of rewards; horizon, variation and noise for the best batch",
        cost="K",
        guarantee="(K L V T)^(1/3) + sqrt(K V T) up to logs, L the total variance",
        plays="arms",
    )
)
@compilable
class RerunUCBV(ByPeriod, CountingFlight, Ranged, _Settings):
    r"""Plays the largest upper bound that knows an arm's variance; restarts now and then.

    In batches of B rewards, each with nothing known at its start, it is UCB-V: with the mean, the
    empirical variance and the number N_k of the rewards of arm k, and n of all arms, it plays

    .. math:: \arg\max_k \; \hat\mu_k + \sqrt{\frac{2 \hat\sigma_k^2 \zeta \ln n}{N_k}}
       + \frac{3 b \zeta \ln n}{N_k},

    an arm without rewards first, ties broken at random. A late reward enters the batch in which it
    comes. Until then its decision counts in N_k under the roots and fractions.

    Parameters
    ----------
    restart_every
        How many rewards make a batch (B).
    reward_range
        Width of the interval that rewards lie in (b).
    optimism
        Weight of the logarithm (ζ).

    Notes
    -----
    The index with ζ = 1 is the common form of UCB-V; the analysis of Audibert et al. takes ζ > 1.
    The rates of Wei et al. are quoted from memory, and the batch is derived from their terms; see
    `theory.rerun_length`.

    References
    ----------
    Wei, Hong and Lu (2016). Tracking the best expert in non-stationary stochastic environments.
    NIPS.
    Audibert, Munos and Szepesvári (2009). Exploration-exploitation tradeoff using variance estimates
    in multi-armed bandits. Theoretical Computer Science 410.

    Examples
    --------
    >>> from driftwise.policies.rerun_ucbv import RerunUCBV
    >>> RerunUCBV.tuned(horizon=30_000, n_arms=2, noise=0.1, variation=1.0)
    RerunUCBV(restart_every=331, reward_range=1.0, optimism=1.0)
    """

    __slots__ = ()

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        n_arms: int,
        noise: float = 0.5,
        variation: float | None = None,
        reward_range: float = 1.0,
    ) -> RerunUCBV:
        """Return the policy with the batch that balances noise and drift: `theory.rerun_length`.

        Parameters
        ----------
        horizon, n_arms, variation
            As for `Exp3S.tuned`, but an unknown variation counts as 1.
        noise
            Standard deviation of a reward; by default the largest that rewards in [0, 1] can have.
        reward_range
            As in the class.
        """
        length = theory.rerun_length(
            horizon=horizon, n_arms=n_arms, noise=noise, variation=variation
        )
        return cls(length, reward_range)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> VarianceMemory:
        """Allocate a memory."""
        return variances.begin(n_arms, self.restart_every)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.pending.land_all()
        variances.forget(memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest upper confidence bound."""
        spread = self.spread(memory)
        best, bound, ties = 0, -math.inf, 0
        for arm in range(memory.counts.size):
            index, count = unheard(memory.pending, arm), memory.counts[arm]
            if count > 0.0:
                variance = memory.deviations[arm] / count
                count = foreseen(memory.pending, arm, count)
                width = math.sqrt(2.0 * variance * spread / count)
                index = memory.averages[arm] + width + 3.0 * self.reward_range * spread / count
            best, bound, ties = better(arm, index, best, bound, ties, luck)
        return Choice(best, 1.0 / ties, told_value(bound))

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Count the reward; at the end of a batch, restart."""
        memory.pending.hear()
        variances.count(memory, choice.arm, reward)
        if total_of(memory.counts) >= self.restart_every:
            variances.forget(memory)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only.

        The bonus is no multiple of the standard error, so there is no radius.
        """
        counts = memory.counts
        rounds = int(counts.sum())
        source = f"The {rounds} rounds of this batch count, of {self.restart_every}."
        belief = arms_belief(counts, memory.averages, math.nan, 1.0, source)
        spread = self.spread(memory)
        seen = np.maximum(counts, 1.0)
        variances = memory.deviations / seen
        bonuses = np.sqrt(2.0 * variances * spread / seen) + 3.0 * self.reward_range * spread / seen
        return belief._replace(
            spread=np.where(counts > 0.0, variances / seen, math.nan),
            bonuses=np.where(counts > 0.0, bonuses, math.inf),
        )
