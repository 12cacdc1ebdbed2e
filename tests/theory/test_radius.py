from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.theory.radius import radius

quickly = settings(derandomize=True, deadline=None, max_examples=200)
positive = st.floats(1e-3, 1e3)


@quickly
@given(
    st.integers(1, 10**6), st.integers(1, 20), positive, positive, positive, positive,
    st.floats(1e-12, 1.0),
)  # fmt: skip
def test_it_is_the_formula(
    window: int,
    dimension: int,
    noise: float,
    action_norm: float,
    parameter_norm: float,
    ridge: float,
    confidence: float,
) -> None:
    value = radius(
        window=window,
        dimension=dimension,
        noise=noise,
        action_norm=action_norm,
        parameter_norm=parameter_norm,
        ridge=ridge,
        confidence=confidence,
    )
    inside = dimension * math.log((1.0 + window * action_norm**2 / ridge) / confidence)
    expected = noise * math.sqrt(max(inside, 0.0)) + math.sqrt(ridge) * parameter_norm
    assert value == pytest.approx(expected, rel=1e-9)


def test_extreme_settings_stay_finite() -> None:
    value = radius(
        window=10**9, dimension=2, noise=1.0, action_norm=1e99, ridge=1e-300, confidence=1e-300
    )
    assert math.isfinite(value)
    assert value > 0.0


def test_certain_failure_needs_no_noise_term_in_a_tiny_world() -> None:
    assert radius(
        window=1, dimension=1, noise=1.0, action_norm=1e-90, confidence=1.0
    ) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"window": 0}, "window must be at least 1 round, got 0"),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
        ({"noise": -0.1}, "noise must be at least 0, got -0.1"),
        ({"action_norm": 0.0}, "action_norm must be above 0, got 0.0"),
        ({"parameter_norm": 0.0}, "parameter_norm must be above 0, got 0.0"),
        ({"ridge": 0.0}, "ridge must be above 0, got 0.0"),
        ({"confidence": 0.0}, r"confidence must be in \(0, 1\], got 0.0"),
        ({"confidence": 1.5}, r"confidence must be in \(0, 1\], got 1.5"),
    ],
)
def test_errors_name_the_parameter(change: dict[str, Any], message: str) -> None:
    arguments = {"window": 10, "dimension": 2, "noise": 0.1, "confidence": 0.1} | change
    with pytest.raises(ValueError, match=message):
        radius(**arguments)
