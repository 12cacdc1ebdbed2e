"""Sums done several at a time have the bits of sums done one by one, interpreted and compiled."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.core.compiler.compiled import compiled
from driftwise.core.linalg import kernels
from driftwise.core.models.ridge.ellipsoid import (
    best_for,
    best_in_columns,
    most_optimistic,
    optimism,
)
from driftwise.core.models.ridge.regression import Dense, Listed, begin

Array = NDArray[np.float64]


def learnt(dimension: int, rows: Array | None = None) -> Any:
    """A regression with something in it."""
    rng = np.random.default_rng(dimension)
    model = begin(0 if rows is None else len(rows), dimension, rows)
    model.clear(0.7)
    for t in range(2 * dimension):
        action = rng.standard_normal(dimension) if rows is None else rows[t % len(rows)]
        model.insert(action, 0 if rows is None else t % len(rows), rng.standard_normal())
    return model


@compiled
def chosen(root: Array, pivots: Array, estimate: Array, actions: Array) -> tuple[int, float, int]:
    return most_optimistic(root, pivots, estimate, actions, 0.5, 3)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 5, 8, 11])
def test_whitening_four_at_a_time(dimension: int) -> None:
    model = learnt(dimension)
    action = np.random.default_rng(1).standard_normal(dimension)
    white = np.empty(dimension)
    square = kernels.whiten(model.root, model.pivots, action, white)
    for j in range(dimension):
        wanted = action[j]
        for i in range(j):
            wanted += model.root[j, i] * action[i]
        assert white[j] == wanted
    _, wanted = kernels.score(model.root, model.pivots, model.estimate, action[None], 0)
    assert square == wanted


@pytest.mark.parametrize(("n_arms", "dimension"), [(70, 17), (64, 16), (33, 18), (20, 17), (70, 5)])
def test_many_arms_at_once(n_arms: int, dimension: int) -> None:
    model = learnt(dimension)
    assert isinstance(model, Dense)
    actions = np.random.default_rng(2).standard_normal((n_arms, dimension))
    actions[-1] = actions[n_arms // 2]
    factors = model.root, model.pivots, model.estimate
    values = [optimism(*kernels.score(*factors, actions, k), 0.5) for k in range(n_arms)]
    best = int(np.argmax(values))
    for rows in (actions, np.vstack([actions, actions[best]])):
        arm, bound, ties = most_optimistic(*factors, rows, 0.5, 3)
        assert bound == values[best]
        assert ties == sum(value == bound for value in values) + len(rows) - n_arms
        assert np.array_equal(rows[arm], actions[best])
        assert (arm, bound, ties) == chosen(*factors, rows)


@pytest.mark.parametrize("count", [1, 3, 4, 9])
def test_two_products_in_one_pass(count: int) -> None:
    rng = np.random.default_rng(count)
    rows, weights, others = (rng.standard_normal(size) for size in ((count, 6), count, count))
    one, two, both = np.zeros(6), np.zeros(6), np.zeros((2, 6))
    kernels.add_rows(rows, weights, count, 6, one)
    kernels.add_rows(rows, others, count, 6, two)
    kernels.add_rows_twice(rows, weights, others, count, 6, both[0], both[1])
    assert np.array_equal(both, [one, two])
    for k in range(6):
        wanted = 0.0
        for i in range(count):
            wanted += weights[i] * rows[i, k]
        assert one[k] == wanted


@compiled
def best_twice(parameter: Array, rows: Array, columns: Array, luck: int) -> Any:
    return best_for(parameter, rows, luck), best_in_columns(parameter, columns, luck)


@pytest.mark.parametrize(("n_arms", "dimension"), [(1, 1), (3, 2), (10, 10), (41, 7), (9, 12)])
def test_actions_as_rows_and_as_columns(n_arms: int, dimension: int) -> None:
    rng = np.random.default_rng(n_arms)
    rows, parameter = rng.standard_normal((n_arms, dimension)), rng.standard_normal(dimension)
    best = int(np.argmax(rows @ parameter))
    for actions in (rows, np.vstack([rows, rows[best]])):  # the second with a tie
        columns = np.array(actions.T, order="C")
        for luck in range(4):
            wanted = best_for(parameter, actions, luck)
            assert wanted[0] in (best, n_arms)
            assert wanted[2] == 1 + len(actions) - n_arms
            assert best_in_columns(parameter, columns, luck) == wanted
            assert best_twice(parameter, actions, columns, luck) == (wanted, wanted)


@pytest.mark.parametrize("radius", [0.0, 1e-3, 0.5, 100.0])
def test_no_arm_that_wins_or_ties_is_passed_over(radius: float) -> None:
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((40, 3))
    rows[30:] = rows[:10]
    model = learnt(3, rows)
    assert isinstance(model, Listed)
    values = [optimism(model.table[0, k], model.table[1, k], radius) for k in range(len(rows))]
    arm, bound, ties = model.optimistic(rows, radius, 5)
    assert bound == max(values) == values[arm]
    assert ties == values.count(bound)
    assert math.isfinite(bound)
