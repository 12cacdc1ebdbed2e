"""Optimism about each arm, without forgetting (Auer, Cesa-Bianchi and Fischer, 2002)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix
from ..core.base.card import Card, described
from ..core.base.validation import require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.arms_belief import arms_belief, mean_of_arms
from ..core.explain.belief import Belief
from ..core.models.arms.arms import foreseen, most_optimistic
from ..core.randomness.ties import better
from .forgetting.arm_rules import Ranged
from .forgetting.arms import AllRewards

__all__ = ["UCB1"]


class _Settings(NamedTuple):
    reward_range: float = 1.0
    optimism: float = 2.0
    fixed_log: float = 0.0


@described(
    Card(
        source="Auer, Cesa-Bianchi, Fischer (2002)",
        knows="range of rewards",
        cost="K",
        guarantee="sqrt(K T log T) if nothing changes; none under drift",
        plays="arms",
    )
)
@compilable
class UCB1(AllRewards, Ranged, _Settings):
    r"""Plays the arm with the largest upper confidence bound, learnt from all rounds.

    With the mean and the number N_k of the rewards of arm k, and n of all arms, it plays

    .. math:: \arg\max_k \; \hat\mu_k + b \sqrt{\frac{\alpha \ln n}{N_k}},

    an arm without rewards first, ties broken at random. A late reward counts when it comes.

    Parameters
    ----------
    reward_range
        Width of the interval that rewards lie in (b). If rewards have no bound but noise that is
        sub-Gaussian with proxy R (Gaussian: standard deviation), 2R serves as well.
    optimism
        Weight of the logarithm (α); 2 in the paper.
    fixed_log
        If above 0, a number that replaces ln n, with max(1, N_k) in place of
        N_k: the form that `Master` (Wei and Luo, 2021) is built upon, whose bound is always finite.

    Notes
    -----
    The paper's rewards lie in [0, 1]. Only their spread counts, so any interval will do.

    References
    ----------
    Auer, Cesa-Bianchi and Fischer (2002). Finite-time analysis of the multiarmed bandit problem.
    Machine Learning 47.

    Examples
    --------
    >>> import driftwise as dw
    >>> from driftwise.policies.ucb1 import UCB1
    >>> world = dw.worlds.Stationary(horizon=5000, parameter=[0.2, 0.8], noise=0.1)
    >>> dw.simulate(UCB1(reward_range=0.2), world, seed=0).total_regret < 10.0
    True
    """

    __slots__ = ()

    def _check(self) -> None:
        Ranged._check(self)
        require_number("fixed_log", self.fixed_log, at_least=0.0)

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int, reward_range: float = 1.0) -> UCB1:
        """Return the policy of the paper; it needs to know neither horizon nor number of arms."""
        require_integer("horizon", horizon, unit="round")
        require_integer("n_arms", n_arms)
        return cls(reward_range)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest upper confidence bound."""
        if self.fixed_log > 0.0:
            return self.choose_steadily(memory, luck)
        return most_optimistic(memory, self.reward_range, self.spread(memory), luck)

    def choose_steadily(self, memory: Any, luck: int) -> Choice:
        """Return the same with a logarithm that is fixed, and counts of at least 1."""
        best, bound, ties = 0, -math.inf, 0
        width = self.steady_width()
        for arm in range(memory.counts.size):
            count = max(1.0, memory.counts[arm])
            index = memory.sums[arm] / count
            index += width / math.sqrt(foreseen(memory.pending, arm, count))
            best, bound, ties = better(arm, index, best, bound, ties, luck)
        return Choice(best, 1.0 / ties, bound)

    def steady_width(self) -> float:
        """Return the width of one reward with a logarithm that is fixed."""
        return self.reward_range * math.sqrt(self.optimism * self.fixed_log)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        belief = Ranged.belief_in(self, memory)
        if self.fixed_log > 0.0:  # an arm without rewards counts as one that has earned 0 once
            counts = np.maximum(memory.counts, 1.0)
            means, radius = mean_of_arms(counts, memory.sums), self.steady_width()
            belief = arms_belief(counts, means, radius, self.noise_scale(), belief.source)
        return belief._replace(effective_memory=float(memory.counts.sum()))
