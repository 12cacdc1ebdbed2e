from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from driftwise.core.seeds import generator
from driftwise.experiments.analysis import Analysis, analyse, fit_slope
from driftwise.experiments.bootstrap import RESAMPLES, resample
from driftwise.experiments.numbers import Row, tabulate

POLICIES = ("A", "B")


def made_up(
    horizons: dict[int, int], exponents: tuple[float, float] = (0.5, 1.0), spread: float = 0.2
) -> pl.DataFrame:
    """Regrets that follow a power law, for a number of replications at each horizon."""
    draws = np.random.default_rng(3)
    return tabulate(
        Row("f", policy, T, 1.0, 1.0, r, 0, float(T**power * math.exp(spread * draws.normal())))
        for policy, power in zip(POLICIES, exponents, strict=True)
        for T, n in horizons.items()
        for r in range(n)
    )


def regrets(numbers: pl.DataFrame, policy: str, horizon: int) -> list[float]:
    rows = sorted(
        (row["replication"], row["regret"])
        for row in numbers.to_dicts()
        if row["policy"] == policy and row["horizon"] == horizon
    )
    return [regret for _, regret in rows]


def read_out(analysis: Analysis) -> list[float]:
    """All numbers of an analysis in one list."""
    found = [*analysis.ratios, analysis.overall_ratio, *(s for s in analysis.slopes.values() if s)]
    for means in analysis.means.values():
        found += means
    return [number for estimate in found for number in (estimate.value, *estimate.span)]


def test_bootstrap_equals_the_one_written_for_reading() -> None:
    sizes = {100: 6, 200: 5, 400: 7}
    numbers = made_up(sizes)
    measured = {(p, T): regrets(numbers, p, T) for p in POLICIES for T in sizes}

    ours = np.stack(
        [resample(np.array([measured[p, T] for p in POLICIES]), 11, f"f/T={T}") for T in sizes],
        axis=1,
    )
    slopes = fit_slope(list(sizes), ours[0])
    overall = (ours[0] / ours[1]).prod(axis=0) ** (1 / 3)

    drawn = {
        T: generator(11, f"bootstrap/f/T={T}").integers(n, size=(100, n)) for T, n in sizes.items()
    }
    for i in range(100):
        means = {(p, T): np.mean([measured[p, T][k] for k in drawn[T][i]]) for p, T in measured}
        expected = [[means[p, T] for T in sizes] for p in POLICIES]
        np.testing.assert_allclose(ours[:, :, 1 + i], expected, rtol=1e-12)
        fitted = np.polyfit(np.log(list(sizes)), np.log(expected[0]), 1)[0]
        np.testing.assert_allclose(slopes[1 + i], fitted, rtol=1e-9)
        ratios = [means["A", T] / means["B", T] for T in sizes]
        np.testing.assert_allclose(overall[1 + i], math.prod(ratios) ** (1 / 3), rtol=1e-12)

    # Intervals are the middle 95% of these.
    analysis = analyse(numbers, "f", POLICIES, seed=11)
    middle = [0.025, 0.975]
    assert analysis.overall_ratio.span == pytest.approx(tuple(np.quantile(overall[1:], middle)))
    assert analysis.means["B"][2].span == pytest.approx(tuple(np.quantile(ours[1, 2, 1:], middle)))
    slope = analysis.slopes["A"]
    assert slope is not None
    assert slope.span == pytest.approx(tuple(np.quantile(slopes[1:], middle)))


def test_measured_values_are_plain_means() -> None:
    numbers = made_up({100: 6, 200: 5})
    analysis = analyse(numbers, "f", POLICIES, seed=0)
    assert analysis.horizons == (100, 200)
    assert analysis.replications == (6, 5)
    for i, horizon in enumerate((100, 200)):
        means = [float(np.mean(regrets(numbers, policy, horizon))) for policy in POLICIES]
        assert [analysis.means[policy][i].value for policy in POLICIES] == pytest.approx(means)
        assert analysis.ratios[i].value == pytest.approx(means[0] / means[1])
        assert analysis.ratios[i].span[0] < analysis.ratios[i].value < analysis.ratios[i].span[1]


def test_an_exact_power_law_has_its_slope_and_no_doubt() -> None:
    analysis = analyse(made_up({10: 3, 50: 3, 70: 3}, (2 / 3, 1.0), spread=0.0), "f", POLICIES, 0)
    for policy, exponent in (("A", 2 / 3), ("B", 1.0)):
        slope = analysis.slopes[policy]
        assert slope is not None
        assert [slope.value, *slope.span] == pytest.approx([exponent] * 3, rel=1e-12)


def test_ratios_are_paired() -> None:
    # B is twice A in every replication: their ratio is one half in every resample.
    rows = [
        Row("f", policy, 10, 1.0, 1.0, r, 0, factor * 1.7**r)
        for policy, factor in (("A", 1.0), ("B", 2.0))
        for r in range(9)
    ]
    analysis = analyse(tabulate(rows), "f", POLICIES, 0)
    assert analysis.ratios[0].span == pytest.approx((0.5, 0.5))
    assert analysis.means["A"][0].span[1] > 2.0 * analysis.means["A"][0].span[0]


def test_one_replication_has_no_interval() -> None:
    analysis = analyse(made_up({100: 1, 200: 4}), "f", POLICIES, 0)
    assert not analysis.has_intervals
    assert [ratio.has_interval for ratio in analysis.ratios] == [False, True]
    assert not analysis.overall_ratio.has_interval
    slope = analysis.slopes["A"]
    assert slope is not None
    assert slope.low is None
    assert slope.span == (slope.value, slope.value)


def test_one_horizon_has_no_slope() -> None:
    assert analyse(made_up({100: 3}), "f", POLICIES, 0).slopes == {"A": None, "B": None}


def test_the_same_numbers_get_the_same_intervals_in_any_order() -> None:
    numbers = made_up({100: 6, 200: 5})
    first = analyse(numbers, "f", POLICIES, 5)
    again = analyse(numbers.sample(fraction=1.0, shuffle=True, seed=1), "f", POLICIES, 5)
    assert read_out(first) == read_out(again)
    assert read_out(first) != read_out(analyse(numbers, "f", POLICIES, 6))


def test_resamples_of_equal_numbers_are_equal() -> None:
    wide = resample(np.ones((2, 3000)), 0, "wide")
    assert wide.shape == (2, 1 + RESAMPLES)
    assert (wide == 1.0).all()
