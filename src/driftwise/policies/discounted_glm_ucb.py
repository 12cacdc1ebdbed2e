"""Optimism about clicks with exponentially fading rounds (Russac, Cappe and Garivier, 2020)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_integer
from ..core.compiler.compiled import compilable, inlined
from ..core.contract.policy import Choice
from ..core.models.discounted.fading import FadingDense, begin_fading
from ..core.models.glm.logistic import LogisticFit, begin_logistic, mean_of
from ..core.models.ridge.ellipsoid import optimism
from ..core.models.ridge.radii import faded_weight
from ..core.models.ridge.window import COUNT, REWARD, SLOT
from ..core.randomness.ties import better
from .forgetting.discount import Discounted
from .forgetting.logistic import Logistic, inflated_ridge, logistic_radius

__all__ = ["DiscountedGLMUCB"]


_NEGLIGIBLE = 1e-3  # weight of a round that the estimate no longer reads
ROOM = 2  # of `FadingLogisticMemory.clock`, after COUNT and SLOT
FIRST = 1  # coordinate of an action in a row of `FadingLogisticMemory.history`, after REWARD


@compilable
class FadingLogisticMemory(NamedTuple):
    """What `DiscountedGLMUCB` has learnt."""

    regression: FadingDense  # for V and W only; its linear estimate is not used
    history: Matrix  # (rounds kept, 1 + d): reward, action; a ring
    clock: NDArray[np.int64]  # rounds in the ring, slot of the next, slots in use
    fit: LogisticFit  # the estimate
    radius: Vector  # (1,)
    dimension: Vector  # (1,)
    rounds: Vector  # (1,): all of them, faded or not
    power: Vector  # (1,): discount ** (2 * rounds)

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        room = self.history.shape[-2]
        return [
            (self.clock[..., COUNT], 0, room),
            (self.clock[..., SLOT], 0, room - 1),
            (self.clock[..., ROOM], 1, room),
            (self.rounds, 0, MOST),
            (self.dimension, 1, MOST),
        ]


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
    Card(
        source="Russac, Cappe, Garivier (2020), without the projection",
        knows="bounds on actions and parameter, horizon; variation for the best discount",
        cost="K d^2 + newton_steps (7 d^2 / (1 - discount) + d^3)",
        guarantee="none as it stands: the bound of the source is for a projected estimate",
        is_logistic=True,
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
    >>> policy = dw.DiscountedGLMUCB(discount=0.5)
    >>> agent = dw.Agent(policy, dimension=2, seed=0, is_interpreted=True)
    >>> for click in (0, 1, 1):
    ...     decision = agent.choose([[1.0, 0.0], [0.0, 1.0]])
    ...     agent.learn(decision, click)
    >>> agent.estimate.round(3)
    array([ 0.549, -0.118])
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
        regression: Any = begin_fading(n_arms, dimension, None)
        room = rounds_that_count(self.discount, self.rounds_kept)
        history, clock = np.zeros((room, 1 + dimension)), np.zeros(3, np.int64)
        numbers = np.zeros(1), np.full(1, float(dimension)), np.zeros(1), np.ones(1)
        fit = begin_logistic(dimension)
        return FadingLogisticMemory(regression, history, clock, fit, *numbers)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.regression.clear(inflated_ridge(self))
        memory.fit.start_over()
        memory.clock[COUNT] = 0
        memory.clock[SLOT] = 0
        memory.clock[ROOM] = rounds_that_count(self.discount, self.rounds_kept)
        memory.rounds[0] = 0.0
        memory.power[0] = 1.0
        memory.radius[0] = logistic_radius(self, 0.0, memory.dimension[0])

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        squares = memory.regression.squared_widths(actions)
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
        ridge = inflated_ridge(self)
        memory.regression.fade(action, choice.arm, reward, self.discount, ridge, 1)
        slot, room = memory.clock[SLOT], memory.clock[ROOM]
        row = memory.history[slot]
        row[REWARD] = reward
        for i in range(action.size):
            row[FIRST + i] = action[i]
        memory.clock[COUNT] = min(memory.clock[COUNT] + 1, room)
        memory.clock[SLOT] = slot + 1 if slot + 1 < room else 0
        memory.fit.approach(
            memory.history, memory.clock, room, self.discount, self.ridge, self.newton_steps
        )
        memory.rounds[0] += 1.0
        memory.power[0] *= self.discount * self.discount
        weight = faded_weight(memory.power[0], memory.rounds[0], self.discount)
        memory.radius[0] = logistic_radius(self, weight, memory.dimension[0])


@inlined
def rounds_that_count(discount: float, most: int) -> int:
    """Return for how many rounds a weight stays above 1/1000, but no more than ``most``.

    Examples
    --------
    >>> rounds_that_count(0.99, 10_000), rounds_that_count(1.0, 10_000)
    (688, 10000)
    """
    if discount >= 1.0:
        return most
    return min(most, max(1, math.ceil(math.log(_NEGLIGIBLE) / math.log(discount))))
