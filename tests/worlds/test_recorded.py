"""A person's own records as arrays, and all that can be wrong in them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.checks import check_world
from driftwise.worlds import Recorded
from tests.worlds.records import MEANS, REWARDS, SETS


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=12),
    size=st.integers(1, 13),
    has_means=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_records_come_back_as_they_were(
    sizes: list[int], size: int, has_means: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    sets = [random.normal(size=(n, 3)) for n in sizes]
    rewards, means = ([random.normal(size=n) for n in sizes] for _ in range(2))
    world = Recorded(
        decision_sets=sets, rewards=rewards, means=means if has_means else None, noise=1.0
    )
    assert (world.horizon, world.n_arms, world.dimension) == (len(sizes), max(sizes), 3)
    t = 0
    for chunk in world.rounds(seed=seed, size=size):
        for row in range(len(chunk.means)):
            set_row = 0 if len(chunk.actions) == 1 else row
            n = chunk.sizes[set_row]
            assert n == sizes[t]
            assert np.array_equal(chunk.actions[set_row, :n], sets[t])
            assert np.array_equal(chunk.rewards[row, :n], rewards[t])
            assert np.array_equal(chunk.means[row, :n], (means if has_means else rewards)[t])
            assert not chunk.means[row, n:].any()
            t += 1
    assert t == len(sizes)


def test_the_public_check_passes() -> None:
    random = np.random.default_rng(3)
    sizes = random.integers(1, 6, 700)
    check_world(
        Recorded(
            decision_sets=[random.normal(size=(n, 2)) for n in sizes],
            rewards=[random.normal(size=n) for n in sizes],
        )
    )
    check_world(Recorded(decision_sets=np.eye(3), rewards=random.random((700, 3))))


def test_nothing_is_drawn_and_the_arrays_belong_to_the_reader() -> None:
    world = Recorded(decision_sets=SETS, rewards=REWARDS, means=MEANS)
    (one,), (other,) = world.rounds(seed=0, size=9), world.rounds(seed=1, size=9)
    for left, right in zip(one, other, strict=True):
        assert np.array_equal(left, right)
        assert left.flags.c_contiguous
        left.fill(99)
    (again,) = world.rounds(seed=0, size=9)
    assert np.array_equal(again.rewards, other.rewards)
    fixed = Recorded(decision_sets=np.eye(2), rewards=[[0.1, 0.2]])
    for array in next(fixed.rounds(seed=0, size=1)):
        array.fill(99)
    assert next(fixed.rounds(seed=0, size=1)).actions[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_later_edits_change_nothing() -> None:
    sets, rewards = np.stack([np.eye(2)] * 3), np.ones((3, 2))
    world = Recorded(decision_sets=sets, rewards=rewards)
    sets[:], rewards[:] = 7.0, 7.0
    (chunk,) = world.rounds(seed=0, size=3)
    assert chunk.rewards.max() == chunk.actions.max() == 1.0


def test_equal_decision_sets_count_as_fixed() -> None:
    world = Recorded(decision_sets=[np.eye(2)] * 3, rewards=np.ones((3, 2)))
    assert world.decision_set is not None
    assert world.decision_set.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert Recorded(decision_sets=SETS, rewards=REWARDS).decision_set is None


def test_the_noise_is_half_of_a_range_unless_told() -> None:
    assert Recorded(decision_sets=SETS, rewards=REWARDS).noise == pytest.approx(0.35)
    with_means = Recorded(decision_sets=SETS, rewards=REWARDS, means=MEANS)
    assert with_means.noise == pytest.approx(0.15)  # from -0.1 to 0.2
    assert Recorded(decision_sets=SETS, rewards=REWARDS, noise=0.5).noise == 0.5


def test_what_moved_is_measured_on_the_means() -> None:
    rewards = [[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [3.0, 5.0]]
    arms = Recorded(decision_sets=np.eye(2), rewards=np.ones((4, 2)), means=rewards)
    assert arms.realised_variation() == (6.0, 5.0)
    assert arms.number_of_changes() == 2
    skew = Recorded(decision_sets=[[1.0, 1.0], [1.0, 0.0]], rewards=rewards, means=rewards)
    assert math.isnan(skew.realised_variation().l2)  # nothing says that there is a parameter
    assert skew.realised_variation().arms == 5.0
    assert (arms.satisfies_assumption_one(), skew.satisfies_assumption_one()) == (True, False)


def test_without_means_nobody_knows_what_moved() -> None:
    moved = Recorded(decision_sets=np.eye(2), rewards=[[0.0, 1.0], [1.0, 0.0]]).realised_variation()
    assert math.isnan(moved.l2)
    assert moved.arms is None


def test_changes_count_where_two_rounds_can_be_compared() -> None:
    world = Recorded(decision_sets=SETS, rewards=REWARDS, means=MEANS)
    assert world.number_of_changes() == 1  # the last round; the set of the one before it is new
    assert math.isnan(world.realised_variation().l2)
    assert world.realised_variation().arms is None
    assert not world.satisfies_assumption_one()
    for ask in (world.number_of_changes, world.realised_variation):
        with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
            ask(seed=-1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"decision_sets": SETS[:3]},
            "decision_sets must hold one set for each of the 4 rounds of rewards, got 3",
        ),
        (
            {"rewards": [[0.3, 0.6], [0.5, 1.0], *REWARDS[2:]]},
            "rewards[1] must have shape (1), got (2,)",
        ),
        (
            {"rewards": [[0.3, np.nan], *REWARDS[1:]]},
            "rewards[0] must be finite, got nan at index (1,)",
        ),
        ({"means": MEANS[:2]}, "means must hold 4 rounds, as rewards do, got 2"),
        (
            {"decision_sets": np.eye(2), "rewards": np.ones((4, 3))},
            "rewards must have shape (4, 2), got (4, 3)",
        ),
        (
            {"decision_sets": [*SETS[:3], [[1.0]]]},
            "decision_sets[3] must have shape (any, 2), got (1, 1)",
        ),
        ({"noise": -1.0}, "noise must be at least 0, got -1.0"),
    ],
)
def test_wrong_arrays(arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"decision_sets": SETS, "rewards": REWARDS}
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Recorded(**given | arguments)
    assert str(error.value) == message


def test_what_is_no_array_at_all() -> None:
    with pytest.raises(TypeError, match=r"^rewards must be an array of numbers, got float$"):
        Recorded(decision_sets=np.eye(2), rewards=0.5)
