from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.theory.hard_instance import HardInstance, hard_instance

quickly = settings(derandomize=True, deadline=None, max_examples=300)


@quickly
@given(st.integers(1, 20), st.integers(0, 10**10), st.floats(0.0, 1.0))
def test_it_keeps_within_the_budget(dimension: int, extra: int, share: float) -> None:
    horizon = max(dimension, math.ceil(dimension**2 / 4)) + extra
    budget = share**3 * 8.0 * horizon / dimension**2
    hard = hard_instance(horizon=horizon, dimension=dimension, variation=budget)
    assert 1 <= hard.block_length <= horizon
    assert hard.n_blocks == math.ceil(horizon / hard.block_length)
    assert hard.coordinate == pytest.approx(math.sqrt(dimension / 4 / hard.block_length))
    assert hard.coordinate * math.sqrt(dimension) <= 1.0 + 1e-12
    assert hard.largest_variation <= budget


@quickly
@given(st.integers(2, 300), st.integers(2, 20))
def test_exact_powers_are_not_rounded_up(root: int, factor: int) -> None:
    # (d T / B)^(2/3) = root^2 with d = 1, T = factor root^3, B = factor.
    hard = hard_instance(horizon=factor * root**3, dimension=1, variation=float(factor))
    assert hard.block_length == root**2


def test_a_budget_that_is_itself_rounded_makes_no_longer_block() -> None:
    budget = 0.0
    for _ in range(100):
        budget += 0.1
    assert budget < 10.0
    assert math.ceil((10_000 / budget) ** (2 / 3)) == 101
    assert hard_instance(horizon=10_000, dimension=1, variation=budget).block_length == 100


def test_an_integer_missed_by_rounding_may_not_break_the_budget() -> None:
    # The ideal block is a hair above 10^6 rounds, and would be taken for it. There are 10^7 changes
    # then, of 1/1000 each, which is a hair above the budget: the next length is taken.
    horizon, budget = 10**13 + 1, 1e4 * (1.0 - 1e-10)
    hard = hard_instance(horizon=horizon, dimension=1, variation=budget)
    assert hard.block_length == 10**6 + 1
    assert hard.largest_variation <= budget


def test_shorter_blocks_would_break_the_budget() -> None:
    horizon, dimension, budget = 10_000, 3, 20.0
    hard = hard_instance(horizon=horizon, dimension=dimension, variation=budget)
    shorter = 0.95 * hard.block_length
    assert (horizon / shorter - 1.0) * dimension / math.sqrt(shorter) > budget


def test_the_largest_variation_is_the_largest_over_all_signs() -> None:
    hard = hard_instance(horizon=60, dimension=2, variation=25.0)
    corners = hard.coordinate * np.array(list(itertools.product([-1.0, 1.0], repeat=2)))
    steps = np.linalg.norm(corners[:, np.newaxis] - corners, axis=2)
    assert hard.n_blocks > 1
    assert (hard.n_blocks - 1) * steps.max() == pytest.approx(hard.largest_variation)


def test_without_drift_there_is_one_block() -> None:
    hard = hard_instance(horizon=100, dimension=4, variation=0.0)
    assert hard == HardInstance(100, 1, 0.1, 0.0)


@pytest.mark.parametrize(("dimension", "largest"), [(1, 800.0), (2, 200.0), (5, 32.0), (20, 2.0)])
def test_the_error_names_the_largest_budget_and_it_is_allowed(
    dimension: int, largest: float
) -> None:
    hard = hard_instance(horizon=100, dimension=dimension, variation=largest)
    assert hard.coordinate * math.sqrt(dimension) <= 1.0 + 1e-12
    with pytest.raises(ValueError, match=f"variation must be at most .* = {largest:g}, so that"):
        hard_instance(horizon=100, dimension=dimension, variation=largest * 1.001)


def test_errors_name_the_parameter() -> None:
    with pytest.raises(ValueError, match="horizon must be at least 100 rounds, got 99"):
        hard_instance(horizon=99, dimension=20, variation=1.0)
    with pytest.raises(ValueError, match="horizon must be at least 2 rounds, got 1"):
        hard_instance(horizon=1, dimension=2, variation=1.0)
    with pytest.raises(ValueError, match="variation must be at least 0, got -1"):
        hard_instance(horizon=10, dimension=2, variation=-1.0)
    with pytest.raises(ValueError, match="dimension must be at least 1, got 0"):
        hard_instance(horizon=10, dimension=0, variation=1.0)
