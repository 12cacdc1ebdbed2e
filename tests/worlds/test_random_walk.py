"""A walk in a ball, against one taken step by step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import RandomWalk


def folded(parameter: list[float], bound: float) -> list[float]:
    """Reflect a position on its line until it lies in [-bound, bound]."""
    length = position = math.hypot(*parameter)
    while abs(position) > bound:
        position = 2 * math.copysign(bound, position) - position
    return [each * position / length if length else each for each in parameter]


@pytest.mark.parametrize(
    ("dimension", "step", "bound"), [(2, 0.02, 1.0), (1, 0.3, 0.5), (3, 2.0, 0.7), (2, 0.0, 1.0)]
)
def test_step_by_step(dimension: int, step: float, bound: float) -> None:
    start = [0.1] * dimension
    world = RandomWalk(
        horizon=1500, dimension=dimension, step=step, parameter_norm=bound, start=start
    )
    path = np.concatenate(list(world.path(seed=9, size=700)))
    normals = generator(9, "parameters").standard_normal((1500, dimension))
    here, reflected = start, 0
    assert path[0].tolist() == start
    for t in range(1, 1500):
        there = [each + step * push for each, push in zip(here, normals[t], strict=True)]
        reflected += math.hypot(*there) > bound
        here = path[t].tolist()  # from the walk itself, so that rounding does not add up
        assert here == pytest.approx(folded(there, bound), rel=1e-9, abs=1e-12)
    assert np.linalg.norm(path, axis=1).max() <= bound * (1 + 1e-12)
    assert (reflected > 0) == (step > 0)


def test_the_variation_is_that_of_the_steps() -> None:
    world = RandomWalk(horizon=20_000, step=0.001)
    # The mean length of a normal vector in the plane is sqrt(pi / 2).
    expected = 19_999 * 0.001 * math.sqrt(math.pi / 2)
    assert world.realised_variation(seed=1).l2 == pytest.approx(expected, rel=0.02)
    assert world.number_of_changes(seed=1) == 19_999
    assert world.number_of_changes(seed=1) == RandomWalk(horizon=20_000).number_of_changes(seed=2)


def test_it_has_arms_unless_told_otherwise() -> None:
    world = RandomWalk(horizon=10)
    assert np.array_equal(world.decision_set, np.eye(2))  # type: ignore[arg-type]  # not None
    assert world.satisfies_assumption_one()
    skew = RandomWalk(horizon=10, decision_set=[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert (skew.n_arms, skew.satisfies_assumption_one()) == (3, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"step": -0.1}, "step must be at least 0, got -0.1"),
        ({"parameter_norm": 0.0}, "parameter_norm must be above 0, got 0.0"),
        ({"start": [1.0]}, "start must have shape (2), got (1,)"),
        (
            {"start": [3.0, 4.0]},
            "start must not be longer than the parameter_norm 1, got length 5",
        ),
        (
            {"dimension": 3, "decision_set": np.eye(2)},
            "decision_set must have shape (any, 3), got (2, 2)",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        RandomWalk(**{"horizon": 10} | arguments)
    assert str(error.value) == message
