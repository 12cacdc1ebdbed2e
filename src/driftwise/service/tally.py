"""Sums over everything that happened, for pages and metrics: a part of the state, so that replay has them."""

from __future__ import annotations

from bisect import bisect_left

import msgspec

__all__ = ["DELAYS", "Tally"]

# Upper ends of the bins of delays, in seconds; one more bin has no end.
DELAYS = (
    0.1,
    0.3,
    1.0,
    3.0,
    10.0,
    30.0,
    60.0,
    180.0,
    600.0,
    1800.0,
    3600.0,
    10800.0,
    43200.0,
    86400.0,
)
_SECOND = 1_000_000


class Tally(msgspec.Struct):
    """What has been counted since the log began; rewards in units of the problem."""

    rewards: int = 0  # that were learnt, or are held, defaults among them
    reward_sum: float = 0.0
    explored: int = 0  # rewards of explored rounds: what any arm brings
    explored_sum: float = 0.0
    explored_squares: float = 0.0
    defaults: int = 0
    delay_sum: float = 0.0  # seconds
    delays: list[int] = msgspec.field(default_factory=lambda: [0] * (len(DELAYS) + 1))
    arms: list[int] = []  # decisions by arm

    def count_reward(self, value: float, *, is_explored: bool) -> None:
        """Count a reward of a decision that is settled."""
        self.rewards += 1
        self.reward_sum += value
        if is_explored:
            self.explored += 1
            self.explored_sum += value
            self.explored_squares += value * value

    def count_delay(self, microseconds: int) -> None:
        """Count how long a reward took."""
        seconds = microseconds / _SECOND
        self.delay_sum += seconds
        self.delays[bisect_left(DELAYS, seconds)] += 1
