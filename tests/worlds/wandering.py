"""A world as a user would write it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import LinearWorld
from driftwise.worlds.parts.blocks import Offer


class Wandering(LinearWorld):
    """A user's world: fresh actions every round, some of them missing; the parameter walks."""

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        random = generator(seed, "parameters")
        last = np.zeros((1, self.dimension))
        for t in self.round_numbers(size):
            steps = 0.01 * random.standard_normal((len(t), self.dimension))
            walk = np.cumsum(np.concatenate([last, steps]), axis=0)[1:]
            last = walk[-1:]
            yield walk

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        random = generator(seed, "decision sets")
        how_many = generator(seed, "sizes of decision sets")
        for t in self.round_numbers(size):
            actions = random.uniform(-1.0, 1.0, (len(t), self.n_arms, self.dimension))
            yield actions, how_many.integers(1, self.n_arms + 1, len(t))
