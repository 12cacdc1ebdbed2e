"""A change that whoever plays the best arm does not see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from driftwise.worlds import HiddenImprovement


@pytest.mark.parametrize(("n_arms", "time"), [(2, 5), (4, 2), (3, 10), (2, 99)])
def test_only_the_last_arm_shows_it(n_arms: int, time: int) -> None:
    world = HiddenImprovement(horizon=10, n_arms=n_arms, time=time)
    means = np.concatenate([chunk.means for chunk in world.rounds(seed=0, size=3)])
    for t in range(1, 11):
        last = 0.8 if t >= time else 0.3
        assert means[t - 1].tolist() == [0.5, *[0.3] * (n_arms - 2), last]
    is_late = time > 10
    assert world.number_of_changes() == (0 if is_late else 1)
    assert world.realised_variation() == pytest.approx((0.0, 0.0) if is_late else (0.5, 0.5))


def test_who_plays_the_best_arm_sees_nothing_until_it_is_not_the_best() -> None:
    world = HiddenImprovement(horizon=1000, n_arms=3, noise=0.2)
    assert world.time == 501
    (chunk,) = world.rounds(seed=4, size=1000)
    before, after = chunk.means[:500].argmax(axis=1), chunk.means[500:].argmax(axis=1)
    assert set(before) == {0}
    assert set(after) == {2}
    never = HiddenImprovement(horizon=1000, n_arms=3, noise=0.2, time=5000)
    (calm,) = never.rounds(seed=4, size=1000)
    assert np.array_equal(chunk.rewards[:, :2], calm.rewards[:, :2])
    assert world.satisfies_assumption_one()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_arms": 1}, "n_arms must be at least 2, got 1"),
        ({"time": 1}, "time must be at least 2 rounds, got 1"),
        (
            {"usual": 0.9},
            "poor must be less than usual, and usual less than improved, got 0.3, 0.9 and 0.8",
        ),
        (
            {"improved": 1.5, "rewards": "bernoulli"},
            "expected rewards must be in [0, 1] when rewards are bernoulli, got 1.5 in round 1",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        HiddenImprovement(**{"horizon": 10} | arguments)
    assert str(error.value) == message
