"""Actions on hidden axes: that they are, and what is drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.core.randomness.seeds import generator
from driftwise.theory import assumption_one
from driftwise.worlds import OrthogonalSets


@pytest.mark.parametrize("dimension", [2, 3, 6])
def test_every_action_is_a_multiple_of_an_axis(dimension: int) -> None:
    world = OrthogonalSets(horizon=300, dimension=dimension, n_arms=5)
    axes = world.axes(seed=2)
    assert np.allclose(axes @ axes.T, np.eye(dimension), atol=1e-12)
    which, lengths = generator(2, "which axes"), generator(2, "lengths of actions")
    (chunk,) = world.rounds(seed=2, size=300)
    real = []
    for t in range(300):
        for k in range(5):
            expected = lengths.random() * axes[int(which.random() * dimension)]
            if k < chunk.sizes[t]:
                assert np.array_equal(chunk.actions[t, k], expected)
                real.append(expected)
    finding = assumption_one(np.array(real))
    assert finding.holds
    assert len(finding.directions) == dimension
    assert world.satisfies_assumption_one(seed=2)


def test_it_is_no_bandit_with_arms() -> None:
    world = OrthogonalSets(horizon=3000, n_arms=4)
    (chunk,) = world.rounds(seed=0, size=3000)
    assert world.decision_set is None
    sizes = np.bincount(chunk.sizes, minlength=5)
    assert sizes[:2].tolist() == [0, 0]
    assert (np.abs(sizes[2:] - 1000) < 4 * math.sqrt(3000 * 2 / 9)).all()
    on_coordinates = (chunk.actions[0, 0] != 0.0).sum()
    assert on_coordinates == 3  # an axis of its own, not one of the coordinates


def test_axes_are_uniform_and_belong_to_the_seed() -> None:
    world = OrthogonalSets(horizon=10, dimension=3)
    drawn = np.stack([world.axes(seed) for seed in range(800)])
    # A coordinate of a uniform direction in space has mean 0 and mean square 1/3.
    assert (np.abs(drawn.mean(axis=0)) < 4.5 * math.sqrt(1 / 3 / 800)).all()
    assert (np.abs((drawn**2).mean(axis=0) - 1 / 3) < 4.5 * math.sqrt(4 / 45 / 800)).all()
    assert np.array_equal(world.axes(5), world.axes(5))


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_the_parameter_turns_and_keeps_its_budget(dimension: int) -> None:
    world = OrthogonalSets(horizon=500, dimension=dimension, variation=30.0)
    path = np.concatenate(list(world.path(seed=1, size=77)))
    assert np.allclose(np.linalg.norm(path, axis=1), 1.0, atol=1e-12)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert np.allclose(steps, 30.0 / 499, rtol=1e-9)
    assert world.realised_variation(seed=1).l2 == pytest.approx(30.0, rel=1e-9)
    turn = 2 * math.asin(30.0 / 499 / 2)
    for t in (1, 2, 250, 500):
        parts = [math.sin(turn * t + math.pi * i / dimension) for i in range(dimension)]
        expected = math.sqrt(2 / dimension) * (np.array(parts) @ world.axes(seed=1))
        assert path[t - 1] == pytest.approx(expected, rel=0, abs=1e-12)
    assert world.number_of_changes(seed=1) == 499
    assert OrthogonalSets(horizon=500, variation=0.0).number_of_changes() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimension": 1}, "dimension must be at least 2, got 1"),
        ({"n_arms": 1}, "n_arms must be at least 2, got 1"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
        (
            {"variation": 19.0},
            "variation must be at most 18 for 10 rounds on a circle of radius 1, got 19.0",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        OrthogonalSets(**{"horizon": 10} | arguments)
    assert str(error.value) == message
