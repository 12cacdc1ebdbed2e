"""How a linear policy chooses, whatever it forgets: optimistic, sampled, random strength."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...core.base.arrays import Matrix
from ...core.base.validation import require_number
from ...core.contract.policy import Choice
from ...core.randomness import draws
from ...core.randomness.normals import normal
from .linear import Linear

__all__ = ["Optimistic", "RandomStrength", "Sampled"]


class Optimistic(Linear):
    """Plays the action with the largest mean + radius * width, ties broken at random."""

    __slots__ = ()

    def strength(self, memory: Any) -> float:
        """Return the confidence radius."""
        return memory.radius[0]  # type: ignore[no-any-return]  # a float

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound."""
        arm, value, ties = memory.pending.optimistic(
            memory.regression, actions, self.strength(memory), luck
        )
        return Choice(arm, 1.0 / ties, value)


class Inflated(Linear):
    """A rule that draws, and is as wide as the confidence radius times ``inflation``."""

    __slots__ = ()
    if TYPE_CHECKING:
        inflation: float

    def _check(self) -> None:
        super()._check()
        if not hasattr(self, "inflation"):
            raise TypeError(
                f"{type(self).__name__} must have a setting `inflation`, which its rule needs"
            )
        require_number("inflation", self.inflation, above=0.0)

    def strength(self, memory: Any) -> float:
        """Return the inflated confidence radius."""
        return self.inflation * memory.radius[0]  # type: ignore[no-any-return]  # a float

    def is_drawing(self) -> bool:
        """Tell that the rule draws what it plays."""
        return True


class Sampled(Inflated):
    """Plays the best action for one parameter drawn around the estimate: Thompson sampling.

    The propensity of an arm has no closed form and is reported as nan.
    """

    __slots__ = ()

    def _drawing(self, noise: float) -> Any:
        return self._replace(inflation=0.5)  # type: ignore[attr-defined]  # of a radius of 2 R

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the best row for the parameter drawn."""
        return self.sample(memory, actions, luck)

    def sample(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Draw a parameter, and return the best row for it."""
        arm, value, _ = memory.pending.randomised(
            memory.regression, actions, self.strength(memory), luck
        )
        return Choice(arm, math.nan, value)


class RandomStrength(Inflated):
    """Plays the action with the largest mean + z * radius * width, z one half-normal a round."""

    __slots__ = ()

    def _drawing(self, noise: float) -> Any:
        return self._replace(inflation=1.0)  # type: ignore[attr-defined]  # z varies enough

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest mean plus a random multiple of its width."""
        radius = self.inflation * abs(normal(luck, 0)) * memory.radius[0]
        arm, value, _ = memory.pending.optimistic(
            memory.regression, actions, radius, draws.fork(luck)
        )
        return Choice(arm, math.nan, value)
