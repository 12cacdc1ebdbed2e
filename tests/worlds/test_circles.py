"""The two experiments of Russac et al. on the unit circle, against their code's conventions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import AbruptCircle, SmoothCircle


def test_the_abrupt_parameters_round_by_round() -> None:
    path = np.concatenate(list(AbruptCircle().path(seed=0, size=999)))
    assert path.shape == (6000, 2)
    parameter, breakpoints = [1.0, 0.0], {1001: [-1.0, 0.0], 2001: [0.0, 1.0], 3001: [0.0, -1.0]}
    for t in range(6000):  # from 0, as in the authors' code
        parameter = breakpoints.get(t, parameter)
        assert path[t].tolist() == parameter


def test_the_smooth_parameters_round_by_round() -> None:
    path = np.concatenate(list(SmoothCircle().path(seed=0, size=999)))
    assert path.shape == (6000, 2)
    for t in range(6000):  # from 0, as in the authors' code
        angle = math.pi / 2 * min(t, 3000) / 3000
        assert path[t] == pytest.approx([math.cos(angle), math.sin(angle)], rel=0, abs=1e-14)


@pytest.mark.parametrize("world", [AbruptCircle(n_arms=7), SmoothCircle(n_arms=7)])
def test_arms_are_fresh_uniform_and_not_too_long(world: AbruptCircle | SmoothCircle) -> None:
    random = generator(3, "decision sets")
    chunk = next(world.rounds(seed=3, size=200))
    assert chunk.sizes.tolist() == [7] * 200
    for t in range(200):
        for k in range(7):
            drawn = random.uniform(-1.0, 1.0, 2)
            action = drawn / max(1.0, math.hypot(*drawn))
            assert chunk.actions[t, k] == pytest.approx(action, rel=1e-14)
    other = next(world.rounds(seed=4, size=200))
    assert not np.array_equal(chunk.actions, other.actions)


def test_the_setting_of_the_paper() -> None:
    abrupt, smooth = AbruptCircle(), SmoothCircle()
    for world in (abrupt, smooth):
        assert (world.horizon, world.n_arms, world.dimension, world.noise) == (6000, 50, 2, 1.0)
        assert world.decision_set is None
        assert not world.satisfies_assumption_one()
    assert abrupt.realised_variation().l2 == pytest.approx(4 + math.sqrt(2), rel=1e-12)
    assert abrupt.number_of_changes() == 3
    chord = 2 * math.sin(math.pi / 12_000)
    assert smooth.realised_variation().l2 == pytest.approx(3000 * chord, rel=1e-9)
    assert smooth.number_of_changes() == 3000


def test_other_times_and_other_angles() -> None:
    world = AbruptCircle(horizon=9, times=[3, 4, 5, 7, 20])
    path = np.concatenate(list(world.path(seed=0, size=4)))
    angles = np.degrees(np.arctan2(path[:, 1], path[:, 0])).tolist()
    assert angles == [0.0, 0.0, 180.0, 90.0, -90.0, -90.0, 0.0, 0.0, 0.0]
    turn = SmoothCircle(horizon=4, angle=-math.pi, moving_rounds=2)
    path = np.concatenate(list(turn.path(seed=0, size=3)))
    assert path == pytest.approx(np.array([[1, 0], [0, -1], [-1, 0], [-1, 0]]), abs=1e-12)


@pytest.mark.parametrize(
    ("world", "arguments", "message"),
    [
        (AbruptCircle, {"n_arms": 0}, "n_arms must be at least 1, got 0"),
        (AbruptCircle, {"noise": -1.0}, "noise must be at least 0, got -1.0"),
        (
            AbruptCircle,
            {"times": [9, 3]},
            "times must be rounds from 2 on, each after the one before, got 3 after 9",
        ),
        (SmoothCircle, {"moving_rounds": 0}, "moving_rounds must be at least 1 round, got 0"),
        (SmoothCircle, {"angle": math.inf}, "angle must be a finite number, got inf"),
    ],
)
def test_wrong_arguments(world: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        world(**arguments)
    assert str(error.value) == message
