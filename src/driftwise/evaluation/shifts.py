"""A model of rewards held to real ones: how far off it is, as they weigh for a policy."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .preparing import Prepared
from .random_walk import Seen, Walks, mean_path

__all__ = ["Doubts", "Shift", "shift_of"]

Numbers = NDArray[np.float64]


class Shift(NamedTuple):
    """What real rewards add to those of the model, event by event."""

    gaps: Numbers  # of the scored events
    value: float
    error: float  # standard

    @property
    def z(self) -> float:
        """How many standard errors it is from zero."""
        return self.value / self.error if self.error > 0.0 else 0.0


class Doubts:
    """The model held to real rewards: each half of the events by a mean path from the other half."""

    def __init__(self, prepared: Prepared, seen: Seen, fit: Walks) -> None:
        self._prepared = prepared
        n = len(prepared.events)
        path = np.zeros(seen.rows.shape)
        for parity in (0, 1):
            is_mine = np.arange(n) % 2 == parity
            other = seen._replace(is_seen=seen.is_seen & ~is_mine)
            path[is_mine] = mean_path(other, fit, fit.best)[is_mine]
        self._gap = seen.rewards - (seen.rows * path).sum(axis=1)

    def of(self, probabilities: Numbers) -> Shift:
        """Return the shift of a policy with these probabilities."""
        events, at = self._prepared.events, self._prepared.scored
        arrival = self._prepared.scoring.arrival[at]
        weight = probabilities[at, events.chosen[at]] / events.propensity[at] * arrival
        return shift_of(np.where(weight > 0.0, weight * self._gap[at], 0.0))


def shift_of(gaps: Numbers) -> Shift:
    """Return the shift of gaps, one for each scored event."""
    error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else math.nan
    return Shift(gaps, float(gaps.mean()), error)
