"""What a world hands to the loop, and what a world must offer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rounds", "World"]


class Rounds(NamedTuple):
    """Consecutive rounds of a world, as arrays, so that a world never has to be compiled.

    All four arrays are contiguous; a decision set with fewer than K rows is padded below.
    """

    actions: NDArray[np.float64]  # (n, K, d); (1, K, d) if the decision set never changes
    sizes: NDArray[np.int64]  # (n,) or (1,): the number of real rows of each decision set
    means: NDArray[np.float64]  # (n, K): the expected reward of each row
    rewards: NDArray[np.float64]  # (n, K): what each row would bring, noise and all


class World(Protocol):
    """A source of decision sets and rewards that does not look at the policy."""

    @property
    def horizon(self) -> int:
        """The number of rounds."""

    @property
    def dimension(self) -> int:
        """The length of an action."""

    @property
    def n_arms(self) -> int:
        """The largest number of rows of a decision set."""

    @property
    def decision_set(self) -> NDArray[np.float64] | None:
        """The (K, d) decision set if it is the same in every round, otherwise None."""

    def rounds(self, seed: int, size: int) -> Iterator[Rounds]:
        """Yield all rounds in order, at most ``size`` at a time.

        The numbers depend on ``seed`` and not on ``size``.
        """
