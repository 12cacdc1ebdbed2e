from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.theory.geometry import GEOMETRIES, Geometry
from driftwise.theory.windows import window

quickly = settings(derandomize=True, deadline=None, max_examples=200)
geometries = st.sampled_from(GEOMETRIES)
horizons = st.integers(1, 10**7)
dimensions = st.integers(1, 50)
variations = st.floats(1e-300, 1e6)


def _floor_of_cube_root(numerator: int, denominator: int) -> int:
    """The largest whole w with w^3 <= numerator / denominator, in integers only."""
    root = math.ceil(math.cbrt(numerator / denominator)) + 2
    while root**3 * denominator > numerator:
        root -= 1
    return root


# Up to here two distinct candidates differ by more than the tolerance for rounding.
@quickly
@given(horizon=st.integers(1, 2_000), dimension=st.integers(1, 5), variation=st.integers(1, 2_000))
def test_it_is_the_exact_floor(horizon: int, dimension: int, variation: int) -> None:
    exact = _floor_of_cube_root((dimension * horizon) ** 2, variation**2)
    chosen = window(horizon=horizon, dimension=dimension, variation=variation)
    assert chosen == min(max(exact, 1), horizon)


@pytest.mark.parametrize("root", range(2, 200))
def test_exact_powers_are_not_floored_away(root: int) -> None:
    assert window(horizon=root**3, dimension=1) == root**2
    assert window(horizon=root**2, dimension=1, geometry="general") == root
    assert window(horizon=(2 * root) ** 3, dimension=1, variation=8.0) == root**2


@quickly
@given(horizons, dimensions, st.none() | variations, geometries)
def test_it_is_between_one_round_and_the_horizon(
    horizon: int, dimension: int, variation: float | None, geometry: Geometry
) -> None:
    chosen = window(horizon=horizon, dimension=dimension, variation=variation, geometry=geometry)
    assert 1 <= chosen <= horizon
    assert type(chosen) is int


@quickly
@given(horizons, dimensions, variations, st.floats(1.0, 100.0), geometries)
def test_more_drift_never_means_a_longer_window(
    horizon: int, dimension: int, variation: float, factor: float, geometry: Geometry
) -> None:
    def chosen(budget: float) -> int:
        return window(horizon=horizon, dimension=dimension, variation=budget, geometry=geometry)

    assert chosen(variation * factor) <= chosen(variation)


@quickly
@given(horizons, horizons, dimensions, dimensions, variations, geometries)
def test_more_rounds_or_dimensions_never_mean_a_shorter_window(
    horizon: int, rounds: int, dimension: int, extra: int, variation: float, geometry: Geometry
) -> None:
    def chosen(horizon: int, dimension: int) -> int:
        return window(horizon=horizon, dimension=dimension, variation=variation, geometry=geometry)

    assert chosen(horizon + rounds, dimension) >= chosen(horizon, dimension)
    assert chosen(horizon, dimension + extra) >= chosen(horizon, dimension)


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_limits(geometry: Geometry) -> None:
    sizes: dict[str, Any] = {"horizon": 500, "dimension": 3, "geometry": geometry}
    assert window(**sizes, variation=0.0) == 500
    assert window(**sizes, variation=5e-324) == 500
    assert window(**sizes, variation=1e99) == 1
    assert window(**sizes) == window(**sizes, variation=1.0)


def test_general_decision_sets_get_the_published_window() -> None:
    chosen = window(horizon=10_000, dimension=16, variation=4.0, geometry="general")
    assert chosen == 2 * math.isqrt(10_000 // 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0}, "horizon must be at least 1 round, got 0"),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
        ({"variation": math.nan}, "variation must be a finite number, got nan"),
        ({"geometry": "orthogonall"}, "did you mean 'orthogonal'?"),
    ],
)
def test_errors_name_the_parameter(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"horizon": 100, "dimension": 2, "variation": 1.0} | change
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        window(**arguments)
