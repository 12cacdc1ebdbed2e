"""Decisions in flight: made, and without a reward when the next one was due."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Matrix, Vector
from ..base.limits import MOST, Limits
from ..compiler.compiled import called, compilable, inlined
from ..contract.blocks import block_of
from ..contract.coordinates import overwrite

__all__ = ["SLOTS", "Flight", "add_square", "add_square_of_block", "flight"]

SLOTS = 1024  # decisions; of more than that the oldest are taken for lost
_REACH = 2.0  # as many mean deviations later than the mean a reward is taken for lost
_RECENT = 100.0  # rewards that delays are averaged over, and decisions that losses are
_PARTS = 1024.0  # of a chance: sums of so many of them are exact, and nothing is left when all have landed
_LANDED = -1  # in the place of a luck, which is never negative
_LARGEST = 2**62  # half of a luck is below this
_COLLAPSE = 1e-4  # a trace this much smaller than it has been: too many digits are gone

FIRST, SPAN, COUNT = range(3)  # of `Flight.clock`
NOW, PEAK = range(2)  # of `Flight.trace`
MEAN, HEARD, LAST, DEVIATION, LOST, ENDED = range(6)  # of `Flight.pace`


@compilable
class NothingInFlight(NamedTuple):
    """What `Flight` is in a loop without delay, see `driftwise.core.compiler.reducing`."""

    gram: Matrix  # read only where something is in flight: never
    clock: NDArray[np.int64]  # of no consequence

    def is_empty(self) -> bool:
        """Return that nothing is in flight."""
        return True

    def number_of(self, arm: int) -> float:
        """Return how many of an arm are in flight."""
        return 0.0

    def optimistic(
        self, regression: Any, actions: Matrix, radius: float, luck: int
    ) -> tuple[int, float, int]:
        """Return what a regression would choose."""
        return regression.optimistic(actions, radius, luck)  # type: ignore[no-any-return]  # any layout

    def randomised(
        self, regression: Any, actions: Matrix, spread: float, luck: int
    ) -> tuple[int, float, int]:
        """Return what a regression would draw."""
        return regression.randomised(actions, spread, luck)  # type: ignore[no-any-return]  # any layout

    def land_all(self) -> None:
        """Do nothing, as there is nothing to do."""

    def hear(self) -> None:
        """Do nothing, as no reward is late."""

    def weigh_anew(self, model: Any) -> None:
        """Do nothing, as there is nothing to weigh."""


@compilable
class Flight(NamedTuple):
    """What is in flight: a ring of decisions in their order, and the sum of x x' over them.

    An estimator with this sum added to its own is as certain as it will be once all rewards have
    come. What the sum looks like is for a model to say, which offers ``weigh(gram, action, arm, weight)``.
    A decision that never lands is dropped when more newer ones have been made than rewards wait for: two mean
    deviations more than on average. Where rewards go missing, each decision counts by the share that came of
    those before it.
    """

    lucks: NDArray[np.int64]  # (slots,), half the luck of each, which tells them apart; or _LANDED
    arms: NDArray[np.int64]  # (slots,)
    rows: Matrix  # (slots, d), their actions; (slots, 0) where an arm tells its action
    chances: Vector  # (slots,), with which each was expected to land: what it counts
    gram: Matrix  # sum of x x': (d, d) below the diagonal and on it, (1, d) the diagonal alone, or
    # (d, b) its blocks on the diagonal, one below the other, where a row touches one block
    trace: Vector  # sum of the changes of `gram` on its diagonal: NOW, its PEAK since counted anew
    pace: Vector  # decisions made between one and its reward: MEAN and DEVIATION, over HEARD rewards; of
    # the LAST; which share of decisions was LOST, of those that ENDED
    clock: NDArray[np.int64]  # slot of the oldest, slots from there on in use, decisions in flight

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        slots = self.lucks.shape[-1]
        return [
            (self.lucks, _LANDED, _LARGEST),
            (self.arms, 0, MOST),
            (self.clock, 0, slots),
            (self.clock[..., FIRST], 0, slots - 1),
        ]

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Have nothing in flight: what is, may have had these coordinates; in Python only."""
        overwrite(self, unlearnt)

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Leave what was in flight behind, which had fewer coordinates; in Python only."""

    def is_empty(self) -> bool:
        """Return whether nothing is in flight."""
        return self.clock[COUNT] == 0  # type: ignore[no-any-return]  # a bool

    def number_of(self, arm: int) -> float:
        """Return how many of an arm are in flight, for a model of arms."""
        return self.gram[0, arm]  # type: ignore[no-any-return]  # a float

    def optimistic(
        self, regression: Any, actions: Matrix, radius: float, luck: int
    ) -> tuple[int, float, int]:
        """Return what a regression would choose as if it had learnt of all that is in flight."""
        if self.is_empty():
            return regression.optimistic(actions, radius, luck)  # type: ignore[no-any-return]  # any layout
        return _optimistic_ahead(regression, self.gram, actions, radius, luck)

    def randomised(
        self, regression: Any, actions: Matrix, spread: float, luck: int
    ) -> tuple[int, float, int]:
        """Return what a regression would draw as if it had learnt of all that is in flight."""
        if self.is_empty():
            return regression.randomised(actions, spread, luck)  # type: ignore[no-any-return]  # any layout
        return _randomised_ahead(regression, self.gram, actions, spread, luck)

    def land_all(self) -> None:
        """Have nothing in flight, and know nothing of delays."""
        for i in range(self.clock.size):
            self.clock[i] = 0
        for i in range(self.pace.size):
            self.pace[i] = 0.0
        self.clear_sums()

    def clear_sums(self) -> None:
        """Write sums over nothing."""
        self.trace[NOW] = 0.0
        self.trace[PEAK] = 0.0
        for i in range(self.gram.shape[0]):
            for j in range(self.gram.shape[1]):
                self.gram[i, j] = 0.0

    def take_off(self, model: Any, action: Vector, arm: int, luck: int) -> None:
        """Count a decision, and no longer those that are taken for lost."""
        slots, has_heard = self.lucks.size, self.pace[HEARD] > 0.0
        most = slots
        if has_heard:
            most = min(slots, 2 + int(self.pace[MEAN] + _REACH * self.pace[DEVIATION]))
        while self.clock[SPAN] >= most:
            if has_heard:  # otherwise they are many, and not yet late
                self.count_end()
            self.land_at(model, self.clock[FIRST])
        slot = (self.clock[FIRST] + self.clock[SPAN]) % slots
        self.lucks[slot] = luck >> 1
        self.arms[slot] = arm
        self.chances[slot] = int(_PARTS * (1.0 - self.pace[LOST]) + 0.5) / _PARTS
        for i in range(self.rows.shape[1]):
            self.rows[slot, i] = action[i]
        self.pace[LAST] = 0.0
        self.clock[SPAN] += 1
        self.clock[COUNT] += 1
        self.weigh(model, slot, self.chances[slot])
        if slot == 0:  # adding and subtracting for ever lets rounding errors grow
            recount(self, model)

    def count_end(self) -> None:
        """Count a decision that ends, as lost until it is heard of."""
        self.pace[ENDED] = min(self.pace[ENDED] + 1.0, _RECENT)
        self.pace[LOST] += (1.0 - self.pace[LOST]) / self.pace[ENDED]

    def keep_newest(self, model: Any, most: int) -> None:
        """Count no more than so many decisions, the newest."""
        while self.clock[SPAN] > most:
            self.land_at(model, self.clock[FIRST])

    def land(self, model: Any, luck: int) -> bool:
        """Count a decision no longer, if it is in flight; return whether it is.

        One that is not was taken for lost: it is older than all that are.
        """
        slots = self.lucks.size
        for i in range(self.clock[SPAN]):  # the oldest lands first, as a rule
            slot = (self.clock[FIRST] + i) % slots
            if self.lucks[slot] == luck >> 1:
                self.pace[LAST] = self.clock[SPAN] - i
                self.count_end()
                self.land_at(model, slot)
                return True
        if self.pace[LAST] == 0.0 and not self.is_empty():  # otherwise it has just landed
            self.pace[LAST] = self.clock[SPAN] + 1.0
        return False

    def hear(self) -> None:
        """Take note of a reward, if anything is in flight: of what just landed, or one at once."""
        if self.pace[LAST] > 0.0:
            self.pace[LOST] = max(self.pace[LOST] - 1.0 / max(self.pace[ENDED], 1.0), 0.0)
        if not self.is_empty():
            self.pace[HEARD] = min(self.pace[HEARD] + 1.0, _RECENT)
            later = self.pace[LAST] - self.pace[MEAN]
            self.pace[MEAN] += later / self.pace[HEARD]
            self.pace[DEVIATION] += (abs(later) - self.pace[DEVIATION]) / self.pace[HEARD]
        self.pace[LAST] = 0.0

    def weigh_anew(self, model: Any) -> None:
        """Sum up anew what is in flight: a model may weigh decisions in another way now."""
        if not self.is_empty():
            recount(self, model)

    def land_at(self, model: Any, slot: int) -> None:
        """Count the decision in a slot no longer, and go on to the oldest that is still in flight."""
        slots = self.lucks.size
        self.lucks[slot] = _LANDED
        self.clock[COUNT] -= 1
        self.weigh(model, slot, -self.chances[slot])
        if self.clock[COUNT] == 0:
            self.clear_sums()
        elif self.trace[NOW] < _COLLAPSE * self.trace[PEAK]:
            recount(self, model)
        while self.clock[SPAN] > 0 and self.lucks[self.clock[FIRST]] == _LANDED:
            self.clock[FIRST] = (self.clock[FIRST] + 1) % slots
            self.clock[SPAN] -= 1

    def weigh(self, model: Any, slot: int, weight: float) -> None:
        """Add the decision in a slot to the sums so many times."""
        self.trace[NOW] += model.weigh(self.gram, self.rows[slot], self.arms[slot], weight)
        self.trace[PEAK] = max(self.trace[PEAK], self.trace[NOW])


@called  # it happens seldom
def recount(pending: Flight, model: Any) -> None:
    """Sum up anew."""
    pending.clear_sums()
    for i in range(pending.clock[SPAN]):
        slot = (pending.clock[FIRST] + i) % pending.lucks.size
        if pending.lucks[slot] != _LANDED:
            pending.weigh(model, slot, pending.chances[slot])


@called  # where rewards come at once, never
def _optimistic_ahead(
    regression: Any, gram: Matrix, actions: Matrix, radius: float, luck: int
) -> tuple[int, float, int]:
    return regression.ahead(gram).optimistic(actions, radius, luck)  # type: ignore[no-any-return]  # any layout


@called  # as above
def _randomised_ahead(
    regression: Any, gram: Matrix, actions: Matrix, spread: float, luck: int
) -> tuple[int, float, int]:
    return regression.ahead(gram).randomised(actions, spread, luck)  # type: ignore[no-any-return]  # any layout


@inlined
def add_square(gram: Matrix, action: Vector, weight: float) -> float:
    """Add x x' to the lower triangle of a matrix, or subtract it; return by how much its trace moves."""
    trace = 0.0
    for i in range(action.size):
        for j in range(i + 1):
            gram[i, j] += weight * (action[i] * action[j])
        trace += weight * (action[i] * action[i])
    return trace


@inlined
def add_square_of_block(gram: Matrix, action: Vector, weight: float) -> float:
    """Do the same with an action that touches one block, and the blocks on the diagonal."""
    size = gram.shape[1]
    first = size * block_of(action, size)
    return add_square(gram[first : first + size], action[first : first + size], weight)


def flight(width: int, gram_shape: tuple[int, int], most: int = SLOTS) -> Flight:
    """Return nothing in flight; ``width`` is how many coordinates of an action are kept.

    ``most`` is how many rewards count at a time: what is in flight beyond that will have pushed each other out.
    """
    n = min(most, SLOTS)
    return Flight(
        np.full(n, _LANDED), np.zeros(n, np.int64), np.zeros((n, width)), np.zeros(n), np.zeros(gram_shape),
        np.zeros(2), np.zeros(6), np.zeros(3, np.int64),
    )  # fmt: skip


Flight._reduced = NothingInFlight  # type: ignore[attr-defined]  # no field, as it would be in the class
