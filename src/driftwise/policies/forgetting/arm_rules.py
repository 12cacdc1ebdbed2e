"""How a policy that plays arms chooses, whatever it forgets: optimistic, or by a draw."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ...core.base.arrays import Matrix
from ...core.base.validation import require_integer, require_number
from ...core.compiler.elementary import log
from ...core.contract.policy import Choice
from ...core.explain.arms_belief import arms_belief, mean_of_arms
from ...core.explain.belief import Belief
from ...core.models.arms.arms import most_optimistic, total_of
from .arms import Arms

__all__ = ["ForgetfulArms", "OptimisticArms", "Ranged"]


class OptimisticArms(Arms):
    """Plays the arm with the largest mean + scale * sqrt(spread / N), ties at random."""

    __slots__ = ()

    def scale(self) -> float:
        """Return what the root is multiplied by."""
        raise NotImplementedError

    def spread(self, memory: Any) -> float:
        """Return what is divided by the number of an arm's rewards, under the root."""
        raise NotImplementedError

    def noise_scale(self) -> float:
        """Return the noise by which standard errors are told."""
        raise NotImplementedError

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest upper confidence bound."""
        return most_optimistic(memory, self.scale(), self.spread(memory), luck)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        radius = self.scale() * math.sqrt(self.spread(memory))
        means = mean_of_arms(memory.counts, memory.sums)
        source = self.source_in(memory)
        return arms_belief(memory.counts, means, radius, self.noise_scale(), source)


class Ranged(OptimisticArms):
    """Is as optimistic as rewards in an interval call for: scale * sqrt(optimism * ln n / N)."""

    __slots__ = ()
    if TYPE_CHECKING:
        reward_range: float
        optimism: float

    def _check(self) -> None:
        require_number("reward_range", self.reward_range, at_least=0.0)
        require_number("optimism", self.optimism, at_least=0.0)
        super()._check()

    def scale(self) -> float:
        """Return the width of the interval of rewards."""
        return self.reward_range

    def spread(self, memory: Any) -> float:
        """Return the weighted logarithm of all that counts."""
        return self.optimism * log(total_of(memory.counts))

    def noise_scale(self) -> float:
        """Return the largest noise that there is in such an interval."""
        return 0.5 * self.reward_range


class ForgetfulArms(Ranged):
    """Is tuned for a number of abrupt changes (Garivier and Moulines, 2011)."""

    __slots__ = ()
    _best_setting: ClassVar[Callable[..., float]]  # how fast to forget over a horizon

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        n_arms: int,
        n_changes: int | None = None,
        reward_range: float = 1.0,
    ) -> Self:
        """Return the policy as the paper tunes it.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms; the paper's tuning is the same for
            any number of them.
        n_changes
            How often means change; None if that is not known: then 1 is taken.
        reward_range
            As in the class.
        """
        require_integer("n_arms", n_arms)
        setting = cls._best_setting(horizon=horizon, n_changes=n_changes, reward_range=reward_range)
        return cls._made(setting, reward_range)
