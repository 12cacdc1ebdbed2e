"""EXP3 from scratch, every so many rounds (Besbes, Gur and Zeevi, 2014)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_fraction, require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..theory.rounding import ceiling
from .exp3 import Exp3, LogWeightMemory
from .forgetting.settings import ByPeriod

__all__ = ["Rexp3"]


@compilable
class BatchMemory(NamedTuple):
    """What `Rexp3` has learnt."""

    inside: LogWeightMemory  # of EXP3, in the batch in play
    batch: NDArray[np.int64]  # one cell: rewards that came in it

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        return [(self.batch, 0, MOST)]


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
class Rexp3(ByPeriod, _Settings):
    r"""Draws arms by exponential weights, and starts afresh every so many rounds.

    It is `Exp3` in batches of Δ rewards, with all weights equal at the start of each. A late reward
    enters the batch in which it comes, weighed by the probability of the day of the choice.

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

    def _check(self) -> None:
        require_fraction("mixing", self.mixing, inclusive=True)
        ByPeriod._check(self)

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int, variation: float | None = None) -> Rexp3:
        """Return the policy with the paper's batches and mixing; see `batch_length`.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms.
        variation
            Sum over rounds of the largest change of an arm's mean (V_T); None if that is not
            known: then 1 is taken.
        """
        length = batch_length(horizon=horizon, n_arms=n_arms, variation=variation)
        return cls(theory.exp3_mixing(n_arms=n_arms, horizon=length), length)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> BatchMemory:
        """Allocate a memory."""
        inside = Exp3(self.mixing).start(n_arms, dimension, fixed)
        return BatchMemory(inside, np.zeros(1, np.int64))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        Exp3(self.mixing).restart(memory.inside, luck)
        memory.batch[0] = 0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Draw an arm by its chance."""
        return Exp3(self.mixing).choose(memory.inside, actions, luck)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Raise the weight of the arm that was drawn; at the end of a batch, start afresh."""
        Exp3(self.mixing).learn(memory.inside, action, choice, reward, luck)
        memory.batch[0] += 1
        if memory.batch[0] == self.restart_every:
            self.restart(memory, luck)

    def accepts(self, choice: Any) -> bool:
        """Tell whether a reward can be weighed by the propensity of its day; in Python only."""
        return bool(choice.propensity > 0.0)  # false for nan, too


def batch_length(*, horizon: int, n_arms: int, variation: float | None) -> int:
    r"""Return the batch length of Besbes, Gur and Zeevi.

    .. math:: \Delta = \left\lceil (K \ln K)^{1/3} (T / V_T)^{2/3} \right\rceil,

    clipped to [1, T]. An unknown variation counts as 1; without variation, or with a single arm,
    all rounds are one batch.

    Examples
    --------
    >>> batch_length(horizon=30_000, n_arms=2, variation=1.0)
    1077
    >>> batch_length(horizon=30_000, n_arms=2, variation=0.0)
    30000
    """
    horizon = require_integer("horizon", horizon, unit="round")
    n_arms = require_integer("n_arms", n_arms)
    budget = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
    if budget == 0.0 or n_arms == 1:
        return horizon
    ideal = (n_arms * math.log(n_arms)) ** (1 / 3) * (horizon / budget) ** (2 / 3)
    # Clipped before the ceiling: a tiny budget makes the ideal infinite, and that has no ceiling.
    return max(1, ceiling(min(ideal, horizon)))
