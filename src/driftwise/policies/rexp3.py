"""EXP3 from scratch, in batches of rounds (Besbes, Gur and Zeevi, 2014)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.compiler.compiled import compilable
from ..core.models.arms.weights import equalise, favour
from .forgetting.draws import DrawnByChance
from .forgetting.settings import ByPeriod

__all__ = ["Rexp3"]


@compilable
class BatchMemory(NamedTuple):
    """What `Rexp3` has learnt."""

    log_weights: Vector  # (K,), the largest is 0
    chances: Vector  # (K,), the probability of each arm in the next round
    rounds: NDArray[np.int64]  # (1,): rewards that came in the batch in play

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.rounds, 0, MOST)]


class _Settings(NamedTuple):
    mixing: float
    restart_every: int


@described(
    Card(
        source="Besbes, Gur, Zeevi (2014)",
        knows="horizon, variation",
        cost="K",
        guarantee="(K V log K)^(1/3) T^(2/3), rewards in [0, 1]",
        plays="arms",
    )
)
@compilable
class Rexp3(DrawnByChance, ByPeriod, _Settings):
    r"""Draws arms by exponential weights, and restarts after every batch of rewards.

    It is `Exp3` in batches of Δ rewards, with all weights equal at the start of each. A late reward
    enters the batch in which it comes, weighed by the probability of the day of the choice;
    what is in flight does not count, as with `Exp3`.

    Parameters
    ----------
    mixing
        Share of uniform exploration (γ), in (0, 1].
    restart_every
        How many rewards make a batch (Δ).

    Notes
    -----
    Rewards are taken as they come, neither clipped nor scaled. The guarantee is for rewards in
    [0, 1], and its variation V is the sum over rounds of the largest change of an arm's mean.

    References
    ----------
    Besbes, Gur and Zeevi (2014). Stochastic multi-armed-bandit problem with non-stationary rewards.
    NIPS.

    Examples
    --------
    >>> from driftwise.policies.rexp3 import Rexp3
    >>> Rexp3.tuned(horizon=30_000, n_arms=2, variation=1.0)
    Rexp3(mixing=0.0273..., restart_every=1077)
    """

    __slots__ = ()

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int, variation: float | None = None) -> Rexp3:
        """Return the policy with the batches of `theory.batch_length`, and the mixing for one.

        Parameters
        ----------
        horizon, n_arms, variation
            As for `Exp3S.tuned`, but an unknown variation counts as 1.
        """
        length = theory.batch_length(horizon=horizon, n_arms=n_arms, variation=variation)
        return cls(theory.exp3_mixing(n_arms=n_arms, horizon=length), length)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> BatchMemory:
        """Allocate a memory."""
        return BatchMemory(np.zeros(n_arms), np.zeros(n_arms), np.zeros(1, np.int64))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        equalise(memory, self.mixing)
        memory.rounds[0] = 0

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Raise the weight of the arm that was drawn; at the end of a batch, restart."""
        favour(memory, choice, reward, self.mixing)
        memory.rounds[0] += 1
        if memory.rounds[0] >= self.restart_every:
            self.restart(memory, luck)
