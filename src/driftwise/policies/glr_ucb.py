"""kl-UCB that restarts when a test finds a change (Besson et al., 2022)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import (
    require_between,
    require_fraction,
    require_integer,
    require_number,
)
from ..core.compiler.compiled import compilable
from ..core.compiler.elementary import log
from ..core.contract.policy import Choice
from ..core.explain.arms_belief import arms_belief, mean_of_arms
from ..core.explain.belief import Belief
from ..core.models.arms import splits
from ..core.models.arms.arms import foreseen, told_value, unheard
from ..core.models.arms.bernoulli import upper_bound
from ..core.models.arms.splits import NUMBER, REWARDS, SplitMemory
from ..core.randomness.ties import better
from .forgetting.counting_flight import CountingFlight

__all__ = ["GLRUCB"]

_LONGEST = 1e18  # rounds between two forced explorations; beyond that they never come


class _Settings(NamedTuple):
    confidence: float
    mixing: float
    is_growing: bool = True
    reward_range: float = 1.0
    optimism: float = 1.0
    check_every: int = 10
    n_splits: int = 256


@described(
    Card(
        source="Besson, Kaufmann, Maillard, Seznec (2022), GLR-klUCB with global restarts",
        knows="horizon; number of changes for the best exploration",
        cost="K to find the arm; a test costs n_splits, every check_every rewards of an arm",
        guarantee="sqrt(K G T log T) for G abrupt changes that are far apart, rewards in [0, b]",
        plays="arms",
    )
)
@compilable
class GLRUCB(CountingFlight, _Settings):
    r"""Plays optimistically, tests each arm for a change, and restarts after an alarm.

    With the n rewards of an arm since the last alarm, scaled to [0, 1], there is an alarm if

    .. math:: \max_s \; s \, \mathrm{kl}(\hat\mu_{1:s}, \hat\mu_{1:n})
       + (n - s) \, \mathrm{kl}(\hat\mu_{s+1:n}, \hat\mu_{1:n}) > \ln \frac{4 n^{3/2}}{\delta},

    kl being the divergence of Bernoulli distributions; then all arms are forgotten. In episode k,
    after t rewards, the arms are played in turn in the first K of every K / α_k rounds, where
    :math:`\alpha_k = \alpha \sqrt k`, so that changes are seen in arms that look bad. In the other
    rounds it plays the largest :math:`q` with
    :math:`N_k \, \mathrm{kl}(\hat\mu_k, q) \le \zeta \ln t`, ties broken at random. A late reward
    enters the episode in which it comes. Until then its decision counts in t where arms are played in turn, and
    in N_k of the index.

    Parameters
    ----------
    confidence
        Probability of a false alarm (δ).
    mixing
        Share of rounds with forced exploration in the first episode (α), in [0, 1].
    is_growing
        Whether later episodes explore more, as they do if the number of changes is not known.
    reward_range
        Rewards lie in [0, b]. **One outside counts as the nearer end**, in test and index: the
        divergence knows no other.
    optimism
        Weight of the logarithm (ζ).
    check_every
        An arm is tested after every ``check_every`` of its rewards.
    n_splits
        How many splits s of an arm's rewards are kept to be tested, at least 2.

    Notes
    -----
    All splits are tested while an arm has at most ``n_splits`` rewards. Then every other one is
    dropped, and from there on every second reward makes a split, and so on: at least n_splits / 2
    of them, evenly spaced, however long an episode is. A test costs two divergences per split, and
    it is made once in ``check_every`` rewards: with the defaults about 50 divergences per round. To
    test every split in every round, as the analysis does, costs O(n) per round and O(n) memory.

    The test, δ = 1/√T, α_k = √(k K ln T / T) and ζ = 1 were taken from public code for this
    algorithm, not from the paper's text. Testing now and then, and some splits only, is the custom
    of that code too.

    References
    ----------
    Besson, Kaufmann, Maillard and Seznec (2022). Efficient change-point detection for tackling
    piecewise-stationary bandits. JMLR 23.

    Examples
    --------
    >>> from driftwise.policies.glr_ucb import GLRUCB
    >>> policy = GLRUCB.tuned(horizon=10_000, n_arms=3)
    >>> policy.confidence, round(policy.mixing, 4)
    (0.01, 0.0526)
    """

    __slots__ = ()

    def _check(self) -> None:
        require_fraction("confidence", self.confidence, inclusive=True)
        require_between("mixing", self.mixing, 0.0, 1.0)
        require_number("reward_range", self.reward_range, above=0.0)
        require_number("optimism", self.optimism, at_least=0.0)
        require_integer("check_every", self.check_every, unit="reward")
        require_integer("n_splits", self.n_splits, at_least=2)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        n_arms: int,
        n_changes: int | None = None,
        reward_range: float = 1.0,
    ) -> GLRUCB:
        r"""Return the policy with δ and α for T rounds.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms.
        n_changes
            How often means change (n). None if that is not known: then δ = 1/√T and
            α_k = √(k K ln T / T). Otherwise δ = 1/√(n T), and all episodes explore by
            α = √(n K ln T / T) (from memory of the paper); without changes there is no need to.
        reward_range
            As in the class.
        """
        horizon = require_integer("horizon", horizon, unit="round")
        n_arms = require_integer("n_arms", n_arms)
        if n_changes is not None:
            n_changes = require_integer("n_changes", n_changes, at_least=0)
        changes = 1 if n_changes is None else n_changes
        mixing = min(1.0, math.sqrt(changes * n_arms * math.log(horizon) / horizon))
        confidence = 1.0 / math.sqrt(max(1, changes) * horizon)
        return cls(confidence, mixing, n_changes is None, reward_range)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> SplitMemory:
        """Allocate a memory."""
        return splits.begin(n_arms, self.n_splits)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.pending.land_all()
        memory.episode[NUMBER] = 0
        splits.open_episode(memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm whose turn it is, or the one with the largest upper confidence bound."""
        n_arms, n_rewards = memory.counts.size, memory.episode[REWARDS]
        if self.mixing > 0.0:
            share = self.mixing * (math.sqrt(memory.episode[NUMBER]) if self.is_growing else 1.0)
            period = math.ceil(min(n_arms / min(share, 1.0), _LONGEST))
            flying = 0.0
            for arm in range(n_arms):
                flying += memory.pending.number_of(arm)
            turn = (n_rewards + int(flying)) % period
            if turn < n_arms:
                return Choice(turn, 1.0, math.nan)
        level = self.optimism * log(max(n_rewards, 1))
        best, bound, ties = 0, -math.inf, 0
        for arm in range(n_arms):
            index, n = unheard(memory.pending, arm), memory.counts[arm]
            if n > 0.0:
                mean, room = memory.sums[arm] / n, level / foreseen(memory.pending, arm, n)
                # By Pinsker's inequality the index is at most this, so most arms need no search.
                index = mean + math.sqrt(0.5 * room)
                if index >= bound:
                    index = upper_bound(mean, room)
            best, bound, ties = better(arm, index, best, bound, ties, luck)
        return Choice(best, 1.0 / ties, self.reward_range * told_value(bound))

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Count the reward; now and then test its arm, and after an alarm restart."""
        arm = choice.arm
        memory.pending.hear()
        splits.count(memory, arm, min(max(reward, 0.0), self.reward_range) / self.reward_range)
        is_due = int(memory.counts[arm]) % self.check_every == 0
        if is_due and splits.is_alarmed(memory, arm, self.confidence):
            splits.open_episode(memory)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only.

        The bound is that of kl-UCB, no multiple of a width, so there is no radius.
        """
        counts, scale = memory.counts, self.reward_range
        episode, n_rewards = memory.episode.tolist()
        means = mean_of_arms(counts, memory.sums)
        level = self.optimism * log(max(n_rewards, 1))
        bonuses = [
            scale * (upper_bound(mean, level / n) - mean) if n > 0.0 else math.inf
            for mean, n in zip(means.tolist(), counts.tolist(), strict=True)
        ]
        source = f"The {n_rewards} rounds since the last alarm count; this is episode {episode}."
        belief = arms_belief(counts, scale * means, math.nan, 0.5 * scale, source)
        choice = self.choose(memory, np.zeros((len(counts), 1)), 0)
        # A choice has no value where it is the arm's turn, or where the arm was never played.
        is_due = math.isnan(choice.value) and counts[choice.arm] > 0.0
        details = {"alarms": episode - 1}
        return belief._replace(
            bonuses=np.array(bonuses), turn=int(choice.arm) if is_due else None, details=details
        )
