"""Optimism about each arm on a sliding window, for drift (Cheung, Simchi-Levi and Zhu, 2022)."""

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
from ..core.models.arms.arm_window import ArmWindow, admit, arm_window, forget_window
from ..core.models.arms.arms import most_optimistic
from ..theory.rounding import floor

__all__ = ["HedgingArmsUCB"]


@described(
    Card(
        source='Cheung, Simchi-Levi, Zhu (2022), "Hedging the Drift", d-armed SW-UCB',
        knows="noise; horizon and variation for the best window",
        cost="K",
        guarantee="K^(1/3) B^(1/3) T^(2/3) up to logs, B in the largest change of a mean",
        plays="arms",
    )
)
@compilable
class HedgingArmsUCB(NamedTuple):
    r"""Plays the arm with the largest upper confidence bound on a window, tuned for drift.

    With the mean and the number N_k of the rewards of arm k among the last w rewards, it plays

    .. math:: \arg\max_k \; \hat\mu_k + R \sqrt{\frac{2 \ln (2 K / \delta)}{N_k}},

    an arm that is not in the window first, ties broken at random. A reward that comes late enters
    the window when it comes.

    Parameters
    ----------
    window
        How many rewards to learn from (w).
    noise
        Scale of the noise: its sub-Gaussian proxy, for Gaussian noise the standard deviation (R).
    confidence
        Probability with which the bound of some arm may fail, for given numbers of rewards (δ).

    Notes
    -----
    A round costs O(K) on average, whatever the window. The index is taken from a public
    re-implementation of the paper, where it is written with ln(2 K T²): that is δ = 1/T², which
    `tuned` sets. The paper's own text was not at hand.

    References
    ----------
    Cheung, Simchi-Levi and Zhu (2022). Hedging the drift: Learning to optimize under
    nonstationarity. Management Science 68(3).

    Examples
    --------
    >>> from driftwise.policies.hedging_arms_ucb import HedgingArmsUCB
    >>> HedgingArmsUCB.tuned(horizon=30_000, n_arms=2, noise=0.1, variation=1.0).window
    1216
    """

    window: int
    noise: float
    confidence: float = 0.01

    def _check(self) -> None:
        require_integer("window", self.window, unit="round")
        require_number("noise", self.noise, at_least=0.0)
        require_fraction("confidence", self.confidence, inclusive=True)

    @classmethod
    def tuned(
        cls, *, horizon: int, n_arms: int, noise: float, variation: float | None = None
    ) -> HedgingArmsUCB:
        """Return the policy with the paper's window, and δ = 1/T²; see `drift_window`.

        Parameters
        ----------
        horizon, n_arms
            How many rounds there will be, and how many arms.
        noise
            As in the class.
        variation
            Sum over rounds of the largest change of an arm's mean; None if that is not known: then
            1 is taken.
        """
        window = drift_window(horizon=horizon, n_arms=n_arms, variation=variation)
        return cls(window, noise, 1.0 / horizon / horizon)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> ArmWindow:
        """Allocate a memory."""
        return arm_window(n_arms, self.window)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        forget_window(memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm with the largest upper confidence bound."""
        # As a difference: 2 K / δ can be more than a float holds.
        spread = 2.0 * (math.log(2.0 * memory.counts.size) - math.log(self.confidence))
        return most_optimistic(memory.counts, memory.sums, self.noise, spread, luck)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the reward into the window."""
        admit(memory, choice.arm, reward, self.window)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        spread = 2.0 * (math.log(2.0 * memory.counts.size) - math.log(self.confidence))
        return arms_belief(
            memory.counts, mean_of_arms(memory.counts, memory.sums),
            self.noise * math.sqrt(spread), self.noise,
            f"The last {int(memory.clock[0])} rounds count, of a window of {self.window}.",
        )  # fmt: skip

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another window."""
        return HedgingArmsUCB(setting, self.noise, self.confidence)

    def roomiest(self, settings: Any) -> Any:
        """Return the longest window."""
        return max(settings)

    def candidates(self, block_length: int) -> Any:
        """Return the windows 1 = H^0, ..., H that Bandit-over-Bandit tries in blocks of H rounds."""
        return theory.window_grid(block_length)


def drift_window(*, horizon: int, n_arms: int, variation: float | None) -> int:
    r"""Return the window of "Hedging the Drift" for K arms.

    .. math:: w = \left\lfloor K^{1/3} (T / B_T)^{2/3} \right\rfloor,

    clipped to [1, T]; it balances w B_T in drift against :math:`T \sqrt{K / w}` in noise. The
    variation B_T is the sum over rounds of the largest change of an arm's mean. Unknown, it counts
    as 1; without variation the window is T.

    Examples
    --------
    >>> drift_window(horizon=30_000, n_arms=2, variation=1.0)
    1216
    """
    horizon = require_integer("horizon", horizon, unit="round")
    n_arms = require_integer("n_arms", n_arms)
    budget = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
    if budget == 0.0:
        return horizon
    ideal = n_arms ** (1 / 3) * (horizon / budget) ** (2 / 3)
    return max(1, floor(min(ideal, horizon)))
