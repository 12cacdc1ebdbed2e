"""The bank of Kalman filters for arms of which nothing was told: neither units, offset nor noise.

The variance of a mean is kept in units of the filter's own noise, p_j = P_j / R_j^2, and an arm's first
reward is its mean, with p_j = 1: so no unit and no offset matters. How far arms are apart, W, is read off
their means. Rewards with two values only are clicks: means are rates x, the noise is x (1 - x), and
filters are weighed by the likelihood of Bernoulli. The docstring of `driftwise.AdaptiveUCB` has the
formulas.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.abreast import abreast
from ...compiler.compiled import compilable, inlined
from .arm_steps import (
    CAP,
    CENTRE,
    DEVIATION,
    LASTING,
    PER_CAP,
    Click,
    begin_arm,
    follow_amount,
    follow_click,
    foresee_amount,
    grow,
    mix_arm,
)  # fmt: skip
from .looks import look_rate, shortened
from .mixture import DRIFT, NOISE, ROUNDS, WEIGHT, Mixture, normalise, weigh
from .probe import staleness_rate
from .reward_kind import HITS, LEAST_SQUARE, RewardKind, begin_reward_kind

__all__ = [
    "CENTRE", "COUNT", "DEVIATION", "MEAN", "MEAN_NOISE", "RATIO", "SIZE", "STALENESS", "ArmFilters",
    "begin_arm_filters", "squared",
]  # fmt: skip

MEAN, RATIO = range(2)  # of `ArmFilters.moments`
# Rows of `ArmFilters.summary` after `CENTRE` and `DEVIATION`.
STALENESS = 2  # u: how long the arm went unseen
SEEN_AT = 3  # rewards of all arms when its newest came
COUNT = 4  # its rewards; 0: unseen
TOTAL = 5  # their sum
_ROWS = 6

# Cells of `ArmFilters.tally`.
APART = 0  # W: how far arms are apart
MEAN_NOISE = 1  # R^2 of the mixture; of clicks, that of the overall rate
SIZE = 2  # S = W + R; of coins 1
SLOW_NOISE = 3  # R^2 by errors that count in full, however large
AGAIN = 4  # rewards of arms that were seen before
LIMIT = 5  # p_j of an arm of which nothing is known; of clicks only
_CELLS = 6

_PERSISTENCE = 0.1  # of a drift: it adds up after so many memories as make 1
_QUIET = 30.0  # rewards before W may fade, and before the slow noise begins
_SLOW_PART = 0.03  # no filter's noise is below this part of the slow one ...
_SLOW_FROM = 100.0  # ... from so many rewards on
_MOST_AGAIN = 300.0  # of the clicks before rewards turned out to be amounts
_LEAST_NOISE = 1e-12  # of a rate
# Times S; a reward farther off counts as that. What comes once in a million rewards may be so far off: were this
# less, the noise of rare large rewards would never be believed. One in another unit would be noise for ever.
_LARGEST_ERROR = 1e3
_UNLIMITED = 1e300


@compilable
class ArmFilters(NamedTuple):
    """Filters of each arm's mean, and how far each is believed."""

    moments: NDArray[
        np.float64
    ]  # (2, K, M): m_j, of clicks a rate; its variance over the noise, p_j
    summary: Matrix  # (6, K), see above
    growth: Matrix  # (4, M), see `driftwise.core.models.kalman.arm_steps`
    tally: Vector  # (6,), see above
    mixture: Mixture  # how far each filter is believed
    kind: RewardKind  # which values rewards have

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.summary[..., [SEEN_AT, COUNT], :], 0, MOST)]

    def know_nothing(self, settings: Any) -> None:
        """Write the state in which nothing was learnt."""
        table = self.mixture.table
        self.mixture.believe_nothing(settings, 1.0, 1.0)
        self.kind.forget()
        for i in range(self.tally.size):
            self.tally[i] = 0.0
        for arm in range(self.summary.shape[1]):
            for row in range(_ROWS):
                self.summary[row, arm] = 0.0
            self.begin(arm, 0.0, 1.0)
        for j in range(table.shape[1]):
            table[NOISE, j] = 0.0
            drift = table[DRIFT, j]
            self.growth[LASTING, j] = _PERSISTENCE * drift * math.sqrt(drift)

    def begin(self, arm: int, mean: float, ratio: float) -> None:
        """Let all filters have the same mean of an arm, and the same p_j."""
        n = self.growth.shape[1]
        abreast(begin_arm, n, self.moments[MEAN, arm], self.moments[RATIO, arm], mean, ratio)

    def best_mean(self, without: int) -> float:
        """Return the best mean of the arms seen, but one, times the sign; -inf if there is none."""
        sign, best = self.kind.sign(), -math.inf
        for arm in range(self.summary.shape[1]):
            if self.summary[COUNT, arm] > 0.0 and arm != without:
                best = max(best, sign * self.summary[CENTRE, arm])
        return best

    def learn(self, settings: Any, arm: int, reward: float) -> None:
        """Let all filters of the arm learn, reweigh them, and let the next round begin."""
        summary, tally = self.summary, self.tally
        rounds, is_first = self.mixture.tally[ROUNDS], summary[COUNT, arm] == 0.0
        self.kind.add(reward, rounds)
        summary[COUNT, arm] += 1.0
        summary[TOTAL, arm] += reward
        stale, apart = summary[STALENESS, arm], tally[APART]
        sharing = min(settings.sharing, 1.0 / (rounds + settings.sharing_delay))
        unseen = stale / (1.0 + stale)
        doubt = 0.0 if is_first else settings.doubt * unseen * unseen * unseen
        farthest = unseen * squared(apart + min(math.sqrt(tally[MEAN_NOISE]), apart))
        if self.kind.is_click():
            self.learn_click(arm, reward, is_first, sharing, doubt, farthest)
            tally[SIZE] = apart + math.sqrt(tally[MEAN_NOISE])
            if self.kind.turn_to_coins(rounds + 1.0):
                self.turn_to_coins()
        else:
            if self.kind.is_coin():
                reward, farthest = self.kind.is_hit(reward), unseen
            self.learn_amount(settings, arm, reward, is_first, sharing, doubt, farthest)
        size = squared(tally[SIZE])
        stale = shortened(stale, size, tally[MEAN_NOISE]) if size > 0.0 else 0.0
        summary[STALENESS, arm] = stale
        summary[SEEN_AT, arm] = rounds + 1.0
        self.mixture.count_round()
        self.advance(settings)

    def turn_to_coins(self) -> None:
        """Go on with one noise for all arms, that of the overall rate, and with 1 as the bound on rates."""
        table, summary, tally = self.mixture.table, self.summary, self.tally
        again, noise, n = 0.0, tally[MEAN_NOISE], table.shape[1]
        for arm in range(summary.shape[1]):
            again += max(summary[COUNT, arm] - 1.0, 0.0)
            for j in range(n):
                rate = self.moments[MEAN, arm, j]
                self.moments[RATIO, arm, j] *= rate * (1.0 - rate) / noise
        for j in range(n):
            table[NOISE, j] = noise
        tally[AGAIN] = min(max(again, 1.0), _MOST_AGAIN)
        tally[SLOW_NOISE], tally[SIZE] = noise, 1.0

    def turn_to_amounts(self, reward: float) -> float:
        """Begin anew with amounts, but for each arm's average and number of clicks; return how much a reward counts."""
        table, summary, tally = self.mixture.table, self.summary, self.tally
        again, n = 0.0, table.shape[1]
        for arm in range(summary.shape[1]):
            count = summary[COUNT, arm]
            if count > 0.0:
                again += count - 1.0
                for j in range(n):
                    self.moments[MEAN, arm, j] = summary[TOTAL, arm] / count
                    ratio = min(self.moments[RATIO, arm, j], 1.0)
                    self.moments[RATIO, arm, j] = max(1.0 / count, ratio)
        for j in range(n):
            table[NOISE, j] = 0.0
            table[WEIGHT, j] = 1.0 / n
        for i in range(_CELLS):
            tally[i] = 0.0
        tally[AGAIN], rounds = min(again, _MOST_AGAIN), self.mixture.tally[ROUNDS]
        if rounds <= _QUIET:
            return reward
        tally[SLOW_NOISE] = self.kind.spread(rounds)
        return self.kind.within(reward, rounds, _LARGEST_ERROR)

    def learn_click(
        self, arm: int, reward: float, is_first: bool, sharing: float, doubt: float, farthest: float
    ) -> None:
        """Learn from a reward with one of two values."""
        table, rounds = self.mixture.table, self.mixture.tally[ROUNDS] + 1.0
        rate, hit = self.kind.hit_rate(rounds), self.kind.is_hit(reward)
        self.kind.cells[HITS] += hit
        limit = min(rate, 1.0 - rate) / max(rate, 1.0 - rate)
        if is_first:
            self.begin(arm, rate, limit)
        best, edge = self.best_mean(arm if is_first else -1), 0.5 / (rounds + 1.0)
        click = Click(hit, self.kind.sign(), best, edge, limit, sharing, doubt, farthest)
        means, ratios = self.moments[MEAN, arm], self.moments[RATIO, arm]
        abreast(follow_click, table.shape[1], means, ratios, click, table)
        normalise(table)
        self.tally[MEAN_NOISE] = max(rate * (1.0 - rate), _LEAST_NOISE)
        self.tally[LIMIT] = limit

    def learn_amount(
        self, settings: Any, arm: int, reward: float, is_first: bool,
        sharing: float, doubt: float, farthest: float,
    ) -> None:  # fmt: skip
        """Learn from a reward of any size."""
        table, tally, growth = self.mixture.table, self.tally, self.growth
        n, rounds = table.shape[1], self.mixture.tally[ROUNDS] + 1.0
        if tally[AGAIN] == 0.0 or (not is_first and table[NOISE, 0] == 0.0):
            for j in range(n):
                table[NOISE, j] = self.kind.spread(rounds)
        if is_first:
            self.begin(arm, reward, 1.0)
        else:
            means, ratios = self.moments[MEAN, arm], self.moments[RATIO, arm]
            farthest_off = _LARGEST_ERROR * tally[SIZE]
            if farthest_off > 0.0:
                centre = self.summary[CENTRE, arm]
                reward = min(max(reward, centre - farthest_off), centre + farthest_off)
            least = max(squared(settings.least_noise * tally[SIZE]), LEAST_SQUARE)
            abreast(foresee_amount, n, means, ratios, reward, least, table, growth)
            least = max(least, self.slow_noise(arm, reward, rounds))
            abreast(weigh, n, table, settings, tally[AGAIN], sharing, doubt, farthest, least)
            normalise(table)
            abreast(follow_amount, n, means, ratios, table, growth)
            tally[AGAIN] += 1.0
        tally[MEAN_NOISE] = self.mixture.mean_noise()

    def slow_noise(self, arm: int, reward: float, rounds: float) -> float:
        """Follow the noise slowly, by errors that count in full; return below what no filter's may be.

        Where most rewards are alike and few are large, capped errors see hardly any noise.
        """
        if rounds <= _QUIET:
            return 0.0
        tally, noise = self.tally, self.tally[MEAN_NOISE]
        error, variance = reward - self.summary[CENTRE, arm], squared(self.summary[DEVIATION, arm])
        seen = error * error / (1.0 + variance / noise) if noise > 0.0 else 0.0
        share = max(1.0 / (rounds - _QUIET + 1.0), 10.0 / (rounds + 10.0))
        tally[SLOW_NOISE] += (seen - tally[SLOW_NOISE]) * share
        part = max(_SLOW_PART, self.kind.alike(rounds))
        return part * tally[SLOW_NOISE] if rounds >= _SLOW_FROM else 0.0

    def advance(self, settings: Any) -> None:
        """Let variances grow and arms age; mix the filters; see how far arms are apart."""
        summary, tally, is_click = self.summary, self.tally, self.kind.is_click()
        sign, rounds = self.kind.sign(), self.mixture.tally[ROUNDS]
        noise, high, low = math.sqrt(tally[MEAN_NOISE]), -math.inf, math.inf
        self.limit_growth(is_click)
        if self.kind.is_coin():
            rate = staleness_rate(rounds, settings.probing, settings.probing_decay)
        else:
            rate = look_rate(summary.shape[1], rounds, tally[APART], noise)
        for arm in range(summary.shape[1]):
            if summary[COUNT, arm] > 0.0:
                self.mix(arm, rounds - summary[SEEN_AT, arm], is_click)
                summary[STALENESS, arm] += rate
                mean, deviation = sign * summary[CENTRE, arm], summary[DEVIATION, arm]
                high, low = max(high, mean - deviation), min(low, mean + deviation)
        apart = max(high - low, 0.0)
        if apart <= tally[APART] and rounds > _QUIET:
            apart = tally[APART] + (apart - tally[APART]) / (rounds + 1.0)
        tally[APART] = apart
        tally[SIZE] = 1.0 if self.kind.is_coin() else apart + noise

    def limit_growth(self, is_click: bool) -> None:
        """Write up to where each filter's p_j may grow."""
        square = squared(self.tally[SIZE])
        for j in range(self.growth.shape[1]):
            noise = self.mixture.table[NOISE, j]
            cap = square / noise if square > 0.0 and noise > 0.0 else _UNLIMITED
            cap = self.tally[LIMIT] if is_click else min(cap, _UNLIMITED)
            self.growth[CAP, j] = cap
            self.growth[PER_CAP, j] = 1.0 / cap if cap < _UNLIMITED else 0.0

    def mix(self, arm: int, gone: float, is_click: bool) -> None:
        """Let an arm's variance grow, and write its mean and its standard error by the mixture."""
        summary, table, n = self.summary, self.mixture.table, self.growth.shape[1]
        means, ratios = self.moments[MEAN, arm], self.moments[RATIO, arm]
        summary[CENTRE, arm] = summary[DEVIATION, arm] = 0.0
        abreast(grow, n, means, ratios, gone, is_click, summary, arm, table, self.growth)
        abreast(mix_arm, n, means, ratios, is_click, summary, arm, table)
        summary[DEVIATION, arm] = math.sqrt(summary[DEVIATION, arm])


def begin_arm_filters(mixture: Mixture, n_arms: int) -> ArmFilters:
    """Return a bank for so many arms."""
    n = mixture.table.shape[1]
    moments, summary, growth = np.zeros((2, n_arms, n)), np.zeros((_ROWS, n_arms)), np.zeros((4, n))
    return ArmFilters(moments, summary, growth, np.zeros(_CELLS), mixture, begin_reward_kind())


@inlined
def squared(x: float) -> float:
    """Return x^2."""
    return x * x
