"""Choices by an estimate and the ellipsoid of its errors, V^-1 = U D U'.

``root`` and ``pivots`` are U and D as in `driftwise.core.linalg.kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from ...base.arrays import Matrix, Vector
from ...compiler.abreast import each, larger, roots
from ...compiler.compiled import called, inlined
from ...linalg.kernels import add_rows, multiply, score_four, score_many
from ...randomness import draws
from ...randomness.normals import normal
from ...randomness.ties import better

__all__ = ["best_for", "best_in_columns", "most_optimistic", "optimism", "sampled", "scatter"]

# From this many arms and dimensions on it pays to write actions down as columns, this many at a time.
_MANY_ARMS, _MANY_DIMENSIONS = 32, 16
_TOGETHER = 64


@inlined
def optimism(mean: float, square: float, radius: float) -> float:
    """Return mean + radius * width; rounding may have left a square of zero just below it."""
    return mean + radius * math.sqrt(max(square, 0.0))


@inlined
def most_optimistic(
    root: Matrix, pivots: Vector, estimate: Vector, actions: Matrix, radius: float, luck: int
) -> tuple[int, float, int]:
    """Return the arm with the largest mean + radius * width, that sum, and how many tie."""
    n_arms = actions.shape[0]
    best, bound, ties = 0, -math.inf, 0
    if n_arms >= _MANY_ARMS and pivots.size >= _MANY_DIMENSIONS:
        return _most_optimistic_of_many(root, pivots, estimate, actions, radius, luck)
    for first in range(0, n_arms, 4):
        means, squares = score_four(root, pivots, estimate, actions, first)
        values = each(means + radius * roots(larger(squares, 0.0)))
        for k in range(min(4, n_arms - first)):
            best, bound, ties = better(first + k, values[k], best, bound, ties, luck)
    return best, bound, ties


@inlined
def sampled(root: Matrix, pivots: Vector, estimate: Vector, spread: float, luck: int) -> Vector:
    """Return a parameter drawn from N(estimate, spread^2 V^-1): estimate + spread U sqrt(D) z.

    It allocates an array, since choosing must not write to the memory.
    """
    d = pivots.size
    parameter = np.empty(d)
    for i in range(d):
        parameter[i] = estimate[i]
    scatter(root, pivots, spread, luck, 0, parameter)
    return parameter


@inlined
def scatter(
    root: Matrix, pivots: Vector, spread: float, luck: int, at: int, parameter: Vector
) -> None:
    """Add spread U sqrt(D) z to the coordinates from ``at`` on."""
    for j in range(pivots.size):
        z = spread * math.sqrt(pivots[j]) * normal(luck, at + j)
        for i in range(j):
            parameter[at + i] += root[j, i] * z
        parameter[at + j] += z


@called
def _most_optimistic_of_many(
    root: Matrix, pivots: Vector, estimate: Vector, actions: Matrix, radius: float, luck: int
) -> tuple[int, float, int]:
    """Do what `most_optimistic` does, many actions at a time."""
    best, bound, ties = 0, -math.inf, 0
    # As in `sampled`, a memory is not ours to write on; 0.05 µs, of 20 and more.
    scratch = np.empty((pivots.size + 3, _TOGETHER))
    means, squares = scratch[pivots.size], scratch[pivots.size + 1]
    for first in range(0, actions.shape[0], _TOGETHER):
        n = score_many(root, pivots, estimate, actions, first, scratch)
        for k in range(n):
            value = optimism(means[k], squares[k], radius)
            best, bound, ties = better(first + k, value, best, bound, ties, luck)
    return best, bound, ties


@inlined
def best_for(parameter: Vector, actions: Matrix, luck: int) -> tuple[int, float, int]:
    """Return the arm that is best if this is the parameter, its mean, and how many tie."""
    values = np.empty(actions.shape[0])
    multiply(actions, parameter, values)
    return _best_of(values, luck)


@inlined
def best_in_columns(parameter: Vector, columns: Matrix, luck: int) -> tuple[int, float, int]:
    """Do what `best_for` does with actions as columns: sums then run over neighbours in memory."""
    d, n_arms = columns.shape
    values = np.zeros(n_arms)
    add_rows(columns, parameter, d, n_arms, values)
    return _best_of(values, luck)


@inlined
def _best_of(values: Vector, luck: int) -> tuple[int, float, int]:
    best, bound, ties = 0, -math.inf, 0
    for arm in range(values.size):
        best, bound, ties = better(arm, values[arm], best, bound, ties, draws.fork(luck))
    return best, bound, ties
