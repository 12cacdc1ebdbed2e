"""Seasons: the formula, and that they come back to the bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.worlds import Seasonal


@pytest.mark.parametrize(("dimension", "period"), [(3, 100), (1, 7), (2, 1), (5, 5000)])
def test_the_formula(dimension: int, period: int) -> None:
    world = Seasonal(horizon=3000, dimension=dimension, period=period, centre=0.4, amplitude=0.25)
    path = np.concatenate(list(world.path(seed=0, size=700)))
    for t in range(1, 3001, 13):
        for i in range(dimension):
            formula = 0.4 + 0.25 * math.sin(2 * math.pi * (t / period + i / dimension))
            assert path[t - 1, i] == pytest.approx(formula, rel=0, abs=1e-11)


def test_a_season_comes_back_to_the_bit() -> None:
    path = np.concatenate(list(Seasonal(horizon=5000, period=321).path(seed=0, size=1000)))
    assert np.array_equal(path[321:], path[:-321])


def test_the_variation_counts_the_seasons() -> None:
    world = Seasonal(horizon=10_001, dimension=1, period=1000)
    assert world.realised_variation().l2 == pytest.approx(10 * 4 * 0.3, rel=1e-3)
    assert world.number_of_changes() == 10_000
    assert Seasonal(horizon=100, period=1).number_of_changes() == 0
    assert world.satisfies_assumption_one()


def test_every_arm_has_its_turn() -> None:
    world = Seasonal(horizon=1000, dimension=4, period=1000)
    best = np.concatenate([chunk.means.argmax(axis=1) for chunk in world.rounds(0, 300)])
    assert np.bincount(best).tolist() == pytest.approx([250] * 4, abs=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"period": 0}, "period must be at least 1 round, got 0"),
        ({"amplitude": -1.0}, "amplitude must be at least 0, got -1.0"),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Seasonal(**{"horizon": 10} | arguments)
    assert str(error.value) == message


def test_coins_that_cannot_be_are_refused_in_their_round() -> None:
    world = Seasonal(horizon=100, dimension=1, period=4, amplitude=0.6, rewards="bernoulli")
    with pytest.raises(
        ValueError, match=r"must be in \[0, 1\] when rewards are bernoulli.*round 1$"
    ):
        next(world.rounds(seed=0, size=10))
