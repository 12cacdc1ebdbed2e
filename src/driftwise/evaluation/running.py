"""How much more a target brings than the log, kept up to date event by event, with limits for all times."""

from __future__ import annotations

import numpy as np

from .sequences import boundary

__all__ = ["RunningGain"]


class RunningGain:
    r"""The gain of a target over what was done, of which anybody may take a look at any time.

    An event in which the log played a with probability p_t(a), and the target with π_t(a), has the weight
    w_t = π_t(a) / p_t(a). The estimate is the mean of (w_t - 1) (r_t - g_t), with g_t the mean reward so
    far: doubly robust. The limits are those of `sequences.lower_limits`, of (w_t - 1) r_t and of
    (w_t - 1) (1 - r_t), neither of which is ever below -1. Only sums are kept.

    Parameters
    ----------
    level
        The probability that the gain, which may move, is inside of the limits at all times at once.

    Examples
    --------
    >>> gain = RunningGain()
    >>> for event in range(2000):
    ...     gain.add(weight=2.0 * (event % 2), reward=float(event % 2))
    >>> round(gain.value, 2), gain.low > 0.0
    (0.5, True)
    """

    def __init__(self, level: float = 0.95) -> None:
        self._alpha = (1.0 - level) / 2.0
        self.events = 0
        self._rewards = self._gains = 0.0
        self._weights = self._squares = 0.0
        self._sides = (_Side(), _Side())

    def add(self, weight: float, reward: float) -> None:
        """Take in the next event; its reward is in [0, 1]."""
        mean = self._rewards / self.events if self.events else 0.0
        self._gains += (weight - 1.0) * (reward - mean)
        self._rewards += reward
        self._weights += weight
        self._squares += weight * weight
        self.events += 1
        better, worse = self._sides
        better.add((weight - 1.0) * reward, self.events)
        worse.add((weight - 1.0) * (1.0 - reward), self.events)

    @property
    def value(self) -> float:
        """How much more an event would bring."""
        return self._gains / self.events if self.events else 0.0

    @property
    def log(self) -> float:
        """What an event of the log brought."""
        return self._rewards / self.events if self.events else 0.0

    @property
    def low(self) -> float:
        """The lower limit; -1 where nothing can be said."""
        return self._limit(0)

    @property
    def high(self) -> float:
        """The upper limit; 1 where nothing can be said."""
        return -self._limit(1)

    @property
    def effective(self) -> float:
        """How many events of its own choice the estimate is worth."""
        return self._weights**2 / self._squares if self._squares > 0.0 else 0.0

    def _limit(self, side: int) -> float:
        each = self._sides[side]
        if not self.events:
            return -1.0
        room = float(boundary(np.array([each.spread]), self._alpha)[0])
        return max(-1.0, _SCALE * (each.total - room) / self.events)


_SCALE = 2.0  # 1 + k, with outcomes that are never below -k = -1


class _Side:
    """Sums of outcomes, and of their squares around the mean before."""

    __slots__ = ("centre", "spread", "total")

    def __init__(self) -> None:
        self.total = self.spread = self.centre = 0.0

    def add(self, outcome: float, count: int) -> None:
        scaled = outcome / _SCALE
        self.spread += (scaled - self.centre) ** 2
        self.total += scaled
        self.centre = min(self.total / count, 1.0 / _SCALE)
