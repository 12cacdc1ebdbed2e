"""Exponential weights with sharing, tuned for drift (Besbes, Gur and Zeevi, 2019)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_fraction
from ..core.compiler.compiled import called, compilable
from ..core.contract.policy import Choice
from ..core.models.arms.weights import pick

__all__ = ["Exp3S"]

# Numbers hold weights that differ by less than _TINY, and that grow or shrink by less than
# exp(_STEEP) at a time.
_TINY, _STEEP = 1e-150, 300.0


@compilable
class SharingMemory(NamedTuple):
    """What `Exp3S` has learnt."""

    weights: Vector  # (K,), they sum to one
    log_weights: Vector  # (K,)
    chances: Vector  # (K,), the probability of each arm in the next round
    inverses: Vector  # (K,), one over that
    cells: Vector  # the smallest weight; 1 if log_weights are up to date, else 0


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
        weights, log_weights, chances, inverses = np.zeros((4, n_arms))
        return SharingMemory(weights, log_weights, chances, inverses, np.zeros(2))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        n_arms = memory.chances.size
        for arm in range(n_arms):
            memory.weights[arm] = 1.0 / n_arms
            memory.log_weights[arm] = 0.0
            memory.chances[arm] = 1.0 / n_arms
            memory.inverses[arm] = n_arms
        memory.cells[0] = 1.0 / n_arms
        memory.cells[1] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Draw an arm by its chance."""
        arm = pick(memory.chances, luck)
        return Choice(arm, memory.chances[arm], math.nan)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Raise the weight of the arm that was drawn, then share."""
        n_arms = memory.chances.size
        # As a rule this is the reward of the latest choice, and 1 / p is known. A division here would
        # wait for the one by the sum of weights, and the exponential for both.
        if choice.propensity == memory.chances[choice.arm]:
            inverse = memory.inverses[choice.arm]
        else:
            inverse = 1.0 / choice.propensity
        step = self.mixing / n_arms * reward * inverse
        # Logarithms cost three times as much as all the rest; rewards near the unit interval never
        # need them.
        if memory.cells[0] > _TINY and abs(step) < _STEEP:
            memory.cells[1] = 0.0
            share, others = math.e * self.sharing / n_arms, 0.0
            drawn = memory.weights[choice.arm]
            for arm in range(n_arms):
                others += 0.0 if arm == choice.arm else memory.weights[arm] + share
            raised = drawn * math.exp(step) + share
            total = others + raised
        else:
            total, share = share_far_apart(memory, choice.arm, step, self.sharing), 0.0
            raised = memory.weights[choice.arm]
        scale, least = 1.0 / total, 1.0
        for arm in range(n_arms):
            # Not by way of memory: to write a number and read it again takes as long as a sum.
            weight = raised if arm == choice.arm else memory.weights[arm] + share
            mixed = (1.0 - self.mixing) * weight + self.mixing / n_arms * total
            memory.inverses[arm] = total / mixed
            memory.chances[arm] = mixed * scale
            memory.weights[arm] = weight * scale
            least = min(least, weight * scale)
        memory.cells[0] = least

    def accepts(self, choice: Any) -> bool:
        """Tell whether a reward can be weighed by the propensity of its day; in Python only."""
        return bool(choice.propensity > 0.0)  # false for nan, too


@called  # with rewards of the size that the policy is made for, never
def share_far_apart(memory: SharingMemory, drawn: int, step: float, sharing: float) -> float:
    """Raise the weight of one arm by exp(step), then share: by logarithms, which never overflow.

    Leaves weights whose largest is about one, and the logarithms of the same, normalised.
    """
    n_arms, peak, total = memory.chances.size, -math.inf, 0.0
    if memory.cells[1] == 0.0:
        memory.cells[1] = 1.0
        for arm in range(n_arms):
            memory.log_weights[arm] = math.log(memory.weights[arm])
    memory.log_weights[drawn] += step
    share = 1.0 + math.log(sharing) - math.log(n_arms)  # a quotient may underflow
    for arm in range(n_arms):
        larger = max(memory.log_weights[arm], share)
        gap = abs(memory.log_weights[arm] - share)
        memory.log_weights[arm] = larger + math.log(1.0 + math.exp(-gap))
        peak = max(peak, memory.log_weights[arm])
    for arm in range(n_arms):
        memory.weights[arm] = math.exp(memory.log_weights[arm] - peak)
        total += memory.weights[arm]
    for arm in range(n_arms):
        memory.log_weights[arm] -= peak + math.log(total)
    return total
