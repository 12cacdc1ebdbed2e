"""Exponential weights for exploration and exploitation (Auer et al., 2002)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.compiler.compiled import compilable
from ..core.models.arms.weights import equalise, favour
from .forgetting.draws import DrawnByChance

__all__ = ["Exp3"]


@compilable
class LogWeightMemory(NamedTuple):
    """What `Exp3` has learnt."""

    log_weights: Vector  # (K,), the largest is 0
    chances: Vector  # (K,), the probability of each arm in the next round


class _Settings(NamedTuple):
    mixing: float


@described(
    Card(
        source="Auer, Cesa-Bianchi, Freund, Schapire (2002)",
        knows="horizon",
        cost="K",
        guarantee="sqrt(K T log K) against the best fixed arm, rewards in [0, 1]; none under drift",
        plays="arms",
    )
)
@compilable
class Exp3(DrawnByChance, _Settings):
    r"""Draws arms by exponential weights: for a fixed set of arms in an adversarial world.

    With weights s and mixing γ, arm k is drawn with probability

    .. math:: p_k = (1 - \gamma) \frac{s_k}{\sum_j s_j} + \frac{\gamma}{K}, \qquad
       s_k \leftarrow s_k \exp\left(\frac{\gamma}{K} \frac{Y}{p_k}\right)

    for the arm drawn. It competes with the best fixed arm, so it does not track a drift; see
    `Exp3S`. A late reward is weighed by the probability of the day of the choice; decisions in
    flight do not count, for a draw by chance has no width that they could narrow.

    Parameters
    ----------
    mixing
        Share of uniform exploration (γ), in (0, 1].

    Notes
    -----
    Rewards are taken as they come. The guarantee is for rewards in [0, 1].

    References
    ----------
    Auer, Cesa-Bianchi, Freund and Schapire (2002). The nonstochastic multiarmed bandit problem.
    SIAM Journal on Computing 32(1).

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.Exp3.tuned(horizon=1000, n_arms=2)
    Exp3(mixing=0.02840...)
    """

    __slots__ = ()

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int) -> Exp3:
        """Return the policy with the mixing of Auer et al. (2002), Corollary 3.2, for T rounds."""
        return cls(theory.exp3_mixing(n_arms=n_arms, horizon=horizon))

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> LogWeightMemory:
        """Allocate a memory."""
        return LogWeightMemory(np.zeros(n_arms), np.zeros(n_arms))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        equalise(memory, self.mixing)

    def tick(self, memory: Any) -> None:
        """Do nothing: nothing is forgotten as time passes."""

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Raise the weight of the arm that was drawn."""
        favour(memory, choice, reward, self.mixing)
