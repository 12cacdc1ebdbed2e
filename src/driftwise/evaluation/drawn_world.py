"""A world whose rewards were drawn, with the decision sets of a log."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.contract.delay import Delay
from ..core.contract.rounds import Rounds
from ..core.randomness.seeds import generator
from .events import Events

__all__ = ["DrawnWorld"]

Numbers = NDArray[np.float64]


class DrawnWorld:
    """What a log might have been a log of.

    Parameters
    ----------
    events
        Of which the decision sets are taken.
    means
        (n, K), of the rewards of all rows; kept.
    noise
        The standard deviation of rewards around their means.
    is_click
        Whether rewards are 0 or 1: then means are cut to [0, 1], and nothing else is noise.
    delay
        How many events late rewards come, if they do.
    """

    def __init__(
        self, events: Events, means: Numbers, noise: float, *, is_click: bool, delay: Delay | None
    ) -> None:
        self._events, self._noise, self._is_click = events, noise, is_click
        self.means = np.clip(means, 0.0, 1.0) if is_click else means
        self.delay = delay
        self.horizon = len(events)
        self.n_arms, self.dimension = events.actions.shape[1:]
        self.decision_set = events.fixed

    @property
    def best(self) -> Numbers:
        """(n,): the expected reward of the best row."""
        sizes = np.broadcast_to(self._events.sizes, self.horizon)
        is_real = np.arange(self.n_arms) < sizes[:, None]
        return np.asarray(np.where(is_real, self.means, -math.inf).max(axis=1))

    def rounds(self, seed: int, size: int) -> Iterator[Rounds]:
        """Yield all rounds in order, at most ``size`` at a time."""
        random, events = generator(seed, "noise"), self._events
        for first in range(0, self.horizon, size):
            here = slice(first, first + size)
            means = self.means[here]
            if self._is_click:
                rewards = (random.random((len(means), 1)) < means).astype(np.float64)
            else:
                rewards = means + self._noise * random.standard_normal((len(means), 1))
            is_fixed = len(events.actions) == 1
            yield Rounds(
                events.actions if is_fixed else events.actions[here],
                events.sizes if is_fixed else events.sizes[here],
                np.ascontiguousarray(means),
                np.ascontiguousarray(rewards),
            )
