"""What `AdaptiveUCB` has learnt where actions are vectors and it was told nothing.

Filters know features and rewards in units of their own (`driftwise.core.models.kalman.feature_units`), with a
constant beside the features, so that no offset matters. Where actions touch one block of features each, every
block has filters and a constant of its own; otherwise there is one block. The interface is that of
`driftwise.core.models.kalman.layouts`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable
from ...compiler.layers import layer, stacked
from ...contract.blocks import Blocked, block_of
from ...randomness import draws
from ...randomness.ties import better
from ..flight import LAST, Flight, add_square, flight
from .arm_flight import TimedChoice
from .block_filters import FilterBlocks
from .feature_clicks import FeatureClicks, begin_feature_clicks
from .feature_columns import extend_features, forget_features
from .feature_units import KEPT, FeatureUnits, begin_feature_units
from .filters import CENTRE, SPREAD, begin_dense
from .landing import quadratic, write_landed
from .lookout import Lookout, begin_lookout
from .looks import look_rate, overdue
from .mixture import MEMORY, ROUNDS, Mixture

__all__ = ["AdaptiveFeatures", "begin_adaptive_features"]

# Cells of `AdaptiveFeatures.tally`.
APART = 0  # W: how much an action of length 1 brings
SIZE = 1  # S = 1.4 W + R
DUE = 2  # the staleness at which an action is looked at, were it not behind
_CELLS = 3

_PRIOR = 100.0  # the variance of the parameter at the start
_PER_APART = 1.4
_LONGEST = 100.0  # usual lengths; longer actions are shortened, and their rewards with them
_LEAST_NOISE = 1e-6  # what rounding leaves of the prior must not pass for more than noise
_LARGEST_ERROR = 1e3  # times S; a reward farther off counts as that: see `arm_filters`
_EARLY = 30.0  # rewards before W may fade; it begins anew then


@compilable
class AdaptiveFeatures(NamedTuple):
    """Filters of features, how far each is believed, and what is in flight."""

    filters: FilterBlocks  # (B blocks of b + 1), of features and a constant
    mixture: Mixture  # how far each filter is believed
    lookout: Lookout  # what has changed
    units: FeatureUnits  # in which the filters know features and rewards
    clicks: FeatureClicks  # whether rewards are clicks
    row: Vector  # (b + 1,), the newest action as they know it
    tally: Vector  # (3,), see above
    pending: Flight  # what is in flight

    def restart(self, settings: Any, luck: int) -> None:
        """Write the state in which nothing was learnt."""
        self.units.forget()
        self.clicks.forget()
        self.pending.land_all()
        for i in range(self.row.size):
            self.row[i] = 0.0
        self.unlearn(settings)

    def unlearn(self, settings: Any) -> None:
        """Write the state in which the filters have learnt nothing, in the units that there are."""
        tally, prior = self.tally, _PRIOR
        tally[APART], tally[DUE] = 0.0, 1.0
        self.mixture.believe_nothing(settings, 1.0, 1.0)
        if self.clicks.are_on():
            prior = self.clicks.prior() * self.clicks.prior()
            self.clicks.know_noise(self.mixture)
        tally[SIZE] = math.sqrt(self.mixture.mean_noise())
        self.lookout.notice_nothing()
        self.filters.know_nothing(prior, 0.0, self.mixture)

    def choose(self, settings: Any, actions: Matrix, luck: int) -> TimedChoice:
        """Return a row that is overdue for a look, or the one that promises most."""
        means, errors, looks = self.survey(actions)
        arm, bound, ties, look = 0, -math.inf, 0, -1
        for k in range(actions.shape[0]):
            arm, bound, ties = better(
                k, means[k] + settings.width * errors[k], arm, bound, ties, luck
            )
            if looks[k] > 0.0 and (look < 0 or looks[k] > looks[look]):
                look = k
        if look >= 0:
            arm, bound, ties = look, means[look] + settings.width * errors[look], 1
        return TimedChoice(arm, 1.0 / ties, self.clicks.told(self.units, bound), 0)

    def survey(self, actions: Matrix) -> tuple[Vector, Vector, Vector]:
        """Return means, standard errors and how overdue looks are, in new arrays and own units.

        As it will be when all that is in flight is learnt.
        """
        n_arms, b, banks = actions.shape[0], self.units.scale.size, self.filters.banks
        noise, is_flying = self.mixture.mean_noise(), not self.pending.is_empty()
        found = np.empty((3, n_arms))
        means, errors, looks = found[0], found[1], found[2]
        landed = self.landed(noise) if is_flying else banks.shapes[:, SPREAD]
        # Of one block, as many rows at a time as are looked at side by side.
        top, step = -math.inf, 4 if banks.vectors.shape[0] == 1 else 1
        rows = np.empty((step, b + 1))
        for first in range(0, n_arms, step):
            block, count = self.block_of(actions[first]), min(step, n_arms - first)
            for k in range(count):
                own = actions[first + k, block * b : (block + 1) * b]
                self.units.write(own, rows[k])
            mean, square, stale, length = layer(banks, block).survey(rows[:count], 0)
            for k in range(count):
                variance, unseen = max(square[k], 0.0), max(stale[k], 0.0) / length[k]
                if is_flying:
                    after = quadratic(landed[block], rows[k])
                    unseen *= after / variance if variance > 0.0 else 1.0
                    variance = after
                means[first + k] = mean[k]
                errors[first + k] = math.sqrt(variance)
                looks[first + k] = unseen
                top = max(top, mean[k])
        for k in range(n_arms):
            late = overdue(looks[k], top - means[k] + errors[k], noise) - self.tally[DUE]
            looks[k] = late if means[k] < top else 0.0
        return means, errors, looks

    def landed(self, noise: float) -> Any:
        """Return the covariances of blocks when all in flight is learnt, in a new array."""
        banks, n = self.filters.banks, self.row.size
        landed = np.zeros((banks.vectors.shape[0], n, n))
        scratch, along = np.empty((n, n)), np.empty(n)
        for block in range(landed.shape[0]):
            gram = self.pending.gram[block * n : (block + 1) * n]
            write_landed(banks.shapes[block, SPREAD], gram, noise, scratch, along, landed[block])
        return landed

    def learn(self, settings: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let all filters learn, reweigh them, and prepare the next round; settle units if they are due."""
        self.pending.hear()
        self.clicks.see(reward)
        rows, rewards, is_due = self.units.rows, self.units.rewards, self.units.keep(action, reward)
        if is_due:
            self.units.settle()
            self.clicks.settle(self.units)
            self.unlearn(settings)
        # One call for both: compiled, it is most of this policy, and there is one copy for each call.
        for i in range(int(self.units.cells[KEPT]) if is_due else 1):
            if is_due:
                action, reward = rows[i], rewards[i]
            self.take_in(settings, action, reward, luck)
        if is_due:
            self.pending.weigh_anew(self)

    def take_in(self, settings: Any, action: Vector, reward: float, luck: int) -> None:
        """Learn in the units that there are."""
        filters, mixture, lookout, tally = self.filters, self.mixture, self.lookout, self.tally
        b, block = self.units.scale.size, self.block_of(action)
        filters.newest[0] = block
        bank = layer(filters.banks, block)
        own = action[block * b : (block + 1) * b]
        self.units.see(own)
        self.units.write(own, self.row)
        told = 0.0 if self.clicks.are_on() else self.units.reward(reward)
        told = bank.within(self.row, told, _LARGEST_ERROR * tally[SIZE])
        bank.predict(self.row, 0, told, _LONGEST, mixture)
        noise, rounds, apart = mixture.mean_noise(), mixture.tally[ROUNDS], tally[APART]
        staleness, step = bank.see(noise / (tally[SIZE] * tally[SIZE]))
        if staleness > tally[DUE]:
            tally[DUE] = 0.5 + draws.uniform(luck, 0)
        if lookout.is_return(staleness, rounds):
            filters.watch()
            mean, spread = filters.outlook()
            lookout.keep_an_eye(mean, spread, rounds)
        size = apart + min(math.sqrt(noise), apart)
        most = size * size * step
        if self.clicks.are_on():
            self.clicks.reweigh(settings, mixture, reward, staleness, most)
        else:
            least = max(settings.least_noise * tally[SIZE], _LEAST_NOISE)
            mixture.reweigh(settings, tally[SIZE], 1.0, least, staleness, most)
        filters.correct(self.look_rate(), mixture)
        rounds += 1.0
        self.see_size(bank, rounds)
        lookout.notice(mixture.tally[MEMORY], rounds)
        if lookout.is_watching():
            mean, spread = filters.outlook()
            lookout.compare(mean, spread, rounds)

    def look_rate(self) -> float:
        """Return how much staler all directions become before the next round."""
        noise = math.sqrt(self.mixture.mean_noise())
        n = self.filters.banks.vectors.shape[0] * self.units.scale.size
        return look_rate(n, self.mixture.tally[ROUNDS], self.tally[APART], noise)

    def see_size(self, bank: Any, rounds: float) -> None:
        """See how much the newest action brings for its length."""
        tally, length = self.tally, 0.0
        mean, variance = bank.outlook_of(self.row)
        for i in range(self.row.size):
            length += self.row[i] * self.row[i]
        top = max(abs(mean) - math.sqrt(variance), 0.0) / math.sqrt(length)
        if rounds == _EARLY or top > tally[APART]:
            tally[APART] = top
        elif rounds > _EARLY:
            tally[APART] += (top - tally[APART]) / (rounds + 1.0)
        tally[SIZE] = _PER_APART * tally[APART] + math.sqrt(self.mixture.mean_noise())

    def expect(self, settings: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision whose reward is late."""
        self.pending.take_off(self, action, choice.arm, luck)

    def settle(self, settings: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count it no more; one that was taken for lost does not tell how late rewards are."""
        last = self.pending.pace[LAST]
        if not self.pending.land(self, luck):
            self.pending.pace[LAST] = last

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of a decision in flight, or subtract it; return by how much the trace moves."""
        block, n = self.block_of(action), self.row.size
        row = np.empty(n)  # each coordinate once: to find it takes longer than to add it
        self.units.write(action[block * (n - 1) : (block + 1) * (n - 1)], row)
        return add_square(gram[block * n : (block + 1) * n], row, weight)

    def block_of(self, action: Vector) -> int:
        """Return the block that an action touches."""
        return (
            block_of(action, self.units.scale.size)
            if self.filters.banks.vectors.shape[0] > 1
            else 0
        )

    def tick(self, settings: Any) -> None:
        """Let a round pass in which nothing was learnt."""
        self.filters.rest(self.look_rate(), self.mixture)

    def judged(self, actions: Matrix) -> tuple[Vector, Vector, Vector, Vector, Vector]:
        """Return means, errors when all is learnt, how overdue, errors now, staleness; in Python only."""
        b, rows = self.units.scale.size, np.empty(self.row.size)
        errors, stale = np.empty(len(actions)), np.empty(len(actions))
        for k, action in enumerate(actions):
            block = self.block_of(action)
            self.units.write(action[block * b : (block + 1) * b], rows)
            _, (variance, *_), (unseen, *_), (length, *_) = layer(self.filters.banks, block).survey(
                rows[None], 0
            )
            errors[k], stale[k] = math.sqrt(max(variance, 0.0)), max(unseen, 0.0) / length
        return *self.survey(actions), errors, stale

    def parameters(self) -> tuple[Vector, Vector, Vector]:
        """Return the estimate, its standard errors, and the constant of each block; in Python only."""
        units, b = self.units, self.units.scale.size
        spreads, means = self.filters.banks.shapes[:, SPREAD], self.filters.banks.vectors[:, CENTRE]
        scale = units.unit() * units.scale
        errors = np.sqrt(np.maximum(np.diagonal(spreads, axis1=1, axis2=2)[:, :b], 0.0))
        constants = [self.clicks.told(units, each) for each in units.constant() * means[:, b]]
        return (scale * means[:, :b]).ravel(), (scale * errors).ravel(), np.array(constants)

    def solution(self) -> Vector:
        """Return the estimate of the parameter, without constants; runs in Python only."""
        return self.parameters()[0]

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior; in Python only."""
        forget_features(self, unlearnt, columns)

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        extend_features(self, former, unlearnt, columns, factor)


def begin_adaptive_features(mixture: Mixture, dimension: int) -> AdaptiveFeatures:
    """Return a memory for vectors of so many features, perhaps in blocks; runs in Python only."""
    n_blocks, b = 1, int(dimension)
    if isinstance(dimension, Blocked):
        n_blocks, b = dimension.n_blocks, dimension.length
    bank = begin_dense(mixture.table.shape[1], b + 1)
    filters = FilterBlocks(stacked(bank, n_blocks), np.zeros(1, np.int64))
    return AdaptiveFeatures(
        filters, mixture, begin_lookout(), begin_feature_units(int(dimension), b), begin_feature_clicks(),
        np.zeros(b + 1), np.zeros(_CELLS), flight(int(dimension), (n_blocks * (b + 1), b + 1)),
    )  # fmt: skip
