"""The units in which filters know features and rewards: those of the rows and rewards that came first.

Feature i is measured by its size, the root of the mean square of its entries that were not zero, and a
constant stands beside the features. All are divided by one number, so that actions have length 1 / 1.4 on
the average. Rewards are told by their mean and their spread, without one that is far from all others. What
came first is kept: units are settled when 1, 2, 4, ..., 64 rewards have come, each time from all of them, and
whoever learns in these units learns what was kept anew. A feature that shows later has the size that it
shows first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable

__all__ = ["KEPT", "FeatureUnits", "begin_feature_units"]

# Cells of `FeatureUnits.cells`.
COUNT = 0  # rewards so far
KEPT = 1  # those that are kept
SHARE = 2  # how long a feature of usual size is: that of the constant
OFFSET = 3  # the mean of rewards
UNIT = 4  # their spread
_CELLS = 5

_MOST_KEPT = 64
_LENGTH = 1.4  # the longest action beside the usual one
_ALONE = 1e4  # times the variance of the others: with more, one reward among those kept is left out
_LEAST_UNIT = 1e-140  # smaller ones could not be squared
_LEAST_SIZE = 1e-150  # of a feature: smaller ones could not be divided by
_LARGEST_FEATURE = 1e6  # usual sizes; a feature that is larger counts as that


@compilable
class FeatureUnits(NamedTuple):
    """How large features and rewards are, and the rows and rewards from which that is known."""

    scale: Vector  # (b,), what a feature is multiplied by; 0 if it has not shown
    rows: Matrix  # (64, d), the actions that came first
    rewards: Vector  # (64,), and their rewards
    cells: Vector  # (5,), see above

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.cells[..., COUNT], 0, MOST), (self.cells[..., KEPT], 0, _MOST_KEPT)]

    def forget(self) -> None:
        """Start over."""
        for i in range(self.scale.size):
            self.scale[i] = 0.0
        for i in range(self.cells.size):
            self.cells[i] = 0.0
        self.cells[SHARE] = 1.0 / (_LENGTH * math.sqrt(self.scale.size + 1.0))
        self.cells[UNIT] = 1.0

    def keep(self, action: Vector, reward: float) -> bool:
        """Keep what is among the first; return whether units are due to be settled."""
        cells = self.cells
        cells[COUNT] += 1.0
        is_new = cells[KEPT] > 0.0 and reward != self.rewards[0] and not self.is_spread()
        if cells[COUNT] > _MOST_KEPT and not is_new:
            return False
        place = min(int(cells[KEPT]), _MOST_KEPT - 1)
        cells[KEPT] = place + 1.0
        self.rewards[place] = reward
        for i in range(action.size):
            self.rows[place, i] = action[i]
        count, is_due = 1.0, False
        while count <= cells[COUNT]:
            is_due = is_due or count == cells[COUNT]
            count *= 2.0
        return is_due or is_new

    def is_spread(self) -> bool:
        """Return whether rewards that were kept differ."""
        is_spread = False
        for i in range(1, int(self.cells[KEPT])):
            is_spread = is_spread or self.rewards[i] != self.rewards[0]
        return is_spread

    def settle(self) -> None:
        """Work units out from all that was kept."""
        cells, kept, b = self.cells, int(self.cells[KEPT]), self.scale.size
        shown = 0.0
        for i in range(b):
            square, largest, count = 0.0, 0.0, 0.0
            for n in range(kept):
                for k in range(i, self.rows.shape[1], b):
                    largest = max(largest, abs(self.rows[n, k]))
            for n in range(kept):
                for k in range(i, self.rows.shape[1], b):
                    if self.rows[n, k] != 0.0:
                        part = self.rows[n, k] / largest  # squares of very small ones would vanish
                        square += part * part
                        count += 1.0
            size = (
                max(largest * math.sqrt(square / count), _LEAST_SIZE) if count > 0.0 else math.inf
            )
            self.scale[i] = 1.0 / size
            shown += count
        cells[SHARE] = 1.0 / (_LENGTH * math.sqrt(1.0 + shown / kept))
        for i in range(b):
            self.scale[i] *= cells[SHARE]
        mean, square, farthest = self.level(-1)
        other, less, _ = self.level(farthest)
        if less > 0.0 and square > _ALONE * less:  # in another unit, or a mistake
            mean, square = other, less
        cells[OFFSET] = mean
        cells[UNIT] = max(math.sqrt(square), _LEAST_UNIT) if self.is_spread() else 1.0

    def level(self, without: int) -> tuple[float, float, int]:
        """Return the mean and the variance of the rewards kept, but one, and which is farthest off."""
        kept, first, far, farthest = int(self.cells[KEPT]), 1 if without == 0 else 0, -1.0, 0
        count = max(kept - (1 if without >= 0 else 0), 1)
        mean, square = self.rewards[first], 0.0
        for n in range(first + 1, kept):  # of equal rewards that is one of them, to the bit
            if n != without:
                mean += (self.rewards[n] - self.rewards[first]) / count
        for n in range(kept):
            apart = abs(self.rewards[n] - mean)
            if n != without:
                square += apart * apart / count
                if apart > far:
                    far, farthest = apart, n
        return mean, square, farthest

    def see(self, row: Vector) -> None:
        """Take the size of features that show for the first time; ``row`` has those of a block."""
        for i in range(self.scale.size):
            if self.scale[i] == 0.0 and row[i] != 0.0:
                self.scale[i] = self.cells[SHARE] / max(abs(row[i]), _LEAST_SIZE)

    def feature(self, value: float, i: int) -> float:
        """Return feature i as the filters know it; one that has not shown has its usual size."""
        share = self.constant()
        if value == 0.0:
            return 0.0
        if self.scale[i] == 0.0:
            return math.copysign(share, value)
        most = _LARGEST_FEATURE * share
        return float(min(max(self.scale[i] * value, -most), most))

    def constant(self) -> float:
        """Return the constant as the filters know it."""
        return float(self.cells[SHARE])

    def write(self, row: Vector, out: Vector) -> None:
        """Write features and the constant as the filters know them."""
        for i in range(self.scale.size):
            out[i] = self.feature(row[i], i)
        out[self.scale.size] = self.cells[SHARE]

    def reward(self, reward: float) -> float:
        """Return a reward as the filters know it."""
        return float((reward - self.cells[OFFSET]) / self.cells[UNIT])

    def unit(self) -> float:
        """Return the spread of rewards that filters take for 1."""
        return float(self.cells[UNIT])

    def told(self, value: float) -> float:
        """Return a reward as others know it."""
        return float(self.cells[OFFSET] + self.cells[UNIT] * value)

    def drop(self, columns: slice, *, is_shared: bool) -> None:
        """Forget features, and what was kept of them; in Python only."""
        stays = np.flatnonzero(~self.rows[: int(self.cells[KEPT]), columns].any(axis=1))
        self.rows[: stays.size], self.rewards[: stays.size] = self.rows[stays], self.rewards[stays]
        self.cells[KEPT] = stays.size
        if not is_shared:
            self.scale[columns] = 0.0

    def take_over(self, former: FeatureUnits, columns: NDArray[np.intp], factor: float) -> None:
        """Go on with fewer features, which were by a factor larger; in Python only."""
        scales = np.tile(former.scale, columns.size // former.scale.size)
        self.scale[columns % self.scale.size] = factor * scales
        self.rows[:, columns] = former.rows / factor
        self.rewards[:], self.cells[:] = former.rewards, former.cells


def begin_feature_units(dimension: int, length: int) -> FeatureUnits:
    """Return units of nothing yet: of features in blocks of a length, which have the same units."""
    kept = np.zeros((_MOST_KEPT, dimension)), np.zeros(_MOST_KEPT)
    return FeatureUnits(np.zeros(length), *kept, np.zeros(_CELLS))
