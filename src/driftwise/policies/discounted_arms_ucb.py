"""Optimism about each arm with rewards that fade (Garivier and Moulines, 2011)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_fraction, require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.arms_belief import arms_belief, mean_of_arms
from ..core.explain.belief import Belief
from ..core.models.arms.arms import ArmMemory, arm_memory, forget_arms, most_optimistic, total_of

__all__ = ["DiscountedArmsUCB"]


@described(
    Card(
        source="Kocsis, Szepesvari (2006); Garivier, Moulines (2011), D-UCB",
        knows="range of rewards; horizon and number of changes for the best discount",
        cost="K",
        guarantee="sqrt(G T) log T for G abrupt changes, gaps fixed, rewards in [0, b]",
        plays="arms",
    )
)
@compilable
class DiscountedArmsUCB(NamedTuple):
    r"""Plays the arm with the largest upper confidence bound, learnt from rewards that fade.

    The reward that came i rewards ago weighs γ^i. With the weighted mean and the weight N_k of the
    rewards of arm k, and n the weight of all, it plays

    .. math:: \arg\max_k \; \hat\mu_k + 2 b \sqrt{\frac{\xi \ln n}{N_k}},

    an arm without rewards first, ties broken at random. A late reward has its full weight when it
    comes.

    Parameters
    ----------
    discount
        What is left of a weight after one more reward (γ), in (0, 1].
    reward_range
        Width of the interval that rewards lie in (b); see `UCB1`.
    optimism
        Weight of the logarithm (ξ). The analysis needs more than 1/2.

    Notes
    -----
    A weight so old that it is no number any more counts as none. The form of the index is that of
    the paper; its ξ = 0.6 is quoted from memory of the paper's experiments.

    References
    ----------
    Garivier and Moulines (2011). On upper-confidence bound policies for switching bandit problems.
    ALT.

    Examples
    --------
    >>> from driftwise.policies.discounted_arms_ucb import DiscountedArmsUCB
    >>> DiscountedArmsUCB.tuned(horizon=10_000, n_arms=3, n_changes=4)
    DiscountedArmsUCB(discount=0.995, reward_range=1.0, optimism=0.6)
    """

    discount: float
    reward_range: float = 1.0
    optimism: float = 0.6

    def _check(self) -> None:
        require_fraction("discount", self.discount, inclusive=True)
        require_number("reward_range", self.reward_range, at_least=0.0)
        require_number("optimism", self.optimism, at_least=0.0)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        n_arms: int,
        n_changes: int | None = None,
        reward_range: float = 1.0,
    ) -> DiscountedArmsUCB:
        """Return the policy with the paper's discount; see `abrupt_discount`.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms; the paper's discount is the same for
            any number of them.
        n_changes
            How often means change; None if that is not known: then 1 is taken.
        reward_range
            As in the class.
        """
        require_integer("n_arms", n_arms)
        discount = abrupt_discount(horizon=horizon, n_changes=n_changes, reward_range=reward_range)
        return cls(discount, reward_range)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> ArmMemory:
        """Allocate a memory."""
        return arm_memory(n_arms)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        forget_arms(memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest upper confidence bound."""
        spread = self.optimism * math.log(total_of(memory.counts))
        return most_optimistic(memory.counts, memory.sums, 2.0 * self.reward_range, spread, luck)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let all rewards fade a little, and the new one in."""
        for arm in range(memory.counts.size):
            memory.counts[arm] *= self.discount
            memory.sums[arm] *= self.discount
        memory.counts[choice.arm] += 1.0
        memory.sums[choice.arm] += reward

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        spread = self.optimism * math.log(total_of(memory.counts))
        return arms_belief(
            memory.counts, mean_of_arms(memory.counts, memory.sums),
            2.0 * self.reward_range * math.sqrt(spread), 0.5 * self.reward_range,
            f"As many as {memory.counts.sum():.4g} rounds count, faded by {self.discount:g} each.",
        )  # fmt: skip

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another discount."""
        return DiscountedArmsUCB(setting, self.reward_range, self.optimism)

    def roomiest(self, settings: Any) -> Any:
        """Return any of them; all need the same room."""
        return max(settings)

    def candidates(self, block_length: int) -> Any:
        """Return 1 - 1/w for the windows w > 1 that Bandit-over-Bandit tries in such blocks.

        The window 1 would be a discount of 0, which is none; where it is the only one, 1/2 is.
        """
        windows = theory.window_grid(block_length)
        return tuple(1.0 - 1.0 / window for window in windows if window > 1) or (0.5,)


def abrupt_discount(*, horizon: int, n_changes: int | None, reward_range: float) -> float:
    r"""Return the discount of Garivier and Moulines for abrupt changes.

    .. math:: \gamma = 1 - \frac{1}{4 b} \sqrt{\Upsilon_T / T},

    at least 1/2, below which little more than the last reward counts. An unknown number of changes
    counts as 1; without changes nothing is discounted.

    Examples
    --------
    >>> abrupt_discount(horizon=10_000, n_changes=4, reward_range=1.0)
    0.995
    >>> abrupt_discount(horizon=10_000, n_changes=0, reward_range=1.0)
    1.0
    """
    horizon = require_integer("horizon", horizon, unit="round")
    if n_changes is not None:
        n_changes = require_integer("n_changes", n_changes, at_least=0)
    reward_range = require_number("reward_range", reward_range, at_least=0.0)
    if n_changes == 0:
        return 1.0
    changes = 1 if n_changes is None else n_changes
    fading = math.sqrt(changes / horizon)
    # As a product, so that a range of zero needs no case of its own.
    return 0.5 if fading >= 2.0 * reward_range else 1.0 - fading / (4.0 * reward_range)
