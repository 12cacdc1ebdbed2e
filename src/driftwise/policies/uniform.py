"""Any action, whatever it earned: what every policy must beat."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import Limits
from ..core.base.validation import require_integer
from ..core.compiler.compiled import compilable
from ..core.contract.policy import Choice
from ..core.randomness import draws

__all__ = ["Uniform"]


@compilable
class NoMemory(NamedTuple):
    """What `Uniform` has learnt: nothing."""

    nothing: NDArray[np.int64]  # one cell that stays 0, because a memory has at least one array

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.nothing, 0, 0)]


@described(Card(source="a yardstick", cost="1", guarantee="regret in proportion to T"))
@compilable
class Uniform(NamedTuple):
    """Draws an action, each with the same probability, and never learns.

    For decision sets of any kind.

    Parameters
    ----------
    stream
        Which of many sequences of draws to play: two that differ in it play independently of each
        other in the same world with the same seed.

    Examples
    --------
    >>> import driftwise as dw
    >>> from driftwise.policies.uniform import Uniform
    >>> agent = dw.Agent(Uniform(), n_arms=4, seed=0, is_interpreted=True)
    >>> agent.choose().propensity
    0.25
    """

    stream: int = 0  # the compiler cannot type a named tuple without fields

    def _check(self) -> None:
        require_integer("stream", self.stream, at_least=0)

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int) -> Uniform:
        """Return the policy; there is nothing to tune."""
        require_integer("horizon", horizon, unit="round")
        require_integer("n_arms", n_arms)
        return cls()

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> NoMemory:
        """Allocate a memory."""
        return NoMemory(np.zeros(1, np.int64))

    def restart(self, memory: Any, luck: int) -> None:
        """Do nothing: there is nothing to forget."""
        memory.nothing[0] = 0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Draw a row."""
        n_arms = actions.shape[0]
        return Choice(int(draws.uniform(luck, self.stream) * n_arms), 1.0 / n_arms, math.nan)

    def tick(self, memory: Any) -> None:
        """Do nothing: nothing is forgotten as time passes."""

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Do nothing."""
