"""Anytime limits: the boundary of the finite mixture, and how often limits are ever wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

from benchmarks.moving_logs import arms_log
from driftwise.evaluation.scoring import evaluated, one_hot
from driftwise.evaluation.sequences import boundary, lower_limits


def exact_boundary(v: float, alpha: float) -> float:
    bets = 0.8 * 2.0 ** (-np.arange(32) / 2)
    psi = -np.log(1 - bets) - bets
    return float(
        brentq(lambda s: logsumexp(bets * s - psi * v) - math.log(32 / alpha), 0, 1e4 + 100 * v)
    )


@pytest.mark.parametrize("alpha", [0.025, 0.005])
def test_the_table_rounds_up_by_a_hundredth_at_most(alpha: float) -> None:
    for v in (0.003, 1.0, 17.3, 1234.5, 1e5):
        exact = exact_boundary(v, alpha)
        assert exact <= boundary(np.array([v]), alpha)[0] <= 1.01 * exact


def test_the_boundary_is_the_printed_one() -> None:
    v = np.array([1.0, 10.0, 100.0, 1e3, 1e4, 1e5])
    printed = [9.6, 5.2, 4.0, 3.7, 3.6, 3.6]
    assert np.abs(boundary(v, 0.025) / np.sqrt(v) - printed).max() <= 0.1


def test_limits_are_sums_written_out() -> None:
    phi, k, alpha = np.array([0.5, -1.5, 3.0, 0.2]), 2.0, 0.05
    total = spread = mean = 0.0
    for t, x in enumerate(phi / (1 + k), start=1):
        spread += (x - min(mean, 1 / (1 + k))) ** 2
        total += x
        mean = total / t
        expected = (1 + k) * (total - boundary(np.array([spread]), alpha)[0]) / t
        assert lower_limits(phi, k, alpha)[t - 1] == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize("share", [1.0, 0.3])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), None], ids=["guaranteed", "asymptotic"])
def test_bands_are_ever_wrong_in_at_most_one_log_of_twenty(
    bounds: tuple[float, float] | None, share: float
) -> None:
    """Means, target and logger all move; looked at in 400 events of each of 300 logs.

    Without declared bounds of rewards limits are asymptotic, and begin at 300 effective events.
    """
    wrong = naive = looks = 0
    for seed in range(300):
        moving = arms_log(seed, n=3000, share=share)
        best = np.roll(moving.means, 60, axis=0).argmax(axis=1)
        truth = moving.means[np.arange(3000), best]
        found = evaluated("", moving.prepared(bounds=bounds), one_hot(best, 4), "", estimator="dr")
        band = found.sequence
        assert band is not None
        at = (band.events >= 100) & ~np.isnan(band.low)
        looks += int(at.sum())
        target = (np.cumsum(truth) / np.arange(1, 3001))[band.events - 1]
        wrong += bool(((target < band.low) | (target > band.high))[at].any())
        assert found.outcomes is not None
        half = 1.96 * np.array([found.outcomes[:m].std() / math.sqrt(m) for m in band.events])
        naive += bool((np.abs(target - band.value) > half)[at].any())
    assert looks > 300 * 100
    assert wrong <= 0.05 * 300, wrong
    least = 0.2 if bounds else 0.1  # the floor spares the naive interval its early looks
    assert naive > least * 300, "an interval for one look is no band, or this test could not fail"


@pytest.mark.slow
@pytest.mark.parametrize("bounds", [(0.0, 1.0), None], ids=["guaranteed", "asymptotic"])
def test_bands_follow_a_mean_that_rises_and_falls(bounds: tuple[float, float] | None) -> None:
    """One arm, better than its mean for 1,000 events and worse for as many: best limits so far would be wrong."""
    wrong = intersected = 0
    for seed in range(300):
        moving = arms_log(seed, n=2000, share=1.0, period=2000.0)
        truth = moving.means[:, 0]
        found = evaluated(
            "", moving.prepared(bounds=bounds), one_hot(np.zeros(2000, np.int64), 4), ""
        )
        band = found.sequence
        assert band is not None
        at = ~np.isnan(band.low)
        low, high = band.low[at], band.high[at]
        target = (np.cumsum(truth) / np.arange(1, 2001))[band.events[at] - 1]
        wrong += bool(((target < low) | (target > high)).any())
        intersected += bool((target < np.maximum.accumulate(low)).any())
    assert wrong <= 0.05 * 300, wrong
    assert intersected > 0.1 * 300, "or this test could not fail"
