"""Worlds on the unit ball: what `test_every_world` asks of worlds whose rewards are arrays."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.checks import check_world
from driftwise.core.contract.rounds import BallRounds
from driftwise.core.contract.rounds import World as AnyWorld
from driftwise.core.contract.unit_ball import UnitBall
from driftwise.core.randomness.seeds import generator
from driftwise.worlds import BallWorld, LowerBoundBall

HORIZON = 2100


class Wandering(BallWorld):
    """A user's world: the parameter walks."""

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        random = generator(seed, "parameters")
        last = np.zeros((1, self.dimension))
        for t in self.round_numbers(size):
            steps = 0.01 * random.standard_normal((len(t), self.dimension))
            last = np.cumsum(np.concatenate([last[-1:], steps]), axis=0)
            yield last[1:]


WORLDS: dict[str, BallWorld] = {
    "lower bound": LowerBoundBall(horizon=HORIZON, dimension=3, variation=20.0),
    "lower bound, on a line": LowerBoundBall(horizon=HORIZON, dimension=1, variation=300.0),
    "a user's own": Wandering(horizon=HORIZON, dimension=2),
}
every_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())


def whole(world: BallWorld, seed: int, size: int) -> tuple[NDArray[np.float64], ...]:
    chunks = list(world.rounds(seed, size))
    assert all(1 <= chunk.count_rounds() <= size for chunk in chunks)
    return (
        np.concatenate([chunk.parameters for chunk in chunks]),
        np.concatenate([chunk.noise for chunk in chunks]),
    )


@every_world
def test_the_public_check_passes(world: BallWorld) -> None:
    check_world(world, rounds=150)


@every_world
def test_the_seed_decides_all_and_the_size_of_a_chunk_nothing(world: BallWorld) -> None:
    parameters, noise = whole(world, 3, HORIZON)
    assert np.array_equal(parameters, np.concatenate(list(world.path(3, 100))))
    assert np.array_equal(noise, world.noise * generator(3, "noise").standard_normal(HORIZON))
    for size in (1, 7, 1000, 10 * HORIZON):
        for wanted, got in zip((parameters, noise), whole(world, 3, size), strict=True):
            assert wanted.tobytes() == got.tobytes()
    again = whole(pickle.loads(pickle.dumps(world)), 3, 500)
    assert again[0].tobytes() == parameters.tobytes()
    assert not np.array_equal(noise, whole(world, 4, 500)[1])


@every_world
def test_the_arrays_belong_to_the_reader(world: BallWorld) -> None:
    wanted = whole(world, 3, 600)
    parameters = []
    for chunk in world.rounds(3, 600):
        parameters.append(chunk.parameters.copy())
        for array in chunk:
            assert array.flags.c_contiguous
            array.fill(99.0)
    assert np.array_equal(np.concatenate(parameters), wanted[0])
    assert np.array_equal(whole(world, 3, 600)[0], wanted[0])


@every_world
def test_a_world_is_what_the_loop_expects_and_has_a_card(world: BallWorld) -> None:
    offered: AnyWorld = world
    assert (offered.horizon, offered.n_arms) == (HORIZON, 1)
    assert offered.decision_set == UnitBall(world.dimension)
    assert "Assumption 1" in world.card.guarantee or type(world) is Wandering
    assert world.satisfies_assumption_one(seed=1) == (world.dimension == 1)


@every_world
def test_rewards_and_losses_are_those_of_the_point(world: BallWorld) -> None:
    rounds = next(world.rounds(seed=6, size=50))
    random = np.random.default_rng(0)
    for t in range(50):
        x = random.standard_normal(world.dimension)
        rounds.offer_of(t)[0] = x / np.linalg.norm(x)
        mean = float(rounds.point[0] @ rounds.parameters[t])
        best = float(np.linalg.norm(rounds.parameters[t]))
        assert rounds.reward_of(t, 0) == pytest.approx(mean + rounds.noise[t], rel=1e-12)
        assert rounds.loss_of(t, 0, 1) == pytest.approx(best - mean, rel=1e-12, abs=1e-15)
        assert rounds.means[t] == pytest.approx([best, -best], rel=1e-12)
        assert np.array_equal(rounds.rewards[t], rounds.means[t] + rounds.noise[t])


@every_world
def test_wrong_seed_or_size_is_refused_at_once(world: BallWorld) -> None:
    with pytest.raises(ValueError, match=r"^size must be at least 1 round, got 0$"):
        world.rounds(seed=0, size=0)
    for ask in (world.realised_variation, world.number_of_changes):
        with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
            ask(seed=-1)


class Restless(Wandering):
    """Draws noise in a way that depends on the chunk."""

    def rounds(self, seed: int, size: int) -> Iterator[BallRounds]:
        for chunk in super().rounds(seed, size):
            yield chunk._replace(noise=np.full(chunk.count_rounds(), float(size)))


class Endless(Wandering):
    """Yields noise that is not a number."""

    def rounds(self, seed: int, size: int) -> Iterator[BallRounds]:
        for chunk in super().rounds(seed, size):
            yield chunk._replace(noise=np.full(chunk.count_rounds(), np.inf))


def test_a_broken_world_is_found() -> None:
    with pytest.raises(AssertionError, match="noise must not depend on the size of a chunk"):
        check_world(Restless(horizon=600, dimension=2))
    with pytest.raises(AssertionError, match="noise must be finite"):
        check_world(Endless(horizon=600, dimension=2))


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="dimension must be at least 1, got 0"):
        Wandering(horizon=10, dimension=0)
    with pytest.raises(ValueError, match="noise must be at least 0, got -1"):
        Wandering(horizon=10, dimension=2, noise=-1.0)
    with pytest.raises(ValueError, match="horizon must be at least 1 round, got 0"):
        Wandering(horizon=0, dimension=2)
