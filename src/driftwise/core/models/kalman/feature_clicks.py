"""Clicks with features: filters whose log-odds are linear, weighed by the likelihood of Bernoulli.

Rewards with two values only, once there were enough of them, are clicks. The filters stay what they are for
amounts, in the same units: with pi the rate of the higher value when units were settled, and s^2 = pi (1 - pi),
an action whose mean is v in these units has the rate mu(ln(pi / (1 - pi)) + v / s), mu(z) = 1 / (1 + exp(-z)).
About pi that is the line that amounts would have, so a third value needs no more than to be learnt as an amount.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.abreast import Width, abreast, larger, put, roots, smaller, take
from ...compiler.compiled import compilable, inlined
from ...compiler.elementary import exp, exponentials, log, logarithms
from .feature_units import COUNT, OFFSET, UNIT, FeatureUnits
from .mixture import (
    BROADEN,
    ERROR,
    LEAP,
    LOG_WEIGHT,
    NOISE,
    PULL,
    REACH,
    ROUNDS,
    VARIANCE,
    WEIGHT,
    Mixture,
    normalise,
)
from .reward_kind import AMOUNTS, FIRST, HITS, KIND, SECOND, RewardKind, begin_reward_kind

__all__ = ["FeatureClicks", "begin_feature_clicks"]

# Cells of `FeatureClicks.cells`.
SCALE = 0  # s, 0 unless rewards are taken for clicks
ORIGIN = 1  # ln(pi / (1 - pi))
_CELLS = 2

_ENOUGH = 64.0  # rewards, before two values are taken for clicks
_PRIOR = 2.0  # the standard deviation of the parameter of log-odds: at the start, and at most
_SMOOTHING = math.pi / 8.0  # the mean of mu under N(z, v) is about mu(z / sqrt(1 + v pi / 8))
_STEPS = 3  # Newton steps to the most probable log-odds
_LONGEST_STEP = 3.0  # of such a step; without a limit it might never arrive
_FARTHEST = 40.0  # a log-odds beyond that counts as that: 1 - mu would be 0
_LEAST = 1e-300


@compilable
class FeatureClicks(NamedTuple):
    """Whether rewards are clicks, and if so, how rates are told in the units of the filters."""

    cells: Vector  # (2,), see above
    kind: RewardKind  # which values rewards have

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.kind.cells[..., KIND], 0, AMOUNTS)]

    def forget(self) -> None:
        """Start over."""
        self.cells[SCALE] = 0.0
        self.cells[ORIGIN] = 0.0
        self.kind.forget()

    def are_on(self) -> bool:
        """Return whether rewards are taken for clicks."""
        return bool(self.cells[SCALE] > 0.0)

    def see(self, reward: float) -> None:
        """Take note of a reward; a third value ends clicks for good."""
        if self.kind.see(reward):
            self.cells[SCALE] = 0.0
        self.kind.cells[HITS] += self.kind.is_hit(reward)

    def settle(self, units: FeatureUnits) -> None:
        """Take rewards for clicks from now on, if they are; tell their units by the rate of all of them."""
        kind, count = self.kind.cells, units.cells[COUNT]
        if kind[KIND] != 2.0 or count < _ENOUGH:
            return
        hits = kind[HITS] if kind[SECOND] > kind[FIRST] else count - kind[HITS]
        rate = (hits + 0.5) / (count + 1.0)
        self.cells[SCALE] = math.sqrt(rate * (1.0 - rate))
        self.cells[ORIGIN] = log(rate / (1.0 - rate))
        units.cells[OFFSET] = self.low() + self.range() * rate
        units.cells[UNIT] = max(self.range() * self.cells[SCALE], units.cells[UNIT] * 1e-12)

    def low(self) -> float:
        """Return the lower value of a click."""
        return float(min(self.kind.cells[FIRST], self.kind.cells[SECOND]))

    def range(self) -> float:
        """Return how much more the higher value is."""
        return float(abs(self.kind.cells[SECOND] - self.kind.cells[FIRST]))

    def told(self, units: FeatureUnits, value: float) -> float:
        """Return the mean of an action as others know it, given what the filters say."""
        if not self.are_on():
            return units.told(value)
        return self.low() + self.range() * rate_of(self.log_odds(value))

    def slope(self, units: FeatureUnits, value: float) -> float:
        """Return by how much that moves per unit of the filters."""
        if not self.are_on():
            return units.unit()
        rate = rate_of(self.log_odds(value))
        return self.range() * rate * (1.0 - rate) / self.cells[SCALE]  # type: ignore[no-any-return]  # a float

    def log_odds(self, value: float) -> float:
        """Return the log-odds of a click, given what the filters say."""
        return self.cells[ORIGIN] + value / self.cells[SCALE]  # type: ignore[no-any-return]  # a float

    def prior(self) -> float:
        """Return the standard deviation of the parameter at the start, in units of the filters."""
        return _PRIOR * self.cells[SCALE]  # type: ignore[no-any-return]  # a float

    def know_noise(self, mixture: Mixture) -> None:
        """Write the noise of a click, which is 1 in these units, and how the filters grow."""
        for j in range(mixture.table.shape[1]):
            mixture.table[NOISE, j] = 1.0
        mixture.plan_growth(self.prior(), 1.0)

    def reweigh(
        self, settings: Any, mixture: Mixture, reward: float, staleness: float, most: float
    ) -> None:
        """Weigh the filters by how well they predicted a click, and say where they move.

        What `Mixture.reweigh` does for amounts. Before it, the filters write VARIANCE, and ERROR for a reward of 0.
        """
        table, n = mixture.table, mixture.table.shape[1]
        unseen = staleness / (1.0 + staleness)
        seen = SeenClick(
            hit=1.0 if reward > self.low() else 0.0,
            origin=self.cells[ORIGIN],
            per_unit=1.0 / self.cells[SCALE],
            sharing=min(settings.sharing, 1.0 / (mixture.tally[ROUNDS] + settings.sharing_delay)),
            doubt=settings.doubt * unseen * unseen * unseen,
            farthest=unseen * most,
        )
        abreast(weigh_click, n, table, seen)
        normalise(table)
        mixture.count_round()
        mixture.plan_growth(self.prior(), 1.0)


@compilable
class SeenClick(NamedTuple):
    """What a click says, the same for all filters."""

    hit: float  # 1 or 0
    origin: float  # log-odds where the filters say 0
    per_unit: float  # log-odds in their unit
    sharing: float  # of weights
    doubt: float  # how likely a jump is
    farthest: float  # the variance of a jump, in units of the filters


@inlined
def weigh_click(first: int, width: Width, table: Matrix, seen: SeenClick) -> None:
    """Do what `FeatureClicks.reweigh` says for some filters; their weights are not normalised yet.

    With a jump, the variance of the log-odds is wider. A filter goes on with the mean and the variance of the
    two cases, as with amounts.
    """
    variance, unit = take(table[VARIANCE], first, width), seen.per_unit
    jump = larger(seen.farthest - variance, 0.0)
    before = seen.origin - unit * take(table[ERROR], first, width)
    spread, leap = unit * unit * variance, unit * unit * jump
    calm, flat = most_probable(before, spread, seen.hit)
    wild, flatter = most_probable(before, spread + leap, seen.hit)
    sign = 2.0 * seen.hit - 1.0
    likely = (1.0 - seen.doubt) * rates(sign * before / roots(1.0 + _SMOOTHING * spread))
    with_jump = seen.doubt * rates(sign * before / roots(1.0 + _SMOOTHING * (spread + leap)))
    likely = likely + with_jump
    jumped = with_jump / likely
    pull = (calm - before) / (unit * larger(variance, _LEAST))
    far_pull = (wild - before) / (unit * larger(variance + jump, _LEAST))
    reach = (1.0 - jumped) * flat / (1.0 + flat * spread)
    reach = unit * unit * (reach + jumped * flatter / (1.0 + flatter * spread))
    far = jump * far_pull
    left = jump * (1.0 + flatter * spread) / (1.0 + flatter * (spread + leap))
    put(table[PULL], first, pull + jumped * (far_pull - pull + far * reach))
    put(table[REACH], first, roots(reach))
    put(table[LEAP], first, jumped * far)
    put(table[BROADEN], first, jumped * (left + (1.0 - jumped) * far * far))
    known = (1.0 - seen.sharing) * take(table[WEIGHT], first, width)
    put(table[LOG_WEIGHT], first, logarithms((known + seen.sharing / table.shape[1]) * likely))


@inlined
def most_probable(before: Vector, spread: Vector, hit: float) -> tuple[Vector, Vector]:
    """Return the most probable log-odds after a click, and mu' there, given mean and variance before.

    The root of z = before + spread (hit - mu(z)). Along P_j x, the only direction in which a reward moves
    a filter, that is the most probable parameter.
    """
    after, rate = before, rates(before)
    for _ in range(_STEPS):
        off = after - before - spread * (hit - rate)
        step = off / (1.0 + spread * (rate * (1.0 - rate)))
        after = after - larger(smaller(step, _LONGEST_STEP), -_LONGEST_STEP)
        rate = rates(after)
    return after, rate * (1.0 - rate)


@inlined
def rate_of(log_odds: float) -> float:
    """Return mu(z)."""
    return 1.0 / (1.0 + exp(-min(max(log_odds, -_FARTHEST), _FARTHEST)))


@inlined
def rates(values: Vector) -> Vector:
    """Return mu(z) for each log-odds."""
    inside = larger(smaller(values, _FARTHEST), -_FARTHEST)
    return 1.0 / (1.0 + exponentials(0.0 - inside))


def begin_feature_clicks() -> FeatureClicks:
    """Return that nothing is known of rewards yet."""
    return FeatureClicks(np.zeros(_CELLS), begin_reward_kind())
