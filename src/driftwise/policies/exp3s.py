"""Exponential weights with sharing, tuned for drift (Besbes, Gur and Zeevi, 2019)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import theory
from ..core.card import Card, described
from ..core.compiled import compilable
from ..core.protocols import Choice, Matrix, Vector
from ..core.validation import require_fraction
from ..core.weights import pick

__all__ = ["Exp3S"]


@compilable
class SharingMemory(NamedTuple):
    """What `Exp3S` has learnt."""

    log_weights: Vector  # (K,), the weights sum to one
    chances: Vector  # (K,), the probability of each arm in the next round
    share: Vector  # one cell: logarithm of what each arm gets of all weight in a round


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
class Exp3S(NamedTuple):
    r"""Draws arms by exponential weights that share: no arm is ever forgotten.

    As `Exp3`, and after each round every weight gets a share of the sum of all,

    .. math:: s_k \leftarrow s_k \exp\left(\frac{\gamma}{K} \frac{Y}{p_k} 1\{k \text{ drawn}\}
       \right) + \frac{e \alpha}{K} \sum_j s_j,

    so that an arm that becomes the best again can catch up.

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

    mixing: float
    sharing: float

    def _check(self) -> None:
        require_fraction("mixing", self.mixing, inclusive=True)
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
        return SharingMemory(np.zeros(n_arms), np.zeros(n_arms), np.zeros(1))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        n_arms = memory.chances.size
        memory.share[0] = 1.0 + math.log(self.sharing / n_arms)
        for arm in range(n_arms):
            memory.log_weights[arm] = -math.log(n_arms)
            memory.chances[arm] = 1.0 / n_arms

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Draw an arm by its chance."""
        arm = pick(memory.chances, luck)
        return Choice(arm, memory.chances[arm], math.nan)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Raise the weight of the arm that was drawn, then share."""
        n_arms, share = memory.chances.size, memory.share[0]
        memory.log_weights[choice.arm] += self.mixing / n_arms * reward / choice.propensity
        peak, total = share, 0.0
        for arm in range(n_arms):
            peak = max(peak, memory.log_weights[arm])
        for arm in range(n_arms):
            weight = math.exp(memory.log_weights[arm] - peak) + math.exp(share - peak)
            memory.chances[arm] = weight
            total += weight
        for arm in range(n_arms):
            weight = memory.chances[arm]
            memory.chances[arm] = (1.0 - self.mixing) * weight / total + self.mixing / n_arms
            if weight > 0.0:
                memory.log_weights[arm] = math.log(weight / total)
            else:  # too small for a number, though not for its logarithm
                larger = max(memory.log_weights[arm], share)
                gap = abs(memory.log_weights[arm] - share)
                larger += math.log(1.0 + math.exp(-gap))
                memory.log_weights[arm] = larger - peak - math.log(total)

    def accepts(self, choice: Any) -> bool:
        """Tell whether a reward can be weighed by the propensity of its day; in Python only."""
        return bool(choice.propensity > 0.0)  # false for nan, too
