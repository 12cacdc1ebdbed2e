"""A world made of a person's own arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.worlds import World

PARAMETERS = np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=15),
    size=st.integers(1, 16),
    seed=st.integers(0, 1000),
)
def test_ragged_decision_sets_come_back_as_they_were(
    sizes: list[int], size: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    parameters = random.normal(size=(len(sizes), 3))
    sets = [random.normal(size=(n, 3)) for n in sizes]
    world = World(parameters=parameters, decision_sets=sets)
    assert world.n_arms == max(sizes)
    t = 0
    for chunk in world.rounds(seed=0, size=size):
        for row, means in enumerate(chunk.means):
            set_row = 0 if len(chunk.actions) == 1 else row
            n = chunk.sizes[set_row]
            assert n == sizes[t]
            assert np.array_equal(chunk.actions[set_row, :n], sets[t])
            assert (chunk.actions[set_row, n:] == 0.0).all()
            assert np.allclose(means[:n], sets[t] @ parameters[t], rtol=0, atol=1e-12)
            t += 1
    assert t == len(sizes)


@pytest.mark.parametrize(
    "decision_sets",
    [
        np.eye(2),
        [[1.0, 0.0], [0.0, 1.0]],
        np.stack([np.eye(2)] * 3),
        [np.eye(2)] * 3,
        (np.eye(2).tolist(),) * 3,
    ],
    ids=["array", "lists", "one array, all equal", "sequence, all equal", "nested, all equal"],
)
def test_equal_decision_sets_count_as_fixed(decision_sets: Any) -> None:
    world = World(parameters=PARAMETERS, decision_sets=decision_sets)
    assert world.decision_set is not None
    assert world.decision_set.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    (chunk,) = world.rounds(seed=0, size=10)
    assert chunk.actions.shape == (1, 2, 2)
    assert np.array_equal(chunk.means, PARAMETERS)


def test_fixed_and_written_out_have_the_same_numbers() -> None:
    random = np.random.default_rng(2)
    parameters, decision_set = random.normal(size=(40, 3)), random.normal(size=(4, 3))
    written_out = np.stack([decision_set] * 40)
    written_out[-1, 0, 0] += 1.0  # not equal any more, so nothing is taken for fixed
    fixed = World(parameters=parameters, decision_sets=decision_set)
    changing = World(parameters=parameters, decision_sets=written_out)
    assert changing.decision_set is None
    (one,), (other,) = fixed.rounds(seed=0, size=40), changing.rounds(seed=0, size=40)
    assert np.array_equal(one.means[:-1], other.means[:-1])
    assert np.array_equal(one.rewards[:-1], other.rewards[:-1])


def test_a_change_in_the_middle_is_noticed() -> None:
    sets = np.stack([np.eye(2), 2 * np.eye(2), np.eye(2)])
    assert World(parameters=PARAMETERS, decision_sets=sets).decision_set is None


@pytest.mark.parametrize("is_ragged", [False, True])
def test_later_edits_change_nothing(is_ragged: bool) -> None:
    parameters = PARAMETERS.copy()
    sets = [np.eye(2), 2 * np.eye(2), np.ones((1, 2)) if is_ragged else 3 * np.eye(2)]
    given: Any = sets if is_ragged else np.stack(sets)
    world = World(parameters=parameters, decision_sets=given)
    (before,) = world.rounds(seed=0, size=3)
    parameters[:] = 77.0
    for one in given:
        one[:] = 77.0
    (after,) = world.rounds(seed=0, size=3)
    for left, right in zip(before, after, strict=True):
        assert np.array_equal(left, right)


def test_an_object_array_is_read_as_a_sequence() -> None:
    sets = np.empty(3, dtype=object)
    sets[:] = [np.eye(2), np.ones((1, 2)), np.eye(2)]
    (chunk,) = World(parameters=PARAMETERS, decision_sets=sets).rounds(seed=0, size=3)
    assert chunk.sizes.tolist() == [2, 1, 2]


_NAN = np.stack([np.eye(2)] * 3)
_NAN[1, 0, 1] = np.nan


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"parameters": [[0.0, 1.0], [0.0, np.inf], [0.0, 1.0]]},
            "parameters must be finite, got inf at index (1, 1)",
        ),
        ({"parameters": [0.5, 0.5]}, "parameters must have shape (any, any), got (2,)"),
        ({"parameters": np.ones((0, 2))}, "parameters must not be empty, got shape (0, 2)"),
        ({"decision_sets": _NAN}, "decision_sets must be finite, got nan at index (1, 0, 1)"),
        ({"decision_sets": np.eye(3)}, "decision_sets must have shape (any, 2), got (3, 3)"),
        (
            {"decision_sets": np.ones((3, 2, 4))},
            "decision_sets must have shape (any, any, 2), got (3, 2, 4)",
        ),
        ({"decision_sets": []}, "decision_sets must have shape (any, 2), got (0,)"),
        (
            {"decision_sets": np.ones((3, 0, 2))},
            "decision_sets must not be empty, got shape (3, 0, 2)",
        ),
        (
            {"decision_sets": np.ones((4, 2, 2))},
            "decision_sets must hold one set for each of the 3 rounds of parameters, got 4",
        ),
        (
            {"decision_sets": [np.eye(2), np.ones((1, 2))]},
            "decision_sets must hold one set for each of the 3 rounds of parameters, got 2",
        ),
        (
            {"decision_sets": [np.eye(2), np.ones((0, 2)), np.eye(2)]},
            "decision_sets[1] must not be empty, got shape (0, 2)",
        ),
        (
            {"decision_sets": [np.eye(2), np.eye(2), np.eye(3)]},
            "decision_sets[2] must have shape (any, 2), got (3, 3)",
        ),
        (
            {"decision_sets": [np.eye(2), [[np.nan, 0.0]], np.eye(2)]},
            "decision_sets[1] must be finite, got nan at index (0, 0)",
        ),
        (
            {"rewards": "bernoulli", "parameters": [[0.5, 0.5], [0.5, 0.5], [0.5, -0.25]]},
            "expected rewards must be in [0, 1] when rewards are bernoulli, got -0.25 in round 3",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        World(**{"parameters": PARAMETERS, "decision_sets": np.eye(2)} | arguments)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("decision_sets", "message"),
    [
        ("actions", "decision_sets must be an array of numbers, got 'actions'"),
        (
            [np.eye(2), [[1.0, 0.0], [1.0]], np.eye(2)],
            "decision_sets[1] must be an array of numbers, got [[1.0, 0.0], [1.0]]",
        ),
    ],
)
def test_what_is_no_array_at_all(decision_sets: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        World(parameters=PARAMETERS, decision_sets=decision_sets)
    assert str(error.value) == message


def test_bernoulli_ignores_the_padding() -> None:
    world = World(
        parameters=PARAMETERS,
        decision_sets=[np.eye(2), np.ones((1, 2)), np.eye(2)],
        rewards="bernoulli",
    )
    (chunk,) = world.rounds(seed=0, size=3)
    assert chunk.rewards[1].tolist() == [1.0, 0.0]
