from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.theory.exponential_weights import exp3_mixing, exp3s_mixing, exp3s_sharing

quickly = settings(derandomize=True, deadline=None, max_examples=200)
arms, horizons = st.integers(1, 1_000), st.integers(1, 10**8)


@quickly
@given(arms, horizons, st.none() | st.just(0.0) | st.floats(1e-6, 1e6))
def test_mixing_is_a_share(n_arms: int, horizon: int, variation: float | None) -> None:
    assert 0.0 < exp3_mixing(n_arms=n_arms, horizon=horizon) <= 1.0
    assert 0.0 < exp3s_mixing(n_arms=n_arms, horizon=horizon, variation=variation) <= 1.0
    assert 0.0 < exp3s_sharing(horizon=horizon) <= 1.0


def test_one_arm_is_always_explored() -> None:
    assert exp3_mixing(n_arms=1, horizon=1_000) == 1.0
    assert exp3s_mixing(n_arms=1, horizon=1_000) == 1.0
    assert exp3s_mixing(n_arms=1, horizon=1_000, variation=2.0) == 1.0


def test_formulas() -> None:
    assert exp3_mixing(n_arms=5, horizon=2_000) == pytest.approx(
        math.sqrt(5 * math.log(5) / ((math.e - 1) * 2_000))
    )
    assert exp3s_mixing(n_arms=5, horizon=2_000) == pytest.approx(
        math.sqrt(5 * math.log(10_000) / 2_000)
    )
    assert exp3s_mixing(n_arms=5, horizon=2_000, variation=0.5) == pytest.approx(
        (10 * math.log(10_000) / ((math.e - 1) ** 2 * 2_000)) ** (1 / 3)
    )
    assert exp3s_mixing(n_arms=5, horizon=2_000, variation=0.0) == pytest.approx(
        math.sqrt(5 * (math.log(10_000) + math.e) / ((math.e - 1) * 2_000))
    )
    assert exp3s_sharing(horizon=2_000) == 0.0005


def test_more_variation_means_more_exploration() -> None:
    shares = [exp3s_mixing(n_arms=2, horizon=10_000, variation=v) for v in (0.5, 1.0, 8.0, 1e5)]
    assert shares == sorted(shares)
    assert shares[2] == pytest.approx(2.0 * shares[1])
    assert shares[3] == 1.0


def test_errors_name_the_parameter() -> None:
    with pytest.raises(ValueError, match="n_arms must be at least 1, got 0"):
        exp3_mixing(n_arms=0, horizon=10)
    with pytest.raises(ValueError, match="horizon must be at least 1 round, got 0"):
        exp3s_mixing(n_arms=2, horizon=0)
    with pytest.raises(ValueError, match="variation must be at least 0, got -1"):
        exp3s_mixing(n_arms=1, horizon=10, variation=-1.0)
    with pytest.raises(ValueError, match="horizon must be at least 1 round, got 0"):
        exp3s_sharing(horizon=0)
