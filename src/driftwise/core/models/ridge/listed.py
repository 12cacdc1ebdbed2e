"""Ridge regression on a decision set that never changes: the layout that keeps scores up to date."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable
from ...linalg.factors import (
    LEAST_TOTAL,
    OWED,
    SOLVED,
    ahead_factors,
    change,
    clear_factors,
    copy_factors,
    inverse_of,
    log_growth_of,
)
from ...linalg.kernels import add_rows, add_rows_twice, euclidean, score
from ...randomness.ties import better
from ..flight import add_square
from .dense import Dense
from .ellipsoid import best_in_columns, optimism, sampled

__all__ = ["Listed"]

MEAN, SQUARE, PEAK_SQUARE, OVERLAP, OWED_OVERLAP = range(5)  # rows of `Listed.table`
SCALE, GAIN = range(2)  # of `Listed.owed`

_MARGIN = 1.0 + 1e-9  # for rounding, so that no arm is passed over that would win or tie


@compilable
class Listed(NamedTuple):
    """For one decision set: a mean and a squared width per arm, kept up to date.

    When V^-1 changes by -s vv', the estimate changes by a multiple of v, so x'v is all that it takes
    to move both scores of an arm. A window lets one round out and one in, one after the other, so a
    removal waits for the insertion that follows, and both go through the decision set together.
    """

    rows: Matrix  # (K, d), the decision set
    columns: Matrix  # (d, K), the same: sums over all arms then run over neighbours in memory
    table: Matrix  # (5, K): x'estimate; x'V^-1 x, its peak since recomputed; scratch: x'v of both
    owed: Vector  # s and the multiple of v, of a removal that is not in the table yet
    root: Matrix  # from here on as in `Dense`, but for a third row of scratch: the v of a removal
    pivots: Vector
    estimate: Vector
    scratch: Matrix
    volume: Vector

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        clear_factors(self.root, self.pivots, self.estimate, self.volume, ridge)
        self.owed[SCALE] = 0.0
        self.owed[GAIN] = 0.0
        for arm in range(self.rows.shape[0]):
            square = 0.0
            for i in range(self.rows.shape[1]):
                square += self.rows[arm, i] * self.rows[arm, i] * self.pivots[i]
            self.table[MEAN, arm] = 0.0
            self.table[SQUARE, arm] = square
            self.table[PEAK_SQUARE, arm] = square

    def insert(self, action: Vector, arm: int, reward: float) -> None:
        """Take one observation in."""
        scale, gain = change(
            self.root, self.pivots, self.estimate, self.scratch, self.volume,
            self.rows[arm], reward, 1.0,
        )  # fmt: skip
        d, n = self.columns.shape
        means, squares, peaks = self.table[MEAN], self.table[SQUARE], self.table[PEAK_SQUARE]
        overlaps, owed_overlaps = self.table[OVERLAP], self.table[OWED_OVERLAP]
        owed_scale, owed_gain = self.owed[SCALE], self.owed[GAIN]
        for k in range(n):
            overlaps[k] = 0.0
            owed_overlaps[k] = 0.0
        if owed_scale == 0.0:
            add_rows(self.columns, self.scratch[SOLVED], d, n, overlaps)
        else:
            add_rows_twice(
                self.columns,
                self.scratch[SOLVED],
                self.scratch[OWED],
                d,
                n,
                overlaps,
                owed_overlaps,
            )
            self.owed[SCALE] = 0.0
            self.owed[GAIN] = 0.0
        n_worn = 0
        for k in range(n):
            overlap, owed = overlaps[k], owed_overlaps[k]
            square = squares[k] - owed_scale * owed * owed
            peak = max(peaks[k], square)
            square -= scale * overlap * overlap
            means[k] = means[k] + owed_gain * owed + gain * overlap
            squares[k] = square
            peaks[k] = peak
            n_worn += square < LEAST_TOTAL * peak
        if n_worn > 0:
            for k in range(n):
                if squares[k] < LEAST_TOTAL * peaks[k]:
                    self.rescore(k)

    def remove(self, action: Vector, arm: int, reward: float) -> bool:
        """Take one observation out; return False if digits were lost and a rebuild is due.

        The scores are right again after the next `insert`, or `flush`.
        """
        scale, gain = change(
            self.root, self.pivots, self.estimate, self.scratch, self.volume,
            self.rows[arm], reward, -1.0,
        )  # fmt: skip
        self.owed[SCALE] = scale
        self.owed[GAIN] = gain
        for i in range(self.pivots.size):
            self.scratch[OWED, i] = self.scratch[SOLVED, i]
        return scale != 0.0

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of an action to a sum of such, or subtract it; see `Flight`."""
        return add_square(gram, self.rows[arm], weight)

    def ahead(self, gram: Matrix) -> Dense:
        """Return a regression with the same estimate, and ``gram`` added to V; no scores are kept."""
        root, pivots, scratch = ahead_factors(self.root, self.pivots, gram)
        return Dense(root, pivots, self.estimate, scratch, self.volume)

    def flush(self) -> None:
        """Bring the scores up to date after a removal that no insertion followed."""
        self.owed[SCALE] = 0.0
        self.owed[GAIN] = 0.0
        for arm in range(self.rows.shape[0]):
            self.rescore(arm)

    def rescore(self, arm: int) -> None:
        """Compute the scores of one arm from the factors."""
        mean, square = score(self.root, self.pivots, self.estimate, self.rows, arm)
        self.table[MEAN, arm] = mean
        self.table[SQUARE, arm] = square
        self.table[PEAK_SQUARE, arm] = square

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        best, bound, ties = 0, -math.inf, 0
        means, squares = self.table[MEAN], self.table[SQUARE]
        enough = _MARGIN * radius * radius
        for arm in range(means.size):
            # A root takes longer than all the rest, and most arms are out of reach without one.
            gap = bound - means[arm]
            if gap > 0.0 and enough * squares[arm] < gap * gap:
                continue
            value = optimism(means[arm], squares[arm], radius)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def randomised(self, actions: Matrix, spread: float, luck: int) -> tuple[int, float, int]:
        """Return the best arm for one parameter drawn around the estimate."""
        parameter = sampled(self.root, self.pivots, self.estimate, spread, luck)
        return best_in_columns(parameter, self.columns, luck)

    def length_of(self, action: Vector, arm: int) -> float:
        """Return the length of an action."""
        return euclidean(action)

    def log_growth(self, ridge: float) -> float:
        """Return ln(det V / ridge^d)."""
        return log_growth_of(self.pivots, ridge)

    def copy_from(self, other: Any) -> None:
        """Take over the estimate and the widths of another regression of this layout."""
        copy_factors(
            other.root, other.pivots, other.estimate, self.root, self.pivots, self.estimate
        )
        for k in range(self.rows.shape[0]):
            self.table[MEAN, k] = other.table[MEAN, k]
            self.table[SQUARE, k] = other.table[SQUARE, k]

    def solution(self) -> Vector:
        """Return a copy of the estimate."""
        return self.estimate.copy()

    def error_shape(self) -> Matrix:
        """Return V^-1; in Python only."""
        return inverse_of(self.root, self.pivots)
