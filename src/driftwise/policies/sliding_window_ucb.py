"""Optimism on the most recent rounds only: Algorithm 1 of Cheung, Simchi-Levi and Zhu (2019)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_integer
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.explain.belief import Belief, ridge_belief
from ..core.models.ridge.regression import begin
from ..core.models.ridge.window import Ring, last_arm, ring
from .linear_settings import require_linear

__all__ = ["SlidingWindowUCB"]


@compilable
class WindowMemory(NamedTuple):
    """What `SlidingWindowUCB` has learnt."""

    regression: Any  # in the layout that `regression.begin` picked
    ring: Ring  # the rounds in the window
    bonus: Vector  # the confidence radius; the dimension, which it depends on

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        arms = self.ring.history[..., 1]
        return [(arms, 0, last_arm(self.regression)), (self.bonus[..., 1], 1, MOST)]


@described(
    Card(
        source="Cheung, Simchi-Levi, Zhu (2019), Algorithm 1",
        knows="noise, bound on the parameter; horizon and variation for the best window",
        cost="K d^2; K d if the decision set is fixed; K if its rows lie on the axes",
        guarantee="d^(2/3) B^(1/3) T^(2/3) under Assumption 1, d^(7/8) B^(1/4) T^(3/4) without",
    )
)
@compilable
class SlidingWindowUCB(NamedTuple):
    r"""Plays the action with the largest upper confidence bound, learnt from a sliding window.

    With V = λI + Σ X_s X_s' and θ̂ = V⁻¹ Σ X_s Y_s over the last w rounds, it plays

    .. math:: X_t = \arg\max_{x \in D_t} x'\hat\theta + \beta \lVert x \rVert_{V^{-1}}, \quad
       \beta = R \sqrt{d \ln \frac{1 + w L^2 / \lambda}{\delta}} + \sqrt{\lambda} S,

    ties broken at random. A reward that comes late enters the window when it comes.

    Parameters
    ----------
    window
        How many rounds to learn from (w).
    noise
        Scale of the noise: its sub-Gaussian proxy, for Gaussian noise the standard deviation (R).
    action_norm
        Bound on the length of an action (L).
    parameter_norm
        Bound on the length of the unknown parameter (S).
    ridge
        Weight of the regularisation (λ).
    confidence
        Probability with which the bounds may fail in a round (δ).

    Notes
    -----
    A round costs O(K d^2), or O(K d) for a decision set that never changes, or O(K) if its rows
    lie on the axes, whatever the window. The regret bound needs Assumption 1 of the paper, see
    `driftwise.theory.assumption_one`; without it the rate is T^(3/4).

    References
    ----------
    Cheung, Simchi-Levi and Zhu (2019). Learning to Optimize under Non-Stationarity. AISTATS.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.SlidingWindowUCB(window=100, noise=0.1)
    >>> agent = dw.Agent(policy, dimension=2, seed=0)
    >>> for reward in (0.2, 0.8, 0.7):
    ...     decision = agent.choose([[1.0, 0.0], [0.0, 1.0]])
    ...     agent.learn(decision, reward)
    >>> agent.estimate.round(3)
    array([0.5, 0.1])
    """

    window: int
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01

    def _check(self) -> None:
        require_integer("window", self.window, unit="round")
        require_linear(self)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        dimension: int,
        noise: float,
        variation: float | None = None,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
        geometry: theory.Geometry = "orthogonal",
    ) -> SlidingWindowUCB:
        """Return the policy with the window of Theorem 3, and δ = 1/T.

        Parameters
        ----------
        horizon, dimension
            How many rounds there will be, of actions of what length.
        noise, action_norm, parameter_norm, ridge
            As in the class.
        variation
            How far the parameter moves in all (B_T); None if that is not known.
        geometry
            "orthogonal" if the decision sets satisfy Assumption 1, otherwise "general".

        Examples
        --------
        >>> SlidingWindowUCB.tuned(horizon=30_000, dimension=2, variation=1.0, noise=0.1).window
        1532
        """
        window = theory.window(
            horizon=horizon, dimension=dimension, variation=variation, geometry=geometry
        )
        return cls(window, noise, action_norm, parameter_norm, ridge, 1.0 / horizon)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> WindowMemory:
        """Allocate a memory."""
        regression = begin(n_arms, dimension, fixed)
        bonus = np.array([0.0, dimension])
        return WindowMemory(regression, ring(self.window, dimension, regression), bonus)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        growth = 1.0 + self.window * self.action_norm * self.action_norm / self.ridge
        spread = memory.bonus[1] * (math.log(growth) - math.log(self.confidence))
        memory.bonus[0] = (
            self.noise * math.sqrt(spread) + math.sqrt(self.ridge) * self.parameter_norm
        )
        memory.ring.empty()
        memory.regression.clear(self.ridge)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        arm, value, ties = memory.regression.optimistic(actions, memory.bonus[0], luck)
        return Choice(arm, 1.0 / ties, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the round into the window."""
        memory.ring.push(memory.regression, action, choice.arm, reward, self.window, self.ridge)

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another window."""
        return SlidingWindowUCB(
            setting, self.noise, self.action_norm, self.parameter_norm, self.ridge, self.confidence
        )

    def roomiest(self, settings: Any) -> Any:
        """Return the longest window."""
        return max(settings)

    def candidates(self, block_length: int) -> Any:
        """Return the windows 1 = H^0, ..., H that the paper tries in blocks of H rounds."""
        return theory.window_grid(block_length)

    def estimate_in(self, memory: Any) -> Vector:
        """Return the ridge estimate on the window; runs in Python only."""
        return memory.regression.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        rounds = int(memory.ring.clock[0])
        source = f"The last {rounds} rounds count, of a window of {self.window}."
        return ridge_belief(memory.regression, rounds, source, memory.bonus[0], self.noise)
