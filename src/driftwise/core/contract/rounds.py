"""What a world hands to the loop, and what a world must offer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .unit_ball import UnitBall

__all__ = ["BallRounds", "Rounds", "World", "largest"]

# Worlds import this file, and need no compiler: it is the engine that makes both kinds of rounds, and
# `largest`, known to it (`known_rounds.py`).


class Rounds(NamedTuple):
    """Consecutive rounds of a world, as arrays, so that a world never has to be compiled.

    All four arrays are contiguous; a decision set with fewer than K rows is padded below.
    """

    actions: NDArray[np.float64]  # (n, K, d); (1, K, d) if the decision set never changes
    sizes: NDArray[np.int64]  # (n,) or (1,): the number of real rows of each decision set
    means: NDArray[np.float64]  # (n, K): the expected reward of each row
    rewards: NDArray[np.float64]  # (n, K): what each row would bring, noise and all

    def count_rounds(self) -> int:
        """Return the number of rounds."""
        return len(self.means)

    def are_changing(self) -> bool:
        """Return whether rounds may differ in their decision set."""
        return self.sizes.size > 1

    def offer_of(self, t: int) -> NDArray[np.float64]:
        """Return the decision set of a round, counted from 0."""
        row = t if self.sizes.size > 1 else 0
        return self.actions[row, : self.sizes[row]]

    def reward_of(self, t: int, arm: int) -> float:
        """Return what an arm brings."""
        return self.rewards[t, arm]  # type: ignore[no-any-return]  # a float

    def loss_of(self, t: int, arm: int, n_arms: int) -> float:
        """Return how much less an arm brings than the best of all, in expectation."""
        means = self.means[t]
        best = max(means[0], means[1]) if n_arms == 2 else largest(means, n_arms)
        return best - means[arm]  # type: ignore[no-any-return]  # a float


class BallRounds(NamedTuple):
    """Consecutive rounds in which any point of the unit ball may be played.

    A policy is offered the one row of ``point``, and writes into it what it plays.
    """

    parameters: NDArray[np.float64]  # (n, d): the expected reward of x is its inner product
    noise: NDArray[np.float64]  # (n,): what is added to it, whatever is played
    point: NDArray[np.float64]  # (1, d)

    def count_rounds(self) -> int:
        """Return the number of rounds."""
        return len(self.noise)

    def are_changing(self) -> bool:
        """Return whether rounds may differ in their decision set."""
        return False

    def offer_of(self, t: int) -> NDArray[np.float64]:
        """Return the row to be filled in."""
        return self.point

    def reward_of(self, t: int, arm: int) -> float:
        """Return what the point brings."""
        mean = 0.0
        for i in range(self.point.shape[1]):
            mean += self.point[arm, i] * self.parameters[t, i]
        return mean + self.noise[t]  # type: ignore[no-any-return]  # a float

    def loss_of(self, t: int, arm: int, n_arms: int) -> float:
        """Return how much less the point brings than the best one, in expectation."""
        mean, square = 0.0, 0.0
        for i in range(self.point.shape[1]):
            mean += self.point[arm, i] * self.parameters[t, i]
            square += self.parameters[t, i] * self.parameters[t, i]
        return math.sqrt(square) - mean

    @property
    def means(self) -> NDArray[np.float64]:
        """(n, 2): the expected reward of the best point, and of the worst, its mirror image.

        In Python only, for readers who want to know what is at stake in a round. A point drawn at
        random brings the mean of the two.
        """
        lengths = np.sqrt((self.parameters * self.parameters).sum(axis=1))
        return np.stack([lengths, -lengths], axis=1)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """(n, 2): what these two points would bring, noise and all."""
        return self.means + self.noise[:, None]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(1,): the number of columns of ``means``."""
        return np.array([2], dtype=np.int64)


def largest(values: NDArray[np.float64], n: int) -> float:
    """Return the largest of the first n values."""
    best = values[0]
    for i in range(1, n):
        best = max(best, values[i])
    return best  # type: ignore[no-any-return]  # a float


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
        """The largest number of rows of a decision set; 1 for the unit ball."""

    @property
    def decision_set(self) -> NDArray[np.float64] | UnitBall | None:
        """The (K, d) decision set, or the ball, if it is the same in every round; otherwise None."""

    def rounds(self, seed: int, size: int) -> Iterator[Rounds] | Iterator[BallRounds]:
        """Yield all rounds in order, at most ``size`` at a time.

        The numbers depend on ``seed`` and not on ``size``.
        """
