from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import pytest

from driftwise.theory.bounds import RATES, rate, regret_bound, slope
from driftwise.theory.radius import radius
from driftwise.theory.windows import window


def _as_printed(
    horizon: int, dimension: int, variation: float, window: int, noise: float, **norms: float
) -> float:
    """The last line of the proof of Theorem 3, with delta = 1/T."""
    length, ridge = norms.get("action_norm", 1.0), norms.get("ridge", 1.0)
    beta = radius(
        window=window, dimension=dimension, noise=noise, confidence=1.0 / horizon, **norms
    )
    inside = 2 * dimension * math.log((dimension * ridge + window * length**2) / dimension / ridge)
    drift = 2 * length * window * variation
    return drift + 2 * horizon / math.sqrt(window) * beta * math.sqrt(inside) + 2.0


@pytest.mark.parametrize(
    "settings",
    [
        {"horizon": 1_000, "dimension": 2, "variation": 1.0, "window": 100, "noise": 0.1},
        {"horizon": 64, "dimension": 3, "variation": 0.0, "window": 64, "noise": 2.0},
        {"horizon": 50, "dimension": 1, "variation": 3.0, "window": 1, "noise": 0.0},
        {
            "horizon": 900, "dimension": 4, "variation": 2.0, "window": 30, "noise": 0.3,
            "action_norm": 2.0, "parameter_norm": 0.5, "ridge": 4.0,
        },
    ],
)  # fmt: skip
def test_it_is_the_printed_bound_if_the_window_divides_the_horizon(
    settings: dict[str, Any],
) -> None:
    assert regret_bound(**settings) == pytest.approx(_as_printed(**settings))
    # Here the window divides the horizon, and the radius is at least 1.
    assert regret_bound(**settings, as_printed=False) == pytest.approx(_as_printed(**settings))


def test_a_window_that_does_not_divide_the_horizon_pays_for_a_full_one() -> None:
    settings: dict[str, Any] = {"horizon": 1_000, "dimension": 2, "variation": 0.0, "noise": 0.1}
    printed = _as_printed(window=600, **settings) - 2.0
    assert regret_bound(window=600, **settings) - 2.0 == pytest.approx(printed)
    bound = regret_bound(window=600, **settings, as_printed=False) - 2.0
    assert bound == pytest.approx(printed * math.sqrt(2.0 * 600 / 1_000))


def test_a_radius_below_one_counts_as_one() -> None:
    settings: dict[str, Any] = {
        "horizon": 100, "dimension": 1, "variation": 0.0, "window": 100, "noise": 0.0,
        "ridge": 0.04, "as_printed": False,
    }  # fmt: skip
    expected = 2 * math.sqrt(100 * 2 * math.log1p(100 / 0.04)) + 2.0
    assert regret_bound(**settings) == pytest.approx(expected)
    assert regret_bound(**settings, parameter_norm=2.0) == pytest.approx(expected)
    assert regret_bound(**settings, parameter_norm=10.0) > 1.5 * expected


def test_failure_costs_two_per_round() -> None:
    settings: dict[str, Any] = {
        "horizon": 100, "dimension": 2, "variation": 1.0, "window": 10, "noise": 0.0,
    }  # fmt: skip
    assert regret_bound(**settings, confidence=0.5) == pytest.approx(
        regret_bound(**settings) + 98.0
    )


def test_the_tuned_window_nearly_minimises_the_bound() -> None:
    settings: dict[str, Any] = {"horizon": 10**6, "dimension": 2, "variation": 5.0, "noise": 0.5}
    tuned = window(horizon=10**6, dimension=2, variation=5.0)
    bounds = [regret_bound(window=w, **settings) for w in range(100, 200_000, 100)]
    # Constants and logarithms are not part of the tuning.
    assert regret_bound(window=tuned, **settings) < 3.0 * min(bounds)
    assert min(bounds) < 0.2 * regret_bound(window=100, **settings)
    assert min(bounds) < 0.2 * regret_bound(window=10**6, **settings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0}, "horizon must be at least 1 round, got 0"),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
        ({"window": 0}, "window must be at least 1 round, got 0"),
        ({"noise": -1.0}, "noise must be at least 0, got -1.0"),
        ({"action_norm": 0.0}, "action_norm must be above 0, got 0.0"),
        ({"ridge": 0.0}, "ridge must be above 0, got 0.0"),
        ({"confidence": 0.0}, r"confidence must be in \(0, 1\], got 0.0"),
    ],
)
def test_errors_name_the_parameter(change: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {
        "horizon": 100, "dimension": 2, "variation": 1.0, "window": 10, "noise": 0.1,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        regret_bound(**(settings | change))


@pytest.mark.parametrize("name", RATES)
def test_a_statement_says_what_is_computed(name: str) -> None:
    # "d^(2/3) (B+1)^(1/4) T^(3/4)" is read back, factor by factor, and evaluated.
    sizes = {"d": 7, "B": 3.0, "(B+1)": 4.0, "T": 1_000}
    value = 1.0
    for factor in RATES[name].statement.split(" "):
        parts = re.fullmatch(r"(d|B|\(B\+1\)|T)(?:\^\((\d/\d)\))?", factor)
        assert parts is not None
        value *= sizes[parts[1]] ** float(Fraction(parts[2] or 1))
    assert rate(name, horizon=1_000, dimension=7, variation=3.0) == pytest.approx(value)


def test_the_rates_cover_every_theorem() -> None:
    assert set(RATES) == {
        "lower-bound",
        "sliding-window",
        "sliding-window-unknown",
        "sliding-window-stationary",
        "bandit-over-bandit",
        "sliding-window-general",
        "sliding-window-general-unknown",
        "bandit-over-bandit-general",
    }
    assert all(entry.conditions and entry.source for entry in RATES.values())


@pytest.mark.parametrize(
    ("name", "growth", "expected"),
    [
        ("lower-bound", 0.0, 2 / 3),
        ("sliding-window", 0.0, 2 / 3),
        ("sliding-window", 1 / 3, 7 / 9),
        ("sliding-window-unknown", 0.0, 2 / 3),
        ("sliding-window-unknown", 1 / 3, 1.0),
        ("sliding-window-stationary", 0.0, 1 / 2),
        ("bandit-over-bandit", 0.0, 3 / 4),
        ("bandit-over-bandit", 1 / 3, 5 / 6),
        ("bandit-over-bandit", 1.0, 1.0),
        ("sliding-window-general", 1 / 3, 5 / 6),
        ("sliding-window-general-unknown", 1 / 3, 13 / 12),
        ("bandit-over-bandit-general", 1 / 3, 5 / 6),
    ],
)
def test_slopes(name: str, growth: float, expected: float) -> None:
    assert slope(name, variation_exponent=growth) == pytest.approx(expected)


@pytest.mark.parametrize("name", RATES)
def test_the_slope_is_the_growth_of_the_rate(name: str) -> None:
    def logarithm(horizon: int) -> float:
        return math.log(rate(name, horizon=horizon, dimension=3, variation=horizon**0.25))

    measured = (logarithm(10**60) - logarithm(10**40)) / math.log(10**20)
    assert slope(name, variation_exponent=0.25) == pytest.approx(measured, abs=1e-6)


def test_the_printed_bound_grows_like_its_rate() -> None:
    def per_rate(horizon: int) -> float:
        sizes: dict[str, Any] = {"horizon": horizon, "dimension": 2, "variation": 1.0}
        return regret_bound(**sizes, window=window(**sizes), noise=1.0) / rate(
            "sliding-window", **sizes
        )

    # What remains is logarithms: their square roots at most double twice here.
    assert 1.0 < per_rate(10**12) / per_rate(10**6) < 2.0


def test_an_unknown_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'sliding-window'"):
        rate("sliding-windows", horizon=10, dimension=1, variation=1.0)
    with pytest.raises(ValueError, match="name must be one of lower-bound, sliding-window"):
        slope("none of these")
    with pytest.raises(ValueError, match="variation_exponent must be at least 0, got -1"):
        slope("lower-bound", variation_exponent=-1.0)


def test_rates_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        RATES["lower-bound"] = RATES["sliding-window"]  # type: ignore[index]  # what is tested
