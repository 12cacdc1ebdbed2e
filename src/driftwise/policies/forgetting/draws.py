"""Arms that are drawn by their chances, and rewards weighed by the chance of the day."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...core.base.arrays import Matrix
from ...core.base.validation import require_fraction
from ...core.contract.policy import Choice
from ...core.models.arms.weights import pick
from .settings import Settings

__all__ = ["DrawnByChance"]


class DrawnByChance(Settings):
    """Draws an arm by the ``chances`` of a memory, which explore uniformly by ``mixing``."""

    __slots__ = ()
    if TYPE_CHECKING:
        mixing: float

    def _check(self) -> None:
        require_fraction("mixing", self.mixing, inclusive=True)
        super()._check()

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Draw an arm by its chance."""
        arm = pick(memory.chances, luck)
        return Choice(arm, memory.chances[arm], math.nan)

    def chance_of(self, memory: Any, arm: int) -> float:
        """Return the probability with which the next choice is an arm."""
        return memory.chances[arm]  # type: ignore[no-any-return]  # a float

    def accepts(self, choice: Any) -> bool:
        """Return whether a reward can be weighed by the propensity of its day; in Python only."""
        return bool(choice.propensity > 0.0)  # false for nan, too
