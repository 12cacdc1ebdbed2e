from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.theory.blocks import block_length, block_mixing, block_reward_scale, window_grid
from driftwise.theory.geometry import GEOMETRIES, Geometry

quickly = settings(derandomize=True, deadline=None, max_examples=200)


@quickly
@given(st.integers(1, 10**8), st.integers(1, 100), st.sampled_from(GEOMETRIES))
def test_a_block_fits_into_the_horizon(horizon: int, dimension: int, geometry: Geometry) -> None:
    length = block_length(horizon=horizon, dimension=dimension, geometry=geometry)
    longer = block_length(horizon=horizon + 1, dimension=dimension + 1, geometry=geometry)
    assert 1 <= length <= horizon
    assert length <= longer


@pytest.mark.parametrize("root", range(3, 100))
def test_exact_powers_are_rounded_to_themselves(root: int) -> None:
    horizon = root**2
    assert block_length(horizon=10_000 * horizon, dimension=8) == 400 * root
    assert block_length(horizon=horizon, dimension=1) == root
    assert block_length(horizon=horizon, dimension=1, geometry="general") == root
    assert block_length(horizon=horizon, dimension=16, geometry="general") == min(2 * root, horizon)
    assert block_length(horizon=horizon + 1, dimension=1, geometry="general") == root + 1


def test_the_block_is_clipped_when_the_dimension_is_large() -> None:
    assert block_length(horizon=10, dimension=1_000) == 10
    assert block_length(horizon=10, dimension=10**6, geometry="general") == 10


@quickly
@given(st.integers(2, 10**7))
def test_the_grid_runs_from_one_to_the_block(length: int) -> None:
    grid = window_grid(length)
    assert grid[0] == 1
    assert grid[-1] == length
    assert all(small < large for small, large in itertools.pairwise(grid))
    # The powers are at most e apart; a floor can add one more.
    assert all(large <= math.e * (small + 1) for small, large in itertools.pairwise(grid))


def test_only_a_block_of_three_rounds_repeats_a_window() -> None:
    shorter = [
        length
        for length in range(2, 3_000)
        if len(window_grid(length)) != math.ceil(math.log(length)) + 1
    ]
    assert shorter == [3]
    assert window_grid(3) == (1, 3)


@pytest.mark.parametrize(
    ("length", "grid"), [(1, (1,)), (2, (1, 2)), (8, (1, 2, 4, 8)), (16, (1, 2, 6, 16))]
)
def test_small_grids(length: int, grid: tuple[int, ...]) -> None:
    assert window_grid(length) == grid


@pytest.mark.parametrize("root", [3, 5, 6, 7, 9])
def test_the_grid_keeps_exact_roots(root: int) -> None:
    length = root**6
    steps = math.ceil(math.log(length))
    grid = window_grid(length)
    for step in range(steps + 1):
        whole, rest = divmod(6 * step, steps)
        if rest == 0:
            assert root**whole in grid


@quickly
@given(st.data(), st.integers(1, 10**6), st.floats(0.0, 10.0))
def test_mixing_and_scale_are_usable(data: st.DataObject, horizon: int, noise: float) -> None:
    length = data.draw(st.integers(1, horizon))
    assert 0.0 < block_mixing(horizon=horizon, block_length=length) <= 1.0
    scale = block_reward_scale(horizon=horizon, block_length=length, noise=noise)
    assert math.isfinite(scale)
    assert scale >= 2.0 * length


def test_the_last_block_counts_even_if_it_is_short() -> None:
    # 9 rounds in blocks of 4 make 3 blocks; the grid (1, 2, 4) has 3 windows.
    expected = math.sqrt(3.0 * math.log(3.0) / ((math.e - 1.0) * 3.0))
    assert block_mixing(horizon=9, block_length=4) == pytest.approx(expected)
    assert block_mixing(horizon=8, block_length=4) > block_mixing(horizon=9, block_length=4)


def test_scale_without_noise_is_twice_the_block() -> None:
    assert block_reward_scale(horizon=100, block_length=10, noise=0.0) == 20.0


def test_errors_name_the_parameter() -> None:
    with pytest.raises(ValueError, match="block_length must be at least 1 round, got 0"):
        window_grid(0)
    with pytest.raises(ValueError, match="horizon must be at least 1 round, got 0"):
        block_length(horizon=0, dimension=1)
    with pytest.raises(ValueError, match="dimension must be at least 1, got 0"):
        block_length(horizon=1, dimension=0)
    with pytest.raises(ValueError, match="noise must be at least 0, got -1"):
        block_reward_scale(horizon=10, block_length=5, noise=-1.0)
    message = "block_length must be at most the horizon of 10 rounds, got 11"
    with pytest.raises(ValueError, match=message):
        block_mixing(horizon=10, block_length=11)
    with pytest.raises(ValueError, match=message):
        block_reward_scale(horizon=10, block_length=11, noise=0.1)


@pytest.mark.parametrize(("horizon", "dimension", "length"), [(10_000, 3, 300), (100, 50, 100)])
def test_the_blocks_of_hedging_the_drift(horizon: int, dimension: int, length: int) -> None:
    assert block_length(horizon=horizon, dimension=dimension, rule="hedging") == length


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="rule must be one of paper, hedging, got 'hedge'"):
        block_length(horizon=10, dimension=1, rule="hedge")  # type: ignore[arg-type]  # on purpose
