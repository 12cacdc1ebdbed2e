"""A world of your own, complete: arms that take turns, faster and faster."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from driftwise.extend import Card, LinearWorld, require_number


class MyWorld(LinearWorld):
    """Two arms that take turns at being the better one, faster and faster.

    Parameters
    ----------
    horizon
        The number of rounds.
    swings
        How often the better arm comes back.
    noise
        The standard deviation of the noise; 0.1 by default.
    """

    card = Card(source="an example", guarantee="Assumption 1 holds: the actions are basis vectors")

    def __init__(self, *, horizon: int, swings: float = 5.0, noise: float | None = None) -> None:
        super().__init__(horizon=horizon, decision_set=np.eye(2), noise=noise)
        self._swings = require_number("swings", swings, at_least=0.0)

    @property
    def swings(self) -> float:
        """How often the better arm comes back."""
        return self._swings

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds in order, at most ``size`` at a time."""
        for t in self.round_numbers(size):
            share = t / self.horizon
            wave = 0.3 * np.sin(2.0 * np.pi * self._swings * share * share)
            yield np.stack([0.5 + wave, 0.5 - wave], axis=1)
