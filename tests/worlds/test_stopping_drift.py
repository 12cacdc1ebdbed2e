"""Drift that stops: the sinusoid in a hurry, then nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.worlds import StoppingDrift


@pytest.mark.parametrize(("moving", "n"), [(1 / 3, 1000), (0.5, 1500), (1.0, 3000), (1e-9, 1)])
def test_the_formula(moving: float, n: int) -> None:
    world = StoppingDrift(horizon=3000, variation=3.0, moving=moving)
    path = np.concatenate(list(world.path(seed=0, size=400)))
    for t in range(1, 3001, 7):
        swing = 0.3 * math.sin(5 / 3 * 3.0 * math.pi * min(t, n) / n)
        assert path[t - 1] == pytest.approx([0.5 + swing, 0.5 - swing], rel=0, abs=1e-12)
    assert world.number_of_changes() == n - 1
    assert (path[n:] == path[-1]).all()


def test_the_budget_is_that_of_the_arms() -> None:
    for moving in (1.0, 1 / 3, 0.1):
        measured = StoppingDrift(horizon=60_000, variation=3.0, moving=moving).realised_variation()
        assert measured.arms == pytest.approx(3.0, abs=0.01)
        assert measured.l2 == pytest.approx(3.0 * math.sqrt(2), abs=0.01)


def test_it_has_two_arms() -> None:
    world = StoppingDrift(horizon=100)
    assert (world.variation, world.factor, world.moving) == (1.0, 5 / 3, 1 / 3)
    assert (world.n_arms, world.satisfies_assumption_one()) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"moving": 0.0}, "moving must be in (0, 1], got 0.0"),
        ({"moving": 1.5}, "moving must be in (0, 1], got 1.5"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
        ({"factor": 0.0}, "factor must be above 0, got 0.0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        StoppingDrift(**{"horizon": 10} | arguments)
    assert str(error.value) == message
