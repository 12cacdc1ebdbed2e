"""Worlds that a log speaks for, drawn from a model of its rewards, and the model held to real rewards."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..delays import Recorded
from .drawn_world import DrawnWorld
from .events import Events
from .preparing import Prepared
from .random_walk import Seen, draw_path, drawn_from, fitted, mean_path
from .scoring import least_variance

__all__ = ["Check", "Posterior", "Shift"]

Numbers = NDArray[np.float64]

_UNSPANNED = 1e-6  # mean square of what rows leave of a constant
_DUST = 1e-7  # of rewards: by how much the prior makes forecasts miss where nothing is noise


class Posterior:
    """What a log leaves possible if rewards are linear in the actions and the parameter walks at random.

    Policies may be shown rows that have no constant, while rewards have a level. If a level, which walks as the
    rest does, explains the log better, then it is part of the model.
    """

    def __init__(self, events: Events) -> None:
        self.events, self._level = events, 0.0
        rows = events.rows_of(events.chosen)
        is_seen = np.isfinite(events.reward)
        rewards = np.where(is_seen, events.reward, 0.0)
        self.seen = Seen(np.ascontiguousarray(rows), rewards, is_seen)
        self.walks = fitted(self.seen)
        ones = np.ones(len(rows))
        left = ones - rows @ np.linalg.lstsq(rows, ones, rcond=None)[0]
        if np.mean(left * left) <= _UNSPANNED:
            return  # rows, such as those of arms, have a constant
        level = math.sqrt(max(float((rows * rows).sum(axis=1).mean()), _UNSPANNED) / rows.shape[1])
        seen = self.seen._replace(rows=np.column_stack([rows, np.full(len(rows), level)]))
        walks = fitted(seen)
        if walks.evidence > self.walks.evidence:
            self.seen, self.walks, self._level = seen, walks, level

    def world(self, random: np.random.Generator) -> DrawnWorld:
        """Draw a world."""
        which = drawn_from(self.walks, random)
        path = draw_path(self.seen, self.walks, which, random)
        d = self.events.actions.shape[2]
        means = self.events.scores(path[:, :d]) + self._level * path[:, d:].sum(axis=1)[:, None]
        rewards = self.seen.rewards[self.seen.is_seen]
        is_click = bool(((rewards == 0.0) | (rewards == 1.0)).all())
        noise, delay = math.sqrt(which.variance), _delay(self.events)
        return DrawnWorld(self.events, means, noise, is_click=is_click, delay=delay)

    def surprises(self) -> Numbers:
        """Return rewards minus a mean path that was fitted without them: each half by the other."""
        n = len(self.events)
        path = np.zeros(self.seen.rows.shape)
        for parity in (0, 1):
            is_mine = np.arange(n) % 2 == parity
            other = self.seen._replace(is_seen=self.seen.is_seen & ~is_mine)
            path[is_mine] = mean_path(other, self.walks, self.walks.best)[is_mine]
        return np.asarray(self.seen.rewards - (self.seen.rows * path).sum(axis=1))


def _delay(events: Events) -> Recorded | None:
    """Return how many events late rewards came, or None if they came at once."""
    if not events.arrivals.are_late:
        return None
    n = len(events)
    before = events.arrivals.before
    came = np.isfinite(events.reward) & (before < n)
    return Recorded(np.where(came, before - 1 - np.arange(n), math.inf))


class Shift(NamedTuple):
    """What real rewards add to those of the model."""

    value: float
    error: float  # standard

    @property
    def z(self) -> float:
        """The shift in standard errors."""
        return self.value / self.error if self.error > 0.0 else 0.0


class Check:
    """The model held to the real rewards of scored events, weighted as in `advice`."""

    def __init__(self, prepared: Prepared, posterior: Posterior) -> None:
        at = prepared.scored
        arrival = prepared.scoring.arrival[at]
        reward = np.where(arrival > 0.0, prepared.events.reward[at], 0.0)
        surprise = posterior.surprises()[at]
        is_dust = np.abs(surprise) <= _DUST * np.abs(reward).max()
        self._prepared, self._surprise = prepared, np.where(is_dust, 0.0, surprise)
        self._factor = np.nan_to_num(arrival / prepared.events.propensity[at])
        self._square = float(np.mean(self._surprise[arrival > 0.0] ** 2))

    def shift(self, probabilities: Numbers) -> Shift:
        """Return the shift of a policy with these probabilities, or of the difference of two."""
        at = self._prepared.scored
        mine = probabilities[at, self._prepared.events.chosen[at]]
        gaps = mine * self._factor * self._surprise
        if len(gaps) < 2:
            return Shift(float(gaps.mean()), math.nan)
        least = least_variance(self._prepared, probabilities[at], self._square)
        variance = max(float(gaps.var(ddof=1)), float(least.mean()))
        return Shift(float(gaps.mean()), math.sqrt(variance / len(gaps)))
