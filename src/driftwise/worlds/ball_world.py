"""A world in which any point of the unit ball may be played."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_integer
from ..core.contract.rounds import BallRounds
from ..core.contract.unit_ball import UnitBall
from ..core.randomness.many_normals import many_normals
from ..core.randomness.seeds import generator
from .parts.blocks import checked_path
from .parts.rewards import require_noise
from .parts.timeline import Timeline
from .parts.variation import Variation, changes_in, variation_of

__all__ = ["BallWorld"]


class BallWorld(Timeline[BallRounds]):
    r"""A world whose actions are all points of the unit ball, with a parameter that moves.

    In round t = 1..T a point x with :math:`\|x\| \le 1` brings
    :math:`\langle x, \theta_t \rangle` plus Gaussian noise, and the best one brings
    :math:`\|\theta_t\|`. A world of your own says how :math:`\theta_t` moves: subclass, and write
    `path`, as for a `LinearWorld`.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        The length of an action.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.

    Examples
    --------
    >>> class Compass(BallWorld):
    ...     def path(self, seed, size):
    ...         for t in self.round_numbers(size):
    ...             yield np.stack([np.cos(t / 500), np.sin(t / 500)], axis=1)
    >>> world = Compass(horizon=1000, dimension=2)
    >>> world
    <Compass: horizon=1000, dimension=2, noise=0.1>
    >>> round(world.realised_variation().l2, 3)
    1.998
    """

    _shown: ClassVar[list[str]] = ["horizon", "dimension", "noise"]

    def __init__(self, *, horizon: int, dimension: int, noise: float | None = None) -> None:
        super().__init__(horizon)
        self._ball = UnitBall(dimension)
        self._noise = require_noise(noise)

    @abstractmethod
    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds in order: (n, d) blocks with n up to ``size``."""

    @property
    def dimension(self) -> int:
        """The length of an action."""
        return self._ball.dimension

    @property
    def n_arms(self) -> int:
        """One: the row that a policy fills in."""
        return 1

    @property
    def decision_set(self) -> UnitBall:
        """The unit ball."""
        return self._ball

    @property
    def noise(self) -> float:
        """The standard deviation of the noise, which is also its sub-Gaussian proxy R."""
        return self._noise

    def realised_variation(self, seed: int = 0) -> Variation:
        """Return how far the parameter moved in total, and the point whose reward moves most.

        The two are the same: that point lies in the direction of the move.
        """
        length = variation_of(self._whole_path(seed), None).l2
        return Variation(length, length)

    def number_of_changes(self, seed: int = 0) -> int:
        """Return how many rounds differ in their parameter from the round before."""
        return changes_in(self._whole_path(seed))

    def satisfies_assumption_one(self, seed: int = 0, *, rounds: int = 1000) -> bool:
        """Return whether all actions are multiples of the vectors of one orthonormal basis.

        On a line they are; in the plane, a ball has points between any two axes.
        """
        require_integer("seed", seed, at_least=0)
        require_integer("rounds", rounds, unit="round")
        return self.dimension == 1

    def _rounds(self, seed: int, size: int) -> Iterator[BallRounds]:
        random = generator(seed, "noise")
        for block in self._checked_path(seed, size):
            # A copy: neither a reader nor an author who uses a buffer twice can do harm.
            parameters = np.array(block, dtype=np.float64, order="C")
            noise = self._noise * many_normals(random, len(parameters))
            yield BallRounds(parameters, noise, np.zeros((1, self.dimension)))

    def _whole_path(self, seed: int) -> Iterator[NDArray[np.float64]]:
        return self._checked_path(require_integer("seed", seed, at_least=0), 2**16)

    def _checked_path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        path = self.path(seed, size)
        return checked_path(path, horizon=self._horizon, dimension=self.dimension, size=size)
