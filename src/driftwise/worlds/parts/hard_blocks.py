"""A parameter that is redrawn in every block of rounds, and too short to be found quickly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.randomness.seeds import generator
from ...theory.hard_instance import hard_instance
from .pieces import piecewise

__all__ = ["HardBlocks"]


class HardBlocks:
    """What the worlds of the paper's lower bound share: their parameters, seed by seed.

    To be inherited from together with the class that says what the decision set is.
    """

    def _set_blocks(self, horizon: int, dimension: int, variation: float) -> None:
        instance = hard_instance(horizon=horizon, dimension=dimension, variation=variation)
        self._variation = float(variation)
        self._block_length = instance.block_length
        self._coordinate = instance.coordinate
        self._length = float(np.sqrt(dimension)) * instance.coordinate

    @property
    def variation(self) -> float:
        """The variation budget B_T."""
        return self._variation

    @property
    def block_length(self) -> int:
        """The number of rounds H for which a parameter stays."""
        return self._block_length

    @property
    def parameter_norm(self) -> float:
        """The length of every parameter, d / (2 sqrt(H)), at most 1."""
        return self._length

    def path(self: Any, seed: int, size: int) -> Iterator[NDArray[np.float64]]:  # any world
        """Yield the parameters of all rounds, drawn block by block."""
        blocks = ((t - 1) // self._block_length for t in self.round_numbers(size))
        return piecewise(blocks, _drawn_corners(seed, self.dimension, self._coordinate))


def _drawn_corners(
    seed: int, dimension: int, coordinate: float
) -> Callable[[int], NDArray[np.float64]]:
    """Return what draws the parameters of the next n blocks: corners of a cube, (n, d)."""
    random = generator(seed, "parameters")

    def draw(n: int) -> NDArray[np.float64]:
        signs = np.where(random.random((n, dimension)) < 0.5, -1.0, 1.0)
        return coordinate * signs

    return draw
