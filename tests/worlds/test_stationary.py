"""A world that stands still."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from driftwise.worlds import Stationary


def test_every_round_is_the_same() -> None:
    world = Stationary(horizon=10, parameter=[1.0, -2.0], decision_set=[[1.0, 1.0], [3.0, 0.5]])
    means = np.concatenate([chunk.means for chunk in world.rounds(seed=0, size=4)])
    assert means.tolist() == [[-1.0, 2.0]] * 10
    assert world.realised_variation() == (0.0, 0.0)


def test_without_a_decision_set_it_is_a_bandit_with_arms() -> None:
    world = Stationary(horizon=10, parameter=[0.1, 0.2, 0.3])
    assert (world.n_arms, world.dimension) == (3, 3)
    assert np.array_equal(world.decision_set, np.eye(3))  # type: ignore[arg-type]  # not None


def test_later_edits_change_nothing() -> None:
    parameter = np.array([0.1, 0.2])
    world = Stationary(horizon=3, parameter=parameter)
    parameter[:] = 7.0
    (chunk,) = world.rounds(seed=0, size=3)
    assert chunk.means.tolist() == [[0.1, 0.2]] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": -5}, "horizon must be at least 1 round, got -5"),
        ({"parameter": [[0.5]]}, "parameter must have shape (any), got (1, 1)"),
        ({"parameter": [0.5, np.nan]}, "parameter must be finite, got nan at index (1,)"),
        ({"decision_set": [[1.0]]}, "decision_set must have shape (any, 2), got (1, 1)"),
        (
            {"parameter": [0.5, 1.5], "rewards": "bernoulli"},
            "expected rewards must be in [0, 1] when rewards are bernoulli, got 1.5 in round 1",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"horizon": 10, "parameter": [0.5, 0.5]}
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Stationary(**given | arguments)
    assert str(error.value) == message
