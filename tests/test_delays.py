"""The laws of delays: their distributions, what they compose to, what they refuse."""

from __future__ import annotations

import pickle
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import driftwise as dw
from driftwise import delays

N = 200_000


def drawn(delay: delays.Delay, n: int = N) -> NDArray[np.int64]:
    return delay.draw(np.arange(n), np.random.default_rng(1))


@pytest.mark.parametrize("mean", [0.0, 0.5, 20.0])
def test_geometric(mean: float) -> None:
    found = drawn(delays.Geometric(mean))
    deviation = np.sqrt(mean * (mean + 1.0) / N)
    assert found.mean() == pytest.approx(mean, abs=5.0 * deviation)
    for n in (1, 3, 40):
        wanted = (mean / (1.0 + mean)) ** n
        assert np.mean(found >= n) == pytest.approx(wanted, abs=5.0 * np.sqrt(0.25 / N))


@pytest.mark.parametrize("exponent", [0.5, 1.0, 3.0])
def test_heavy_tailed(exponent: float) -> None:
    found = drawn(delays.HeavyTailed(12.0, exponent))
    assert np.mean(found >= 12) == pytest.approx(0.5, abs=5.0 * np.sqrt(0.25 / N))
    scale = 12.0 / (2.0 ** (1.0 / exponent) - 1.0)
    for n in (3, 100, 3000):
        wanted = (1.0 + n / scale) ** -exponent
        assert np.mean(found >= n) == pytest.approx(wanted, abs=5.0 * np.sqrt(0.25 / N))


def test_batches_come_at_the_end_of_a_period() -> None:
    late = drawn(delays.Batches(50, delays.Geometric(30.0)), 5000)
    inner = drawn(delays.Geometric(30.0), 5000)
    arrivals = np.arange(5000) + late
    assert (arrivals % 50 == 49).all()
    waits = late - inner
    assert waits.min() == 0
    assert waits.max() == 49


def test_missing_rewards_are_missing_by_themselves() -> None:
    late = drawn(delays.Missing(0.25, delays.Constant(7)))
    is_missing = late == delays.NEVER
    assert is_missing.mean() == pytest.approx(0.25, abs=5.0 * np.sqrt(0.1875 / N))
    assert (late[~is_missing] == 7).all()
    both = is_missing[1:] & is_missing[:-1]
    assert both.mean() == pytest.approx(0.0625, abs=0.004)


@pytest.mark.parametrize(
    "delay",
    [
        delays.Geometric(1e100),
        delays.HeavyTailed(1e100, 0.1),
        delays.HeavyTailed(1e-100, 0.1),
        delays.Constant(delays.NEVER),
        delays.Batches(delays.NEVER, delays.NEVER),
        delays.Recorded(np.full(1000, np.inf)),
    ],
    ids=repr,
)
def test_no_delay_is_too_long(delay: Any) -> None:
    world = dw.worlds.Sinusoid(horizon=1000, variation=1.0)
    assert drawn(delay, 1000).min() >= 0
    assert dw.simulate(dw.UCB1(), world, delay=delay).total_regret > 0.0


def test_records_are_copied() -> None:
    rounds = np.array([1, 2, 3])
    delay = delays.Recorded(rounds)
    rounds[0] = 9
    assert drawn(delay, 3).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: delays.Constant(-1), "rounds must be at least 0, got -1"),
        (lambda: delays.Geometric(-0.1), "mean must be at least 0, got -0.1"),
        (lambda: delays.HeavyTailed(0.0), "median must be above 0, got 0.0"),
        (lambda: delays.HeavyTailed(1.0, 0.01), "exponent must be at least 0.1, got 0.01"),
        (lambda: delays.Batches(0), "period must be at least 1, got 0"),
        (
            lambda: delays.Batches(5, cast(Any, "late")),
            "delay must be a number of rounds or a delay",
        ),
        (lambda: delays.Missing(1.5), r"probability must be in \[0, 1\], got 1.5"),
        (lambda: delays.Missing(0.5, -2), "delay must be at least 0, got -2"),
        (lambda: delays.Recorded([]), r"rounds must be a list of integers, got \[\]"),
        (lambda: delays.Recorded([[1], [2, 3]]), "rounds must be a list of integers, got"),
        (lambda: delays.Recorded(["1"]), "rounds must be a list of integers, got"),
        (lambda: delays.Recorded(5), "rounds must be a list of integers, got 5"),
        (lambda: delays.Recorded([0, -1]), "or infinite, got -1.0 at index 1"),
        (lambda: delays.Recorded([0, 1, 0.5]), "or infinite, got 0.5 at index 2"),
        (lambda: delays.Recorded([0, np.nan]), "or infinite, got nan at index 1"),
    ],
)
def test_bad_settings(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_delays_are_values() -> None:
    delay = delays.Batches(5, delays.Missing(0.1, delays.Geometric(3)))
    assert pickle.loads(pickle.dumps(delay)) == delay
    assert repr(delay) == (
        "Batches(period=5, delay=Missing(probability=0.1, delay=Geometric(mean=3.0)))"
    )


@pytest.mark.parametrize("name", delays.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(dw.delays, name) is not None
