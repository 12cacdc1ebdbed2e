"""Which values rewards take: one, two (clicks or coins), or more (amounts); and how far all of them spread.

A click is a reward with one of two values, whichever these are: 0 and 1, or 0 and a price. What is told
of clicks is the rate of the second value, which the first reward has not. Clicks of which either value is
common are coins: there a rate may well rise to 1, and one reward says little. A third value ends that for good.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...base.arrays import Vector
from ...compiler.compiled import compilable

__all__ = ["AMOUNTS", "COINS", "HITS", "KIND", "LEAST_SQUARE", "RewardKind", "begin_reward_kind"]

# Cells of a reward kind.
KIND = 0  # how many values rewards have had: 0, 1 or 2; or one of the kinds below
FIRST = 1  # the first value
SECOND = 2  # the second one: itself, since first + (second - first) may be another float
HITS = 3  # rewards that were not the first value, while there were two
TOTAL = 4  # of all rewards
SQUARES = 5  # sum of their squared distances from their mean
OTHERS = 6  # rewards that were neither of the first two values
_CELLS = 7

COINS = 3.0  # two values, both common
AMOUNTS = 4.0  # three values or more
_COIN_FROM = 50.0  # rewards before clicks may be coins
_COIN_SHARE = 0.15  # of the rewards that the rarer value of a coin has
LEAST_SQUARE = 1e-280  # of a distance: smaller ones could not be divided by


@compilable
class RewardKind(NamedTuple):
    """What is known of the values of rewards."""

    cells: Vector  # (7,), see above

    def forget(self) -> None:
        """Start over."""
        for i in range(self.cells.size):
            self.cells[i] = 0.0

    def is_click(self) -> bool:
        """Return whether there were no more than two values, one of them rare for all that is known."""
        return bool(self.cells[KIND] < COINS)

    def is_coin(self) -> bool:
        """Return whether there were two values, both common."""
        return bool(self.cells[KIND] == COINS)

    def has_two_values(self) -> bool:
        """Return whether there were two values."""
        return bool(2.0 <= self.cells[KIND] < AMOUNTS)

    def sign(self) -> float:
        """Return -1 if a higher rate of the second value is worse, otherwise 1."""
        cells = self.cells
        return -1.0 if self.has_two_values() and cells[SECOND] < cells[FIRST] else 1.0

    def unit(self) -> float:
        """Return what a rate of 1 brings more than a rate of 0; of amounts, 1."""
        cells = self.cells
        if cells[KIND] == AMOUNTS:
            return 1.0
        return float(cells[SECOND] - cells[FIRST]) if self.has_two_values() else 0.0

    def origin(self) -> float:
        """Return what a rate of 0 brings; of amounts, 0."""
        return 0.0 if self.cells[KIND] == AMOUNTS else float(self.cells[FIRST])

    def see(self, reward: float) -> bool:
        """Take note of a value; return whether it is the first that shows rewards to be amounts."""
        cells = self.cells
        if cells[KIND] == 0.0:
            cells[KIND], cells[FIRST] = 1.0, reward
        elif cells[KIND] == 1.0 and reward != cells[FIRST]:
            cells[KIND], cells[SECOND] = 2.0, reward
        elif cells[KIND] > 1.0 and reward != cells[FIRST] and reward != cells[SECOND]:
            cells[OTHERS] += 1.0
            is_news = cells[KIND] < AMOUNTS
            cells[KIND] = AMOUNTS
            return bool(is_news)
        return False

    def alike(self, rounds: float) -> float:
        """Return which part of so many amounts had one of the first two values; 0 of clicks and coins."""
        return 1.0 - self.cells[OTHERS] / rounds if self.cells[KIND] == AMOUNTS else 0.0

    def turn_to_coins(self, rounds: float) -> bool:
        """Return whether so many clicks, the newest among them, show for the first time that both values are common."""
        hits, cells = self.cells[HITS], self.cells
        is_common = min(hits, rounds - hits) >= _COIN_SHARE * rounds
        if cells[KIND] == 2.0 and rounds >= _COIN_FROM and is_common:
            cells[KIND] = COINS
            return True
        return False

    def add(self, reward: float, rounds: float) -> None:
        """Add a reward to the spread of all; ``rounds`` came before it."""
        cells = self.cells
        if rounds > 0.0:
            apart = reward - cells[TOTAL] / rounds
            cells[SQUARES] += apart * apart * rounds / (rounds + 1.0)
        cells[TOTAL] += reward

    def spread(self, rounds: float) -> float:
        """Return the variance of so many rewards, all there were."""
        return max(float(self.cells[SQUARES] / rounds), LEAST_SQUARE)

    def within(self, reward: float, rounds: float, farthest: float) -> float:
        """Return a reward, no farther from the mean of so many than ``farthest`` times their spread."""
        mean, farthest = self.cells[TOTAL] / rounds, farthest * math.sqrt(self.spread(rounds))
        return float(min(max(reward, mean - farthest), mean + farthest))

    def is_hit(self, reward: float) -> float:
        """Return 1 if a click has the second value, otherwise 0."""
        return 0.0 if reward == self.cells[FIRST] else 1.0

    def hit_rate(self, rounds: float) -> float:
        """Return the rate of the second value, after so many rewards and before the newest of them."""
        rate = (self.cells[HITS] + 0.5) / rounds
        return 1.0 - 0.25 / rounds if rate >= 1.0 else rate


def begin_reward_kind() -> RewardKind:
    """Return what is known before the first reward."""
    return RewardKind(np.zeros(_CELLS))
