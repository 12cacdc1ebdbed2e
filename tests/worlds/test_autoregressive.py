"""The AR(1) recursion, and the stationary law that it keeps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import Autoregressive


@pytest.mark.parametrize("persistence", [0.0, 0.5, 0.99])
def test_the_recursion(persistence: float) -> None:
    centre, spread = [0.5, -0.2, 0.0], 0.4
    world = Autoregressive(horizon=500, persistence=persistence, spread=spread, centre=centre)
    path = np.concatenate(list(world.path(seed=3, size=120)))
    normals = generator(3, "parameters").standard_normal((500, 3))
    for i in range(3):
        theta = centre[i] + spread * normals[0, i]
        assert path[0, i] == pytest.approx(theta, rel=1e-12)
        for t in range(1, 500):
            pull = persistence * (theta - centre[i])
            theta = centre[i] + pull + math.sqrt(1 - persistence**2) * spread * normals[t, i]
            assert path[t, i] == pytest.approx(theta, rel=1e-9, abs=1e-12)


def test_every_round_has_the_stationary_law() -> None:
    world = Autoregressive(horizon=60, persistence=0.95, spread=0.3, dimension=40)
    paths = np.stack([np.concatenate(list(world.path(seed, 60))) for seed in range(50)], axis=1)
    numbers = paths.reshape(60, -1)  # per round: 50 seeds of 40 coordinates
    n = numbers.shape[1]
    assert (np.abs(numbers.mean(axis=1)) < 4.5 * 0.3 / math.sqrt(n)).all()
    assert (np.abs(numbers.std(axis=1) - 0.3) < 4.5 * 0.3 / math.sqrt(2 * n)).all()
    correlation = (numbers[1:] * numbers[:-1]).mean() / 0.3**2
    assert correlation == pytest.approx(0.95, abs=0.02)


def test_it_moves_in_every_round() -> None:
    world = Autoregressive(horizon=300)
    assert (world.dimension, world.n_arms) == (2, 2)
    assert world.number_of_changes() == 299
    assert world.satisfies_assumption_one()
    assert Autoregressive(horizon=300, spread=0.0).number_of_changes() == 0
    assert not np.array_equal(next(world.path(0, 300)), next(world.path(1, 300)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"persistence": 1.0}, "persistence must be less than 1, got 1.0"),
        ({"persistence": -0.5}, "persistence must be at least 0, got -0.5"),
        ({"spread": -1.0}, "spread must be at least 0, got -1.0"),
        ({"centre": [0.0], "dimension": 2}, "centre must have shape (2), got (1,)"),
        (
            {"centre": [0.0], "decision_set": np.eye(2)},
            "decision_set must have shape (any, 1), got (2, 2)",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Autoregressive(**{"horizon": 10} | arguments)
    assert str(error.value) == message
