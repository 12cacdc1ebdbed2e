"""The best arm so far, and now and then any arm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_between, require_fraction, require_integer
from ..core.compiler.compiled import compilable, inlined
from ..core.contract.policy import Choice
from ..core.explain.arms_belief import arms_belief
from ..core.explain.belief import Belief
from ..core.models.arms.arms import told_value, unheard
from ..core.models.flight import Flight, flight
from ..core.randomness import draws
from ..core.randomness.ties import better
from .forgetting.counting_flight import CountingFlight

__all__ = ["EpsilonGreedy"]


@compilable
class AverageMemory(NamedTuple):
    """What `EpsilonGreedy` has learnt."""

    counts: Vector  # (K,), rewards of each arm
    averages: Vector  # (K,), their mean, or their mean with weights that fade
    pending: Flight  # decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.counts, 0, MOST), (self.pending.arms, 0, self.counts.shape[-1] - 1)]


class _Settings(NamedTuple):
    mixing: float
    step: float = 0.0


@described(
    Card(
        source="Sutton, Barto (2018), Sections 2.4 and 2.5; a yardstick",
        knows="horizon for the best mixing",
        cost="K",
        guarantee="(K log T)^(1/3) T^(2/3) if nothing changes, rewards in [0, 1]",
        plays="arms",
    )
)
@compilable
class EpsilonGreedy(CountingFlight, _Settings):
    r"""Plays the arm with the best average, and now and then any arm.

    With probability ε it draws any arm. Otherwise it plays the arm with the largest estimate, an arm
    without rewards first, ties broken at random. The first reward of an arm is its estimate, and
    then, with the number N of its rewards,

    .. math:: \hat\mu \leftarrow \hat\mu + s (Y - \hat\mu), \qquad
       s = \begin{cases} 1 / N & \text{for step} = 0, \\ \text{step} & \text{otherwise}. \end{cases}

    A late reward counts when it comes. An arm without rewards that has decisions in flight is waited for while
    there is another arm to play.

    Parameters
    ----------
    mixing
        Share of uniform exploration (ε), in (0, 1].
    step
        Weight of the newest reward of an arm, for estimates that follow a drift; 0 for plain means.

    References
    ----------
    Sutton and Barto (2018). Reinforcement learning: An introduction. MIT Press.
    Slivkins (2019). Introduction to multi-armed bandits. Section 1.2.

    Examples
    --------
    >>> from driftwise.policies.epsilon_greedy import EpsilonGreedy
    >>> EpsilonGreedy.tuned(horizon=10_000, n_arms=3)
    EpsilonGreedy(mixing=0.14..., step=0.0)
    """

    __slots__ = ()

    def _check(self) -> None:
        require_fraction("mixing", self.mixing, inclusive=True)
        require_between("step", self.step, 0.0, 1.0)

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int) -> EpsilonGreedy:
        r"""Return the policy with plain means and :math:`\epsilon = (K \ln T / T)^{1/3}`.

        At most 1. It is the exploration of round T in Slivkins (2019), Theorem 1.6, used in all
        rounds.
        """
        horizon = require_integer("horizon", horizon, unit="round")
        n_arms = require_integer("n_arms", n_arms)
        if horizon == 1:
            return cls(1.0)
        return cls(min(1.0, (n_arms * math.log(horizon) / horizon) ** (1 / 3)))

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> AverageMemory:
        """Allocate a memory."""
        return AverageMemory(np.zeros(n_arms), np.zeros(n_arms), flight(0, (1, n_arms)))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.pending.land_all()
        for arm in range(memory.counts.size):
            memory.counts[arm] = 0.0
            memory.averages[arm] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest estimate, or any."""
        n_arms, best, bound, ties = memory.counts.size, 0, -math.inf, 0
        for arm in range(n_arms):
            estimate = estimated(memory, arm)
            best, bound, ties = better(arm, estimate, best, bound, ties, luck)
        # Numbers 0 and 1 of this luck; `better` draws from 2 on.
        if draws.uniform(luck, 0) < self.mixing:
            best = int(draws.uniform(luck, 1) * n_arms)
        value = estimated(memory, best)
        chance = self.mixing / n_arms
        if value == bound:
            chance += (1.0 - self.mixing) / ties
        return Choice(best, chance, told_value(value))

    def tick(self, memory: Any) -> None:
        """Do nothing: nothing is forgotten as time passes."""

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Move the estimate of the arm towards its reward."""
        arm = choice.arm
        memory.pending.hear()
        memory.counts[arm] += 1.0
        is_plain = self.step == 0.0 or memory.counts[arm] == 1.0
        step = 1.0 / memory.counts[arm] if is_plain else self.step
        memory.averages[arm] += step * (reward - memory.averages[arm])

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only.

        Of noise it knows nothing, so there are no standard errors.
        """
        counts = memory.counts
        source = f"All rounds count, of {int(counts.sum())} so far."
        if self.step > 0.0:
            # An average that moves by `step` towards each reward is worth 1 / step of them.
            counts = np.minimum(counts, 1.0 / self.step)
            source = (
                f"Of each arm as many as {1.0 / self.step:.4g} rewards count, the new ones most."
            )
        belief = arms_belief(counts, memory.averages, 0.0, math.nan, source)
        return belief._replace(is_random=True)


@inlined
def estimated(memory: AverageMemory, arm: int) -> float:
    """Return the estimate of an arm; one without rewards comes first, or is waited for."""
    return memory.averages[arm] if memory.counts[arm] > 0.0 else unheard(memory.pending, arm)
