"""Optimism about each arm on the most recent rounds (Garivier and Moulines, 2011)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.arms_belief import arms_belief, mean_of_arms
from ..core.explain.belief import Belief
from ..core.models.arms.arm_window import ArmWindow, admit, arm_window, forget_window
from ..core.models.arms.arms import most_optimistic, total_of
from ..theory.rounding import floor

__all__ = ["SlidingWindowArmsUCB"]


@described(
    Card(
        source="Garivier, Moulines (2011), SW-UCB",
        knows="range of rewards; horizon and number of changes for the best window",
        cost="K",
        guarantee="sqrt(G T) log T for G abrupt changes, gaps fixed, rewards in [0, b]",
        plays="arms",
    )
)
@compilable
class SlidingWindowArmsUCB(NamedTuple):
    r"""Plays the arm with the largest upper confidence bound, learnt from a sliding window.

    With the mean and the number N_k of the rewards of arm k among the last τ rewards, it plays

    .. math:: \arg\max_k \; \hat\mu_k + b \sqrt{\frac{\xi \ln (n \wedge \tau)}{N_k}},

    n being the number of all rewards so far. The index of an arm that is not in the window is
    infinite: such arms come first, and of several one is drawn at random, as for all ties. A reward
    that comes late enters the window when it comes.

    Parameters
    ----------
    window
        How many rewards to learn from (τ).
    reward_range
        Width of the interval that rewards lie in (b); see `UCB1`.
    optimism
        Weight of the logarithm (ξ). The analysis needs more than 1/2.

    Notes
    -----
    A round costs O(K) on average, whatever the window. The form of the index is that of the paper;
    its ξ = 0.6 is quoted from memory of the paper's experiments.

    References
    ----------
    Garivier and Moulines (2011). On upper-confidence bound policies for switching bandit problems.
    ALT.

    Examples
    --------
    >>> from driftwise.policies.sliding_window_arms_ucb import SlidingWindowArmsUCB
    >>> SlidingWindowArmsUCB.tuned(horizon=10_000, n_arms=3, n_changes=2)
    SlidingWindowArmsUCB(window=429, reward_range=1.0, optimism=0.6)
    """

    window: int
    reward_range: float = 1.0
    optimism: float = 0.6

    def _check(self) -> None:
        require_integer("window", self.window, unit="round")
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
    ) -> SlidingWindowArmsUCB:
        """Return the policy with the paper's window; see `abrupt_window`.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms; the paper's window is the same for
            any number of them.
        n_changes
            How often means change; None if that is not known: then 1 is taken.
        reward_range
            As in the class.
        """
        require_integer("n_arms", n_arms)
        window = abrupt_window(horizon=horizon, n_changes=n_changes, reward_range=reward_range)
        return cls(window, reward_range)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> ArmWindow:
        """Allocate a memory."""
        return arm_window(n_arms, self.window)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        forget_window(memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest upper confidence bound."""
        spread = self.optimism * math.log(total_of(memory.counts))
        return most_optimistic(memory.counts, memory.sums, self.reward_range, spread, luck)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the reward into the window."""
        admit(memory, choice.arm, reward, self.window)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        spread = self.optimism * math.log(total_of(memory.counts))
        return arms_belief(
            memory.counts, mean_of_arms(memory.counts, memory.sums),
            self.reward_range * math.sqrt(spread), 0.5 * self.reward_range,
            f"The last {int(memory.clock[0])} rounds count, of a window of {self.window}.",
        )  # fmt: skip

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another window."""
        return SlidingWindowArmsUCB(setting, self.reward_range, self.optimism)

    def roomiest(self, settings: Any) -> Any:
        """Return the longest window."""
        return max(settings)

    def candidates(self, block_length: int) -> Any:
        """Return the windows 1 = H^0, ..., H that Bandit-over-Bandit tries in blocks of H rounds."""
        return theory.window_grid(block_length)


def abrupt_window(*, horizon: int, n_changes: int | None, reward_range: float) -> int:
    r"""Return the window of Garivier and Moulines for abrupt changes.

    .. math:: \tau = \left\lfloor 2 b \sqrt{T \ln T / \Upsilon_T} \right\rfloor,

    clipped to [1, T]. An unknown number of changes counts as 1; without changes the window is T.

    Examples
    --------
    >>> abrupt_window(horizon=10_000, n_changes=2, reward_range=1.0)
    429
    >>> abrupt_window(horizon=10_000, n_changes=0, reward_range=1.0)
    10000
    """
    horizon = require_integer("horizon", horizon, unit="round")
    if n_changes is not None:
        n_changes = require_integer("n_changes", n_changes, at_least=0)
    reward_range = require_number("reward_range", reward_range, at_least=0.0)
    if n_changes == 0:
        return horizon
    changes = 1 if n_changes is None else n_changes
    ideal = 2.0 * reward_range * math.sqrt(horizon * math.log(horizon) / changes)
    return max(1, floor(min(ideal, horizon)))
