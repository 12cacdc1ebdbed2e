"""How a policy that plays arms draws: Thompson sampling with beta or normal beliefs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ...core.base.arrays import Matrix, Vector
from ...core.base.errors import RuleValueError
from ...core.base.validation import require_integer, require_number
from ...core.contract.policy import Choice
from ...core.explain.arms_belief import arms_belief, mean_of_arms
from ...core.explain.belief import Belief
from ...core.models.arms.arms import foreseen, told_value, unheard
from ...core.randomness import draws
from ...core.randomness.gammas import beta
from ...core.randomness.normals import normal
from ...core.randomness.ties import better
from .arms import Arms

__all__ = ["BetaArms", "NormalArms", "SampledArms"]


class SampledArms(Arms):
    """Plays the best arm for one mean drawn of each: Thompson sampling.

    The propensity of an arm has no closed form and is reported as nan.
    """

    __slots__ = ()
    _best_setting: ClassVar[Callable[..., float]]  # how fast to forget over a horizon

    @classmethod
    def _best_for(cls, horizon: int, n_arms: int, n_changes: int | None) -> float:
        """Return how fast to forget, for any number of arms."""
        require_integer("n_arms", n_arms)
        return cls._best_setting(horizon=horizon, n_changes=n_changes, reward_range=1.0)

    def drawn(self, memory: Any, arm: int, luck: int) -> float:
        """Return a draw from what is believed of the mean of an arm."""
        raise NotImplementedError

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest draw."""
        best, largest, ties = 0, -math.inf, 0
        for arm in range(memory.counts.size):
            mean = self.drawn(memory, arm, draws.fork(luck, arm))
            best, largest, ties = better(arm, mean, best, largest, ties, luck)
        return Choice(best, math.nan, told_value(largest))


class BetaArms(SampledArms):
    """Believes Beta(a + S, b + N - S) of an arm with N rewards, S their sum on a scale from 0 to 1."""

    __slots__ = ()
    if TYPE_CHECKING:
        low: float
        high: float
        prior_successes: float
        prior_failures: float

    def _check(self) -> None:
        require_number("low", self.low)
        if require_number("high", self.high) <= self.low:
            raise RuleValueError("high", f"be above low, which is {self.low}", self.high)
        require_number("prior_successes", self.prior_successes, at_least=1e-6)
        require_number("prior_failures", self.prior_failures, at_least=1e-6)
        super()._check()

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        n_arms: int,
        n_changes: int | None = None,
        low: float = 0.0,
        high: float = 1.0,
    ) -> Self:
        """Return the policy for a number of abrupt changes, with the prior Beta(1, 1).

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms; the tuning is the same for any number
            of them.
        n_changes
            How often means change; None if that is not known: then 1 is taken.
        low, high
            As in the class.
        """
        return cls._made(cls._best_for(horizon, n_arms, n_changes), low, high)

    def worth(self, reward: float) -> float:
        """Return a reward on the scale from 0 to 1; what lies beyond an end counts as that end."""
        return (min(max(reward, self.low), self.high) - self.low) / (self.high - self.low)

    def drawn(self, memory: Any, arm: int, luck: int) -> float:
        """Return a draw from the belief about an arm, on the scale from 0 to 1."""
        won = self.prior_successes + memory.sums[arm]
        lost = self.prior_failures + (memory.counts[arm] - memory.sums[arm])
        flying = memory.pending.number_of(arm)
        if flying > 0.0:
            more = 1.0 + flying / (won + lost)
            return beta(luck, more * won, more * lost)
        return beta(luck, won, lost)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        won = self.prior_successes + memory.sums
        lost = self.prior_failures + memory.counts - memory.sums
        total, width = won + lost, self.high - self.low
        errors = width * np.sqrt(won / total * (lost / total) / (total + 1.0))
        return _believed(memory, self.source_in(memory), self.low + width * (won / total), errors)


class NormalArms(SampledArms):
    """Believes N(mean, noise² / N) of an arm with N rewards, and plays one without rewards first."""

    __slots__ = ()
    if TYPE_CHECKING:
        noise: float

    def _check(self) -> None:
        require_number("noise", self.noise, at_least=0.0)
        super()._check()

    def drawn(self, memory: Any, arm: int, luck: int) -> float:
        """Return a draw from the belief about an arm; of one without rewards, infinity."""
        count = memory.counts[arm]
        if count > 0.0:
            root = math.sqrt(foreseen(memory.pending, arm, count))
            return memory.sums[arm] / count + self.noise * (normal(luck, 0) / root)  # type: ignore[no-any-return]  # a float
        return unheard(memory.pending, arm)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        counts, source = memory.counts, self.source_in(memory)
        belief = arms_belief(
            counts, mean_of_arms(counts, memory.sums), self.noise, self.noise, source
        )
        return belief._replace(is_random=True)


def _believed(memory: Any, source: str, means: Vector, errors: Vector) -> Belief:
    return Belief(
        effective_memory=float(memory.counts.sum()),
        source=source,
        estimate=means,
        spread=errors * errors,
        radius=1.0,
        error_scale=1.0,
        is_random=True,
        bonuses=errors,
    )
