"""The hard instance of Theorem 1: its blocks, its signs, its budget, and its corners."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.core.randomness.seeds import generator
from driftwise.theory.hard_instance import hard_instance
from driftwise.worlds import LowerBound, LowerBoundBall


def path_of(world: LowerBound | LowerBoundBall, seed: int) -> NDArray[np.float64]:
    return np.concatenate(list(world.path(seed, 333)))


@pytest.mark.parametrize(
    ("horizon", "dimension", "variation"),
    [(10_000, 2, 20.0), (5_001, 3, 7.0), (400, 1, 100.0), (600, 4, 0.01)],
)
def test_a_block_is_one_draw_of_signs(horizon: int, dimension: int, variation: float) -> None:
    world = LowerBound(horizon=horizon, dimension=dimension, variation=variation)
    instance = hard_instance(horizon=horizon, dimension=dimension, variation=variation)
    length = world.block_length
    assert length == min(horizon, math.ceil((dimension * horizon / variation) ** (2 / 3) - 1e-9))
    size = math.sqrt(dimension / (4 * length))
    path = path_of(world, seed=2)
    random = generator(2, "parameters")
    for block in range(instance.n_blocks):
        rows = path[block * length : (block + 1) * length]
        signs = [-1.0 if number < 0.5 else 1.0 for number in random.random(dimension)]
        assert np.allclose(rows, size * np.array(signs), rtol=1e-12, atol=0)
        assert (rows == rows[0]).all()


def test_signs_are_fair_and_independent() -> None:
    world = LowerBound(horizon=20_000, dimension=2, variation=4000.0)
    blocks = np.sign(path_of(world, seed=5)[:: world.block_length])
    n = len(blocks)
    assert n == 4000
    margin = 4 / math.sqrt(n)
    assert (np.abs(blocks.mean(axis=0)) < margin).all()
    assert abs((blocks[:, 0] * blocks[:, 1]).mean()) < margin
    assert (np.abs((blocks[1:] * blocks[:-1]).mean(axis=0)) < margin).all()


def test_another_seed_has_another_path() -> None:
    world = LowerBound(horizon=2_000, dimension=3, variation=20.0)
    assert not np.array_equal(path_of(world, seed=0), path_of(world, seed=1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("dimension", "variation"), [(1, 400.0), (2, 3.0), (3, 60.0), (5, 0.5)])
def test_the_budget_is_kept(dimension: int, variation: float, seed: int) -> None:
    world = LowerBound(horizon=4_000, dimension=dimension, variation=variation)
    instance = hard_instance(horizon=4_000, dimension=dimension, variation=variation)
    measured = world.realised_variation(seed).l2
    assert measured <= min(variation, instance.largest_variation) + 1e-9
    if instance.n_blocks > 20:
        assert measured > 0.3 * instance.largest_variation  # and not by standing still


@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
def test_the_best_corner_is_the_best_of_the_ball(dimension: int) -> None:
    world = LowerBound(horizon=3_000, dimension=dimension, variation=30.0)
    corners = world.decision_set
    assert corners is not None
    wanted = set(itertools.product([-1.0, 1.0], repeat=dimension))
    assert {tuple(row) for row in np.sign(corners)} == wanted
    assert corners.shape == (2**dimension, dimension)
    assert np.allclose(np.linalg.norm(corners, axis=1), 1.0)
    for chunk, parameters in zip(world.rounds(3, 500), world.path(3, 500), strict=True):
        best = chunk.means.argmax(axis=1)
        lengths = np.linalg.norm(parameters, axis=1)  # the largest <x, theta> over |x| <= 1
        assert np.allclose(chunk.means.max(axis=1), lengths, rtol=1e-12)
        assert np.allclose(corners[best], parameters / lengths[:, None], rtol=1e-12)
        assert (lengths <= 1.0 + 1e-12).all()


def test_noise_is_that_of_the_proof_unless_told() -> None:
    assert LowerBound(horizon=100, dimension=2, variation=1.0).noise == 1.0
    assert LowerBound(horizon=100, dimension=2, variation=1.0, noise=0.25).noise == 0.25
    assert repr(LowerBound(horizon=100, dimension=2, variation=1.0)) == (
        "<LowerBound: horizon=100, n_arms=4, dimension=2, noise=1.0, rewards='gaussian', "
        "variation=1.0>"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"dimension": 13},
            "dimension must be at most 12, as the decision set has 2**dimension corners, got 13",
        ),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
        ({"noise": -1.0}, "noise must be at least 0, got -1.0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        LowerBound(**{"horizon": 1_000, "dimension": 2, "variation": 5.0} | arguments)
    assert str(error.value) == message


def test_the_largest_dimension_works() -> None:
    world = LowerBound(horizon=1_000, dimension=12, variation=5.0)
    assert world.n_arms == 4096
    chunk = next(world.rounds(seed=0, size=3))
    assert chunk.means.shape == (3, 4096)


@pytest.mark.parametrize(("dimension", "variation"), [(1, 400.0), (2, 3.0), (3, 60.0), (5, 0.5)])
def test_the_ball_has_the_parameters_and_the_noise_of_the_corners(
    dimension: int, variation: float
) -> None:
    facts: dict[str, Any] = {"horizon": 4_000, "dimension": dimension, "variation": variation}
    corners, ball = LowerBound(**facts), LowerBoundBall(**facts)
    assert ball.block_length == corners.block_length
    assert ball.noise == corners.noise == 1.0
    assert np.array_equal(path_of(ball, seed=3), path_of(corners, seed=3))
    for one, other in zip(ball.rounds(3, 700), corners.rounds(3, 700), strict=True):
        assert np.array_equal(other.rewards, other.means + one.noise[:, None])
        assert one.means[:, 0] == pytest.approx(other.means.max(axis=1), rel=1e-12)
        assert one.means[:, 0] == pytest.approx(ball.parameter_norm, rel=1e-12)


@pytest.mark.parametrize("dimension", [1, 2, 40])
def test_what_the_world_on_the_ball_tells_about_itself(dimension: int) -> None:
    world = LowerBoundBall(horizon=4_000, dimension=dimension, variation=9.0)
    instance = hard_instance(horizon=4_000, dimension=dimension, variation=9.0)
    moved = world.realised_variation(seed=1)
    assert (
        moved.arms
        == moved.l2
        == pytest.approx(
            np.linalg.norm(np.diff(path_of(world, seed=1), axis=0), axis=1).sum(), rel=1e-12
        )
    )
    assert 0.0 < moved.l2 <= min(9.0, instance.largest_variation) + 1e-9
    blocks = path_of(world, seed=1)[:: world.block_length]
    assert world.number_of_changes(seed=1) == (np.diff(blocks, axis=0) != 0.0).any(axis=1).sum()
    assert world.satisfies_assumption_one() == (dimension == 1)
    assert world.parameter_norm == pytest.approx(dimension / (2 * math.sqrt(world.block_length)))
    assert repr(world) == (
        f"<LowerBoundBall: horizon=4000, dimension={dimension}, noise=1.0, variation=9.0>"
    )
