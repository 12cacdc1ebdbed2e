"""What `AdaptiveUCB` has learnt of arms, where it was told nothing: filters, looks, what is in flight.

The interface is that of `driftwise.core.models.kalman.layouts`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.compiled import compilable
from ...randomness import draws
from ...randomness.ties import better
from . import probe
from .arm_filters import (
    CENTRE,
    COUNT,
    DEVIATION,
    MEAN_NOISE,
    SIZE,
    STALENESS,
    ArmFilters,
    begin_arm_filters,
    squared,
)  # fmt: skip
from .arm_flight import ArmFlight, TimedChoice, begin_arm_flight
from .lookout import Lookout, begin_lookout
from .looks import overdue, shortened
from .mixture import MEMORY, ROUNDS, Mixture

__all__ = ["AdaptiveArms", "begin_adaptive_arms"]


@compilable
class AdaptiveArms(NamedTuple):
    """Filters of arms, when each is looked at, and what is in flight."""

    axis: NDArray[np.int64]  # (K,), the axis of each row
    length: Vector  # (K,), its one coordinate that is not zero
    filters: ArmFilters  # of the means
    due: Vector  # (K,), the staleness at which an arm is looked at, were it not behind
    watched: NDArray[np.int64]  # (1,), the arm that is kept an eye on
    lookout: Lookout  # what has changed
    pending: ArmFlight  # what is in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        last = self.due.shape[-1] - 1
        return [(self.axis, 0, last), (self.watched, 0, last)]

    def restart(self, settings: Any, luck: int) -> None:
        """Write the state in which nothing was learnt."""
        self.filters.know_nothing(settings)
        self.lookout.notice_nothing()
        self.pending.land_all()
        self.watched[0] = 0
        for arm in range(self.due.size):
            self.due[arm] = 1.0

    def choose(self, settings: Any, actions: Matrix, luck: int) -> TimedChoice:
        """Return an arm that was never seen, or is overdue for a look, or promises most."""
        filters, now = self.filters, self.pending.now()
        arm, _, ties = self.unseen(luck)
        if ties > 0:
            return TimedChoice(arm, 1.0 / ties, math.nan, now)
        arm, value = self.overdue_arm(), -math.inf
        if arm >= 0:
            value, ties = self.promise(arm, settings.width), 1
        else:
            for k in range(self.due.size):
                if filters.summary[COUNT, k] > 0.0:
                    bound = self.promise(k, settings.width)
                    arm, value, ties = better(k, bound, arm, value, ties, luck)
        value = filters.kind.origin() + abs(filters.kind.unit()) * value
        return TimedChoice(arm, 1.0 / ties, value, now)

    def unseen(self, luck: int) -> tuple[int, float, int]:
        """Return the unseen arm with the least in flight, minus that, and how many tie: 0 if none is due.

        One with half a decision in flight, or more, is waited for if there is another arm to play.
        """
        summary, flight = self.filters.summary, self.pending.flight
        has_seen = self.filters.mixture.tally[ROUNDS] > 0.0
        arm, least, ties = 0, -math.inf, 0
        for k in range(flight.size):
            if summary[COUNT, k] == 0.0 and (flight[k] < 0.5 or not has_seen):
                arm, least, ties = better(k, -flight[k], arm, least, ties, luck)
        return arm, least, ties

    def overdue_arm(self) -> int:
        """Return the arm that is most overdue for a look, -1 if none is.

        None of coins: a rate has a ceiling, by which `promise` sees to looks.
        """
        if self.filters.kind.is_coin():
            return -1
        filters, summary, flight = self.filters, self.filters.summary, self.pending.flight
        sign, best = filters.kind.sign(), filters.best_mean(-1)
        noise, square = filters.tally[MEAN_NOISE], squared(filters.tally[SIZE])
        arm, most = -1, 0.0
        for k in range(flight.size):
            mean, stale = sign * summary[CENTRE, k], summary[STALENESS, k]
            if summary[COUNT, k] > 0.0 and mean < best:
                if flight[k] > 0.0:  # what it will be when all of that is learnt
                    stale = shortened(stale, flight[k] * square, noise)
                over = overdue(stale, best - mean + summary[DEVIATION, k], noise) - self.due[k]
                if over > most:
                    arm, most = k, over
        return arm

    def promise(self, arm: int, width: float) -> float:
        """Return the optimistic mean of an arm, times the sign; of clicks its rate."""
        kind, summary = self.filters.kind, self.filters.summary
        mean, spread = kind.sign() * summary[CENTRE, arm], width * self.deviation(arm)
        if kind.is_coin():
            noise, flight = self.filters.tally[MEAN_NOISE], self.pending.flight[arm]
            stale = shortened(summary[STALENESS, arm], flight, noise)
            return probe.promise(mean, spread, stale, max(kind.sign(), 0.0))
        return float(mean + spread)

    def looked_at(self, width: float) -> int:
        """Return the arm that is looked at next though others promise more, or -1; runs in Python only."""
        arm = self.overdue_arm()
        if self.filters.kind.is_coin():
            seen: list[int] = np.flatnonzero(self.filters.summary[COUNT] > 0.0).tolist()
            most = max(seen, key=lambda k: self.promise(k, width))
            mean = self.filters.kind.sign() * self.filters.summary[CENTRE, most]
            is_look = self.promise(most, width) > mean + width * self.deviation(most)
            arm = most if is_look else -1
        return arm

    def deviation(self, arm: int) -> float:
        """Return the standard error of a mean, as it will be when all that is in flight is learnt."""
        summary, flight = self.filters.summary, self.pending.flight[arm]
        deviation: float = summary[DEVIATION, arm]
        if flight > 0.0:
            rate, noise = summary[CENTRE, arm], self.filters.tally[MEAN_NOISE]
            noise = rate * (1.0 - rate) if self.filters.kind.is_click() else noise
            deviation = math.sqrt(shortened(squared(deviation), flight, noise))
        return deviation

    def learn(self, settings: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let all filters of the arm learn, reweigh them, and prepare the next round."""
        arm, filters, summary = choice.arm, self.filters, self.filters.summary
        self.pending.arrive(choice.tick)
        if filters.kind.see(reward):
            reward = filters.turn_to_amounts(reward)
            self.lookout.look_away()  # what was expected of an arm was a rate
        rounds = filters.mixture.tally[ROUNDS]
        is_known = summary[COUNT, arm] > 0.0
        if is_known and self.lookout.is_return(summary[STALENESS, arm], rounds):
            self.watched[0] = arm
            variance = squared(summary[DEVIATION, arm])
            self.lookout.keep_an_eye(summary[CENTRE, arm], variance, rounds)
        filters.learn(settings, arm, reward)
        self.due[arm] = 0.5 + draws.uniform(luck, 0)
        rounds += 1.0
        self.lookout.notice(filters.mixture.tally[MEMORY], rounds)
        if self.lookout.is_watching():
            watched = self.watched[0]
            variance = squared(summary[DEVIATION, watched])
            self.lookout.compare(summary[CENTRE, watched], variance, rounds)

    def expect(self, settings: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision whose reward is late."""
        self.pending.take_off(choice.arm, choice.tick, luck)

    def settle(self, settings: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count it no more."""
        self.pending.land(choice.arm, choice.tick, luck)

    def tick(self, settings: Any) -> None:
        """Let a round pass in which nothing was learnt."""
        self.filters.advance(settings)

    def means(self) -> Vector:
        """Return the mean of each arm in units of reward, nan of those unseen; runs in Python only."""
        summary, kind = self.filters.summary, self.filters.kind
        means = kind.origin() + kind.unit() * summary[CENTRE]
        return np.where(summary[COUNT] > 0.0, means, math.nan)

    def solution(self) -> Vector:
        """Return the estimate of the parameter, 0 where nothing was seen; runs in Python only."""
        estimate = np.zeros(self.axis.size)
        estimate[self.axis] = np.nan_to_num(self.means()) / self.length
        return estimate


def begin_adaptive_arms(mixture: Mixture, axis: NDArray[np.int64], length: Vector) -> AdaptiveArms:
    """Return a memory of as many arms as axes, each on one of its own; runs in Python only."""
    filters, n_arms = begin_arm_filters(mixture, axis.size), axis.size
    rest = np.zeros(1, dtype=np.int64), begin_lookout(), begin_arm_flight(n_arms)
    return AdaptiveArms(axis, length, filters, np.zeros(n_arms), *rest)
