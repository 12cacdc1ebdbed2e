"""UCB-V from scratch, every so many rounds (Wei, Hong and Lu, 2016)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.arms_belief import arms_belief
from ..core.explain.belief import Belief
from ..core.models.arms.arms import total_of
from ..core.randomness.ties import better
from ..theory.rounding import ceiling
from .forgetting.settings import ByPeriod

__all__ = ["RerunUCBV"]


@compilable
class VarianceMemory(NamedTuple):
    """What `RerunUCBV` has learnt."""

    counts: Vector  # (K,), rewards of each arm in the batch in play
    averages: Vector  # (K,), their mean
    deviations: Vector  # (K,), sum of their squared distances from it

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        return [(self.counts, 0, MOST)]


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
class RerunUCBV(ByPeriod, _Settings):
    r"""Plays the largest upper bound that knows an arm's variance; starts afresh now and then.

    In batches of B rewards, each with nothing known at its start, it is UCB-V: with the mean, the
    empirical variance and the number N_k of the rewards of arm k, and n of all arms, it plays

    .. math:: \arg\max_k \; \hat\mu_k + \sqrt{\frac{2 \hat\sigma_k^2 \zeta \ln n}{N_k}}
       + \frac{3 b \zeta \ln n}{N_k},

    an arm without rewards first, ties broken at random. A late reward enters the batch in which it
    comes.

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
    `rerun_length`.

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

    def _check(self) -> None:
        ByPeriod._check(self)
        require_number("reward_range", self.reward_range, at_least=0.0)
        require_number("optimism", self.optimism, at_least=0.0)

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
        """Return the policy with the batch that balances noise and drift; see `rerun_length`.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms.
        noise
            Standard deviation of a reward; by default the largest that rewards in [0, 1] can have.
        variation
            Sum over rounds of the largest change of an arm's mean (V); None if that is not known:
            then 1 is taken.
        reward_range
            As in the class.
        """
        length = rerun_length(horizon=horizon, n_arms=n_arms, noise=noise, variation=variation)
        return cls(length, reward_range)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> VarianceMemory:
        """Allocate a memory."""
        return VarianceMemory(np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        for arm in range(memory.counts.size):
            memory.counts[arm] = 0.0
            memory.averages[arm] = 0.0
            memory.deviations[arm] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest upper confidence bound."""
        spread = self.optimism * math.log(total_of(memory.counts))
        best, bound, ties = 0, -math.inf, 0
        for arm in range(memory.counts.size):
            index, count = math.inf, memory.counts[arm]
            if count > 0.0:
                variance = memory.deviations[arm] / count
                width = math.sqrt(2.0 * variance * spread / count)
                index = memory.averages[arm] + width + 3.0 * self.reward_range * spread / count
            best, bound, ties = better(arm, index, best, bound, ties, luck)
        return Choice(best, 1.0 / ties, bound if bound < math.inf else math.nan)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Count the reward; at the end of a batch, start afresh."""
        arm = choice.arm
        memory.counts[arm] += 1.0
        # Welford's recursion: a sum of squares minus a square would lose the variance to rounding.
        surprise = reward - memory.averages[arm]
        memory.averages[arm] += surprise / memory.counts[arm]
        memory.deviations[arm] += surprise * (reward - memory.averages[arm])
        if total_of(memory.counts) >= self.restart_every:
            self.restart(memory, luck)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only.

        The bonus is no multiple of the standard error, so there is no radius.
        """
        counts = memory.counts
        rounds = int(counts.sum())
        source = f"The {rounds} rounds of this batch count, of {self.restart_every}."
        belief = arms_belief(counts, memory.averages, math.nan, 1.0, source)
        spread = self.optimism * math.log(total_of(counts))
        seen = np.maximum(counts, 1.0)
        variances = memory.deviations / seen
        bonuses = np.sqrt(2.0 * variances * spread / seen) + 3.0 * self.reward_range * spread / seen
        return belief._replace(
            spread=np.diag(np.where(counts > 0.0, variances / seen, math.nan)),
            bonuses=np.where(counts > 0.0, bonuses, math.inf),
        )


def rerun_length(*, horizon: int, n_arms: int, noise: float, variation: float | None) -> int:
    r"""Return the batch length that balances what noise and drift cost Rerun-UCB-V.

    With the total variance :math:`\Lambda = \sum_t \sum_k \sigma_{t,k}^2 = T K \sigma^2`, batches of
    B rounds cost, up to logarithms, :math:`\sqrt{K \Lambda T / B} + K T / B` in noise and
    :math:`B V` in drift. The larger of the two noise terms and the drift are equal at

    .. math:: B = \begin{cases} (K \Lambda T / V^2)^{1/3} & \text{if } K T V \le \Lambda^2, \\
       \sqrt{K T / V} & \text{otherwise}, \end{cases}

    rounded up and clipped to [1, T]. The terms are quoted from memory of Wei, Hong and Lu (2016), the
    balance is derived here. An unknown variation counts as 1; without variation all rounds are one
    batch.

    Examples
    --------
    >>> rerun_length(horizon=30_000, n_arms=2, noise=0.1, variation=1.0)
    331
    >>> rerun_length(horizon=30_000, n_arms=2, noise=0.0, variation=1.0)
    245
    """
    horizon = require_integer("horizon", horizon, unit="round")
    n_arms = require_integer("n_arms", n_arms)
    noise = require_number("noise", noise, at_least=0.0)
    budget = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
    if budget == 0.0:
        return horizon
    from_range = math.sqrt(n_arms * horizon / budget)
    total_variance = horizon * n_arms * noise * noise
    # In thirds, because the square of a tiny budget is zero.
    from_noise = (n_arms * total_variance * horizon) ** (1 / 3) / budget ** (2 / 3)
    # Each is the larger one exactly where its case applies.
    return max(1, ceiling(min(max(from_noise, from_range), horizon)))
