"""Exponential weights with sharing, tuned for drift (Besbes, Gur and Zeevi, 2019)."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_fraction
from ..core.compiler.compiled import compilable
from ..core.models.arms.sharing import SharingMemory, equalise_shares, share, sharing_memory
from .forgetting.draws import DrawnByChance

__all__ = ["Exp3S"]


class _Settings(NamedTuple):
    mixing: float
    sharing: float


@described(
    Card(
        source="Auer et al. (2002); tuning of Besbes, Gur, Zeevi (2019)",
        knows="horizon; variation for the best mixing",
        cost="K",
        guarantee="(K V log(KT))^(1/3) T^(2/3), rewards in [0, 1]",
        plays="arms",
    )
)
@compilable
class Exp3S(DrawnByChance, _Settings):
    r"""Draws arms by exponential weights that share: no arm is ever forgotten.

    As `Exp3`, and after each round every weight gets a share of the sum of all,

    .. math:: s_k \leftarrow s_k \exp\left(\frac{\gamma}{K} \frac{Y}{p_k} 1\{k \text{ drawn}\}
       \right) + \frac{e \alpha}{K} \sum_j s_j,

    so that an arm that becomes the best again can catch up. Late rewards are as with `Exp3`: what is in flight
    does not count.

    Parameters
    ----------
    mixing
        Share of uniform exploration (γ), in (0, 1].
    sharing
        How much of all weight each arm gets in each round (α), in (0, 1].

    Notes
    -----
    Rewards are taken as they come, neither clipped nor scaled. The guarantee is for rewards in
    [0, 1], and its variation V is the sum over rounds of the largest change of an arm's mean.

    References
    ----------
    Auer, Cesa-Bianchi, Freund and Schapire (2002). The nonstochastic multiarmed bandit problem.
    SIAM Journal on Computing 32(1).
    Besbes, Gur and Zeevi (2019). Optimal exploration-exploitation in a multi-armed bandit problem
    with non-stationary rewards. Stochastic Systems 9(4).

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.Exp3S.tuned(horizon=30_000, n_arms=2, variation=1.0)
    Exp3S(mixing=0.09978..., sharing=3.33...e-05)
    """

    __slots__ = ()

    def _check(self) -> None:
        DrawnByChance._check(self)
        require_fraction("sharing", self.sharing, inclusive=True)

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int, variation: float | None = None) -> Exp3S:
        """Return the policy as Besbes, Gur and Zeevi tune it.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms.
        variation
            Sum over rounds of the largest change of an arm's mean (V_T); None if that is not
            known: then the tuning of Auer et al. for an unknown number of switches is taken.
        """
        return cls(
            theory.exp3s_mixing(n_arms=n_arms, horizon=horizon, variation=variation),
            theory.exp3s_sharing(horizon=horizon),
        )

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> SharingMemory:
        """Allocate a memory."""
        return sharing_memory(n_arms)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        equalise_shares(memory)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Raise the weight of the arm that was drawn, then share."""
        # As a rule this is the reward of the latest choice, and 1 / p is known. A division here would
        # wait for the one by the sum of weights, and the exponential for both.
        if choice.propensity == memory.chances[choice.arm]:
            inverse = memory.inverses[choice.arm]
        else:
            inverse = 1.0 / choice.propensity
        step = self.mixing / memory.chances.size * reward * inverse
        share(memory, choice.arm, step, self.mixing, self.sharing)
