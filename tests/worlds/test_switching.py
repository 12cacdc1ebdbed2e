"""Pieces that stand still: where they begin, what they hold, and the standard test problem."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import Switching


def path_of(world: Switching, seed: int) -> NDArray[np.float64]:
    return np.concatenate(list(world.path(seed, 333)))


def changes_of(path: NDArray[np.float64]) -> list[int]:
    """The rounds, from 1, whose parameter differs from the one before."""
    pairs = itertools.pairwise(path.tolist())
    return [t for t, (before, after) in enumerate(pairs, start=2) if before != after]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    times=st.sets(st.integers(2, 45), max_size=12),
    n_parameters=st.integers(2, 4),
    size=st.integers(1, 41),
)
def test_given_times_and_parameters(times: set[int], n_parameters: int, size: int) -> None:
    horizon, parameters = 40, [[float(i), 0.5] for i in range(n_parameters)]
    world = Switching(horizon=horizon, times=sorted(times), parameters=parameters)
    path = np.concatenate(list(world.path(seed=0, size=size)))
    for t in range(1, horizon + 1):
        piece = sum(time <= t for time in times)
        assert path[t - 1].tolist() == parameters[piece % n_parameters]
    assert world.number_of_changes() == sum(time <= horizon for time in times)


@pytest.mark.parametrize(("horizon", "n_changes"), [(1000, 4), (999, 7), (10, 9), (10, 0), (1, 0)])
def test_even_pieces_differ_by_one_round_at_most(horizon: int, n_changes: int) -> None:
    world = Switching(horizon=horizon, n_changes=n_changes)
    edges = [1, *changes_of(path_of(world, seed=1)), horizon + 1]
    pieces = [after - before for before, after in itertools.pairwise(edges)]
    assert len(pieces) == n_changes + 1
    assert max(pieces) - min(pieces) <= 1


def test_random_times_are_a_uniform_set() -> None:
    world = Switching(horizon=11, n_changes=3, times="random")
    n, counts = 1500, np.zeros(12)
    for seed in range(n):
        times = changes_of(path_of(world, seed))
        assert len(times) == 3
        counts[times] += 1
    assert counts[:2].sum() == 0
    margin = 4 * math.sqrt(n * 0.3 * 0.7)
    assert (np.abs(counts[2:] - 0.3 * n) < margin).all()


def test_geometric_times_come_with_the_same_chance_in_every_round() -> None:
    horizon, n_changes = 40_001, 2000
    world = Switching(horizon=horizon, n_changes=n_changes, times="geometric")
    times = changes_of(path_of(world, seed=3))
    chance = n_changes / (horizon - 1)
    assert abs(len(times) - n_changes) < 4 * math.sqrt(n_changes)
    lengths = np.diff(times)
    assert abs(lengths.mean() - 1 / chance) < 4 / chance / math.sqrt(len(lengths))
    # A geometric length has the deviation sqrt(1 - p) / p.
    assert lengths.std() == pytest.approx(math.sqrt(1 - chance) / chance, rel=0.1)
    assert Switching(horizon=50, n_changes=49, times="geometric").number_of_changes() == 49
    assert Switching(horizon=50, n_changes=0, times="geometric").number_of_changes() == 0


def test_drawn_parameters_are_uniform_and_not_too_long() -> None:
    world = Switching(horizon=400, n_changes=399, dimension=3)
    random = generator(7, "parameters")
    for parameter in path_of(world, seed=7):
        drawn = random.random(3)
        assert parameter == pytest.approx(drawn / max(1.0, math.hypot(*drawn)), rel=1e-12)


def test_times_and_parameters_have_streams_of_their_own() -> None:
    even = Switching(horizon=600, n_changes=9)
    by_chance = Switching(horizon=600, n_changes=9, times="random")
    one, other = path_of(even, seed=4), path_of(by_chance, seed=4)
    assert changes_of(one) != changes_of(other)
    pieces, same_pieces = (
        [path[time - 1].tolist() for time in [1, *changes_of(path)]] for path in (one, other)
    )
    assert pieces == same_pieces
    assert changes_of(path_of(by_chance, seed=5)) != changes_of(other)


def test_the_problem_of_garivier_and_moulines() -> None:
    world = Switching.garivier_moulines()
    assert (world.horizon, world.n_arms, world.rewards) == (10_000, 3, "bernoulli")
    means = np.concatenate([chunk.means for chunk in world.rounds(seed=0, size=4096)])
    for t in range(1, 10_001):
        third = 0.9 if 3000 < t <= 5000 else 0.4
        assert means[t - 1].tolist() == [0.5, 0.3, third]
    assert Switching.garivier_moulines(horizon=200).times == (61, 101)


def test_what_is_left_out_has_a_default() -> None:
    world = Switching(horizon=100)
    assert (world.dimension, world.n_changes, world.times) == (2, 4, "even")
    assert world.satisfies_assumption_one()
    assert Switching(horizon=3).n_changes == 2
    skew = Switching(horizon=100, decision_set=[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    assert skew.dimension == 3
    assert not skew.satisfies_assumption_one()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"times": "now and then"},
            "times must be one of even, random, geometric, got 'now and then'",
        ),
        (
            {"times": [5, 5]},
            "times must be rounds from 2 on, each after the one before, got 5 after 5",
        ),
        ({"times": [1]}, "times must be rounds from 2 on, each after the one before, got 1"),
        (
            {"times": [5], "n_changes": 1},
            "n_changes must be left out when times are given, got 1",
        ),
        ({"n_changes": -1}, "n_changes must be at least 0, got -1"),
        (
            {"n_changes": 10},
            "n_changes must be less than the 10 rounds of the horizon, got 10",
        ),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
        (
            {"dimension": 3, "parameters": [[0.5, 0.5]]},
            "parameters must have shape (any, 3), got (1, 2)",
        ),
        (
            {"parameters": [[0.5, 0.5]], "decision_set": [[1.0]]},
            "decision_set must have shape (any, 2), got (1, 1)",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Switching(**{"horizon": 10} | arguments)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (5, "times must be a sequence of rounds, got 5"),
        ([3, 4.5], "times[1] must be an integer, got 4.5"),
    ],
)
def test_times_that_are_no_rounds(times: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        Switching(horizon=10, times=times)
    assert str(error.value) == message


def test_later_edits_change_nothing() -> None:
    parameters = np.array([[0.1, 0.2], [0.3, 0.4]])
    world = Switching(horizon=4, times=[3], parameters=parameters)
    parameters[:] = 7.0
    assert path_of(world, seed=0).tolist() == [[0.1, 0.2]] * 2 + [[0.3, 0.4]] * 2
