"""Faded regression on a large decision set that never changes: widths kept between bounds.

Every round tops up the ridge in all directions, so no rank-one change gives the squared widths
x'V^-1 W V^-1 x of the arms. But it gives all except for the topping up, in a pass of K d, and topping
up multiplies them by numbers close to 1 (`width_bounds.growth`). So each arm has a least and a most, both moved by
every round. Only those arms whose most might win, a dozen or two in a thousand, are scored from the
factors, after which their bounds meet again. Choices are those of `FadingDense`, as long as scores do
not underflow, in a tenth of the time at d = 50, K = 1000. A round costs d^3 / 6 + 3 K d
multiplications, and 3 d^2 / 2 for each contender. With a discount of 0.9 topping up changes much,
nearly all arms are contenders, and a round takes longer than there.

Bounds need few digits, so they, and the decision set that moves them, have 32 bits: half to read, and
twice as many in one instruction. What rounding may do is added to what the bounds allow for.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.compiled import called, compilable
from ...linalg.aligned import aligned_zeros
from ...linalg.kernels import add_rows, euclidean
from ...linalg.lanes import WIDTHS, narrowest_around
from ...linalg.narrow import Narrow, multiply_thrice, narrowed
from ...linalg.triangles import backward, backward_twice, forward, is_above
from ...linalg.unit_rows import axes_of
from ...randomness.ties import better
from ..ridge.ellipsoid import optimism
from .fading import FadingAxes, FadingDense, begin_fading
from .width_bounds import compare_with, growth, move_bounds, score_at

__all__ = ["FadingListed", "begin_listed"]

_MANY_ARMS = 100  # from so many on it pays in all dimensions, with a discount of 0.99 or more
_LINE = 16  # numbers of 32 bits in a line of the cache
_UNIT = 2.0**-24  # by so much of itself rounding to 32 bits changes a number, at most
_DOUBT = 1e-16  # by so much solving with V does, times the square of its condition: found by trial
_TINY, _LARGE = 1e-300, 1e30  # where numbers would leave their range
_ROUNDS_BETWEEN = 8  # two trials of a higher floor
_LEAST_STEP, _FIRST_STEP, _LARGEST_STEP = 0.02, 0.1, 1.0  # by which share it is tried higher


def begin_listed(
    n_arms: int, dimension: int, fixed: Matrix | None
) -> FadingAxes | FadingDense | FadingListed:
    """Return the cheapest regression for optimistic choices, with nothing in it yet."""
    if fixed is None or n_arms < _MANY_ARMS or axes_of(fixed) is not None:
        return begin_fading(n_arms, dimension, fixed)
    dense: Any = begin_fading(n_arms, dimension, None)
    n = -(-n_arms // _LINE) * _LINE
    largest = float(np.abs(fixed).max()) or 1.0
    longest = largest * float(np.sqrt(((fixed / largest) ** 2).sum(axis=1).max())) or largest
    scaled = fixed / longest
    columns: Narrow = aligned_zeros(dimension, n, dtype=np.float32)
    table: Narrow = aligned_zeros(6, n, dtype=np.float32)
    columns[:, :n_arms], table[5, :n_arms] = scaled.T, (scaled * scaled).sum(axis=1)
    return FadingListed(
        dense, fixed.copy(), columns, table,
        np.zeros((3, dimension), np.float32), np.zeros((3, dimension)), np.array([longest, 0.0, 0.0]),
        np.zeros(3), np.zeros(n_arms, np.int64), np.zeros(5),
        aligned_zeros(dense.observation.size), aligned_zeros(2 * dimension + 2, max(WIDTHS)),
    )  # fmt: skip


@compilable
class FadingListed(NamedTuple):
    """For one decision set of many arms.

    Units of the table are the longest arm, L, for arms; L S for means, where S is a bound on the length
    of the estimate; L^2 / ridge for squared widths. So no number in it is far above 1.
    """

    dense: FadingDense  # the factors of W in it are not kept up, but used as scratch
    rows: Matrix  # (K, d), the decision set
    columns: Narrow  # (d, n), the same as columns over L, then zeros
    table: Narrow  # (6, n): means; least and most squared widths; scratch, twice; squared lengths
    aims: Narrow  # (3, d): what the columns are multiplied by to move the table
    vectors: Matrix  # (3, d): v = V^-1 x, x the last action; V^-1 W v; the estimate
    scales: Vector  # (3,): L, S, by how much rounding may miss a score
    trial: Vector  # (3,): f of `growth`, by which share to try a higher one, rounds since then
    queue: NDArray[np.int64]  # (K,), the arms that were scored last
    verdict: Vector  # (5,): radius, or -1; with it: best arm, its score, ties, arms in the queue
    work: Vector  # scratch
    bench: Matrix  # (2 d + 2, 24), where arms are scored

    def _limits(self) -> Limits:
        """Return between what indices and counts must lie; in Python only."""
        n_arms = self.rows.shape[-2]
        return [
            (self.queue, 0, n_arms - 1),
            (self.verdict[..., 1], 0, n_arms - 1),
            (self.verdict[..., 3:], 0, n_arms),
            (self.trial[..., 2], 0, _ROUNDS_BETWEEN),
        ]

    def clear(self, ridge: float) -> None:
        """Forget everything."""
        self.dense.clear(ridge)
        for k in range(self.columns.shape[1]):
            self.table[0, k] = 0.0
            self.bracket(k, np.float64(self.table[5, k]))
        self.scales[1] = 0.0
        self.scales[2] = (self.rows.shape[1] + 16.0) * _UNIT
        self.trial[0] = ridge
        self.trial[1] = _FIRST_STEP
        self.trial[2] = 0.0
        self.verdict[0] = -1.0
        self.verdict[4] = 0.0

    def bracket(self, arm: int, square: float) -> None:
        """Write the bounds of a squared width that is known."""
        square = min(square, 1.0)  # rounding may have left more
        self.table[1, arm] = square * (1.0 - 4.0 * _UNIT)
        self.table[2, arm] = square * (1.0 + 4.0 * _UNIT)

    def fade(
        self, action: Vector, arm: int, reward: float, discount: float, ridge: float, sandwich: int
    ) -> None:
        """Weigh all rounds down and take one in; errors by V^-1 (``sandwich=0``), or V^-1 W V^-1."""
        other = discount if sandwich == 0 else discount * discount
        low, high = growth(discount, other, ridge / self.trial[0])
        self.trial[0] = other * self.trial[0] + (1.0 - other) * ridge
        self.dense.fade(self.rows[arm], arm, reward, discount, ridge, sandwich)
        weight, doubt, slack = self.aim(self.rows[arm], ridge)
        multiply_thrice(self.columns, self.aims, self.table[3], self.table[4], self.table[0])
        move_bounds(self.table, low * (1.0 - doubt), high * (1.0 + doubt), weight, slack)
        self.verdict[0] = -1.0

    def aim(self, action: Vector, ridge: float) -> tuple[float, float, float]:
        """Write what moves the table; return 1 - v'W v, and by how much rounding may miss.

        That is a share of squared widths before the round, and something that is added to it. Without
        the round V^-1 x was u = v / (1 - v'x). It changed the squared width of an arm z by
        (u'z)^2 (1 - v'W v) - 2 (u'z) (v'W V^-1 z).
        """
        unit, pivots = self.dense.units[0], self.dense.pivots[0]
        v, product, estimate, work = self.vectors[0], self.vectors[1], self.vectors[2], self.work
        d = action.size
        for i in range(d):
            work[i] = action[i]
            estimate[i] = unit[i, d]
        forward(unit, pivots, work, v)
        backward_twice(unit, v, estimate)
        for i in range(d):
            work[i] = ridge * v[i]
        add_rows(self.dense.grams[1], v, d, d, work)
        overlap, spread, trace = 0.0, 0.0, 0.0
        for i in range(d):
            overlap += action[i] * v[i]
            spread += work[i] * v[i]
            trace += self.dense.grams[0, i, i] + ridge
        forward(unit, pivots, work, product)
        backward(unit, product)
        largest = 0.0
        for i in range(d):
            largest = max(largest, abs(estimate[i]))
        self.scales[1] = largest * math.sqrt(d) if largest > _TINY else 0.0
        narrowed(estimate, 1.0 / self.scales[1] if self.scales[1] > 0.0 else 0.0, self.aims[2])
        root = math.sqrt(ridge)
        lever = root / max(1.0 - overlap, 1e-16)
        # No arm is longer than 1, so the two terms of a change cannot be larger.
        reach, other_reach = lever * euclidean(v), root * euclidean(product)
        size = reach * ((1.0 + abs(spread)) * reach + 2.0 * other_reach)
        condition = min(trace / ridge, _LARGE)
        self.scales[2] = min((d + 16.0) * _UNIT + _DOUBT * condition * d, 1.0)
        doubt = 8.0 * _UNIT + _DOUBT * condition * condition
        slack = (3.0 * (d + 8.0) * _UNIT + doubt) * size
        if not max(doubt, slack) < 1.0:  # nothing is sure, and no bound is left
            lever, root, spread, doubt, slack = 0.0, 0.0, 0.0, 1.0, 2.0
        narrowed(v, lever, self.aims[0])
        narrowed(product, root, self.aims[1])
        return 1.0 - spread, doubt, slack

    def sharpen(self, radius: float) -> None:
        """Score the arms that might be the best one with this radius, and remember which one is."""
        count = self.contenders(radius, self.queue, self.table[3])
        d, ridge, longest = self.rows.shape[1], self.dense.floor[0], self.scales[0]
        bound_on_estimate = self.scales[1]
        best, bound, ties = 0, -math.inf, 0
        for first in range(0, count, self.bench.shape[1]):
            for k in range(self.score_queue(self.queue, first, count, self.bench)):
                arm, mean = self.queue[first + k], -self.bench[d, k]
                square = max(-2.0 * self.bench[2 * d + 1, k], 0.0)
                if bound_on_estimate > 0.0:
                    self.table[0, arm] = mean / longest / bound_on_estimate
                self.bracket(arm, square / longest * ridge / longest)
                value = optimism(mean, square, radius)
                if value == bound:
                    ties += 1
                elif value > bound:
                    best, bound, ties = arm, value, 1
        self.verdict[0] = radius
        self.verdict[1] = best
        self.verdict[2] = bound
        self.verdict[3] = ties
        self.verdict[4] = count
        self.raise_floor()

    def contenders(self, radius: float, queue: NDArray[np.int64], excess: Narrow) -> int:
        """Write the arms that might be the best one into a queue, in order; return how many.

        An arm might be, unless the most that its score can be is below the least of another. Scores
        here are of 1 at most. ``queue`` may be the one of this memory; ``excess`` is scratch.
        """
        means, leasts, mosts = self.table[0], self.table[1], self.table[2]
        a, b = self.scales[1], radius / math.sqrt(self.dense.floor[0])
        whole = a + b
        is_finite = 0.0 < whole < math.inf  # otherwise nothing can be said, and all arms contend
        a, b = (a / whole, b / whole) if is_finite else (0.0, 0.0)
        slack = self.scales[2]
        # The best of those that were scored last is the best, or nearly.
        bar = -4.0
        for k in range(int(self.verdict[4])):
            bar = max(bar, score_at(means, leasts, self.queue[k], a, b) - slack)
        compare_with(means, mosts, a, b, bar - slack, excess)
        count = 0
        for arm in range(self.rows.shape[0]):
            if excess[arm] < 0.0:
                continue
            bar = max(bar, score_at(means, leasts, arm, a, b) - slack)
            queue[count] = arm
            count += 1
        kept = 0
        for k in range(count):
            if score_at(means, mosts, queue[k], a, b) < bar - slack:
                continue
            queue[kept] = queue[k]
            kept += 1
        return kept

    def score_queue(self, queue: NDArray[np.int64], first: int, stop: int, scores: Matrix) -> int:
        """Do what `FadingDense.score_some` does, for arms of a queue."""
        count: int = min(stop - first, scores.shape[1])
        n = narrowest_around(count)
        for k in range(n):
            arm = queue[min(first + k, stop - 1)]
            for i in range(self.rows.shape[1]):
                scores[i, k] = self.rows[arm, i]
        self.dense.score_columns(scores, n)
        return count

    def raise_floor(self) -> None:
        """Every few rounds, try whether W is above more than is known."""
        self.trial[2] += 1.0
        if self.trial[2] < _ROUNDS_BETWEEN:
            return
        self.trial[2] = 0.0
        dense, step = self.dense, self.trial[1]
        floor = self.trial[0] * (1.0 + step)
        # The ridge is no part of the sums.
        if is_above(dense.grams[1], floor - dense.floor[0], dense.scratch, dense.units[1]):
            self.trial[0] = floor
            self.trial[1] = min(2.0 * step, _LARGEST_STEP)
        else:
            self.trial[1] = max(0.5 * step, _LEAST_STEP)

    def optimistic(self, actions: Matrix, radius: float, luck: int) -> tuple[int, float, int]:
        """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
        if self.verdict[0] == radius and self.verdict[3] == 1.0:
            return int(self.verdict[1]), self.verdict[2], 1
        return _best_contender(self, radius, luck)

    def solution(self) -> Vector:
        """Return the estimate; in Python only."""
        return self.dense.solution()

    def error_shape(self) -> Matrix:
        """Return V^-1 W V^-1; in Python only."""
        return self.dense.error_shape()


@called
def _best_contender(memory: Any, radius: float, luck: int) -> tuple[int, float, int]:
    """Score all contenders, without a trace: a memory is not ours to write on."""
    n_arms, d = memory.rows.shape
    queue, scores = np.empty(n_arms, np.int64), np.empty(memory.bench.shape)
    count = memory.contenders(radius, queue, np.empty(memory.columns.shape[1], np.float32))
    best, bound, ties = 0, -math.inf, 0
    for first in range(0, count, scores.shape[1]):
        for k in range(memory.score_queue(queue, first, count, scores)):
            value = optimism(-scores[d, k], -2.0 * scores[2 * d + 1, k], radius)
            best, bound, ties = better(queue[first + k], value, best, bound, ties, luck)
    return best, bound, ties
