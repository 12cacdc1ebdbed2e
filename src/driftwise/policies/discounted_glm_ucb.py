"""Optimism about clicks with exponentially fading rounds (Russac, Cappe and Garivier, 2020)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import described
from ..core.base.validation import require_integer
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.models.glm import kept_rounds
from ..core.models.glm.kept_rounds import FadingLogisticMemory
from ..core.models.glm.logistic import mean_of
from ..core.models.ridge.ellipsoid import optimism
from ..core.models.ridge.radii import faded_weight
from ..core.randomness.ties import better
from .forgetting.discount import Discounted
from .forgetting.logistic import Logistic, inflated_ridge, logistic_radius
from .sliding_window_glm_ucb import CARD

__all__ = ["DiscountedGLMUCB"]


class _Settings(NamedTuple):
    discount: float
    noise: float = 0.5
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    newton_steps: int = 5
    radius_scale: float = 1.0
    rounds_kept: int = 10_000


@described(
    CARD._replace(
        knows="bounds on actions and parameter, horizon; variation for the best discount",
        cost="K d^2 + newton_steps (7 d^2 / (1 - discount) + d^3)",
    )
)
@compilable
class DiscountedGLMUCB(Logistic, Discounted, _Settings):
    r"""Plays the largest upper bound on a click probability, learnt from fading rounds.

    The expected reward is μ(x'θ) with μ(z) = 1 / (1 + e^(-z)). With weights γ^age, θ̂ is the root of
    Σ γ^age (Y - μ(X'θ)) X = λθ; V = (λ/c) I + Σ γ^age X X' and W = (λ/c) I + Σ γ^(2 age) X X'. It
    plays

    .. math:: \arg\max_x\; \mu(x'\hat\theta) + \beta \sqrt{x' V^{-1} W V^{-1} x}, \quad
       \beta = \frac{2 k}{c} \left( R \sqrt{2 \ln \frac{1}{\delta} + d \ln\left(1 + \frac{c L^2
       (1 - \gamma^{2n})}{\lambda d (1 - \gamma^2)}\right)} + \sqrt{\lambda c} S \right)

    after n rounds, with k and c as in `SlidingWindowGLMUCB`.

    Parameters
    ----------
    discount
        What a round counts for after one more round (γ), in (0, 1].
    noise, action_norm, parameter_norm, ridge, newton_steps, radius_scale
        As in `SlidingWindowGLMUCB`.
    confidence
        Probability with which the bounds may fail in a round (δ); see `DiscountedLinUCB` for why
        `tuned` takes δ/T.
    rounds_kept
        The most rounds to keep, whatever the discount.

    Notes
    -----
    The score equation has no recursion, so θ̂ is found from rounds that are kept: those that count
    for more than 1/1000, which is all but 1/1000 of the total weight, and about 7 / (1 - γ) rounds.
    V and W hold all rounds. With a discount of 1, or nearly, ``rounds_kept`` is the limit: if
    more rounds than that are played, θ̂ forgets what V still counts, and the bounds are too tight.
    `tuned` keeps as many as the horizon has.

    The norm by W is that of `DiscountedLinUCB`. As in `SlidingWindowGLMUCB`, the radius is very
    wide, and θ̂ is not projected on the ball of radius S, which the proofs need; nor is it by the
    generalised projection of Faury, Russac, Abeille and Calauzenes (2021).

    References
    ----------
    Russac, Cappe and Garivier (2020). Algorithms for non-stationary generalized linear bandits.
    hal-02514151. Faury, Russac, Abeille and Calauzenes (2021). Regret bounds for generalized linear
    bandits under parameter drift.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.DiscountedGLMUCB.tuned(horizon=6000, dimension=2, variation=5.414)
    >>> round(policy.discount, 5), policy.rounds_kept
    (0.99412, 6000)
    """

    __slots__ = ()

    def _check(self) -> None:
        Logistic._check(self)
        require_integer("rounds_kept", self.rounds_kept, unit="round")

    @classmethod
    def _best_room(cls, horizon: int) -> tuple[int, ...]:
        return (horizon,)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> FadingLogisticMemory:
        """Allocate a memory."""
        room = kept_rounds.rounds_that_count(self.discount, self.rounds_kept)
        return kept_rounds.begin(n_arms, dimension, room)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        room = kept_rounds.rounds_that_count(self.discount, self.rounds_kept)
        kept_rounds.forget(memory, inflated_ridge(self), room)
        memory.radius[0] = logistic_radius(self, 0.0, memory.dimension[0])

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        if memory.pending.is_empty():
            squares = memory.regression.squared_widths(actions)
        else:
            squares = memory.regression.ahead(memory.pending.gram).squared_widths(actions)
        best, bound, ties = 0, -math.inf, 0
        for arm in range(actions.shape[0]):
            linear = 0.0
            for i in range(actions.shape[1]):
                linear += actions[arm, i] * memory.fit.estimate[i]
            value = optimism(mean_of(linear), squares[arm], memory.radius[0])
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return Choice(best, 1.0 / ties, bound)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Weigh all rounds down, take one in, and move the estimate there."""
        memory.pending.hear()
        ridge = inflated_ridge(self)
        memory.regression.fade(action, choice.arm, reward, self.discount, ridge, 1)
        kept_rounds.keep(memory, action, reward, self.discount, self.ridge, self.newton_steps)
        weight = faded_weight(memory.power[0], memory.rounds[0], self.discount)
        memory.radius[0] = logistic_radius(self, weight, memory.dimension[0])
