"""What holds for every world: numbers that depend on the seed alone, and a form that is promised."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.checks import check_world
from driftwise.core.base.card import Card
from driftwise.core.contract.rounds import Rounds
from driftwise.core.contract.rounds import World as AnyWorld
from driftwise.core.randomness.seeds import generator
from driftwise.theory import assumption_one
from driftwise.worlds import (
    AbruptCircle,
    AdsAllocation,
    Autoregressive,
    CommonSeason,
    FreshSets,
    HiddenImprovement,
    LinearWorld,
    LowerBound,
    NearlyCollinear,
    OrthogonalSets,
    PostedPrices,
    Pricing,
    RandomWalk,
    Seasonal,
    Sinusoid,
    Slate,
    SmoothCircle,
    Stationary,
    StoppingDrift,
    Switching,
    World,
)
from tests.worlds.wandering import Wandering

HORIZON = 2100  # more than one page of sines
_random = np.random.default_rng(20190416)


def _ragged(dimension: int) -> list[NDArray[np.float64]]:
    return [_random.random((2 + t % 3, dimension)) / dimension for t in range(HORIZON)]


WORLDS: dict[str, LinearWorld] = {
    "sinusoid": Sinusoid(horizon=HORIZON, variation=2.5),
    "sinusoid, bernoulli": Sinusoid(horizon=HORIZON, rewards="bernoulli", factor=5 / 3),
    "stationary": Stationary(horizon=HORIZON, parameter=[0.1, 0.7, -0.4]),
    "stationary, features": Stationary(
        horizon=HORIZON, parameter=_random.normal(size=7), decision_set=_random.normal(size=(5, 7))
    ),
    "stationary, bernoulli": Stationary(horizon=HORIZON, parameter=[0.4], rewards="bernoulli"),
    "lower bound": LowerBound(horizon=HORIZON, dimension=3, variation=20.0),
    "lower bound, one arm pair": LowerBound(horizon=HORIZON, dimension=1, variation=300.0),
    "arrays, fixed": World(
        parameters=_random.normal(size=(HORIZON, 6)), decision_sets=_random.normal(size=(9, 6))
    ),
    "arrays, changing": World(
        parameters=_random.normal(size=(HORIZON, 3)),
        decision_sets=_random.normal(size=(HORIZON, 4, 3)),
    ),
    "arrays, ragged": World(
        parameters=_random.normal(size=(HORIZON, 3)), decision_sets=_ragged(3), noise=2.0
    ),
    "arrays, ragged, bernoulli": World(
        parameters=_random.random((HORIZON, 3)), decision_sets=_ragged(3), rewards="bernoulli"
    ),
    "a user's own": Wandering(horizon=HORIZON, n_arms=5, dimension=2),
    "abrupt circle": AbruptCircle(horizon=HORIZON, n_arms=20),
    "smooth circle": SmoothCircle(horizon=HORIZON, n_arms=5, moving_rounds=900),
    "switching, even": Switching(horizon=HORIZON, n_changes=7, dimension=3),
    "switching, random": Switching(horizon=HORIZON, n_changes=60, times="random"),
    "switching, geometric": Switching(
        horizon=HORIZON, n_changes=90, times="geometric", dimension=3, rewards="bernoulli"
    ),
    "garivier moulines": Switching.garivier_moulines(horizon=HORIZON),
    "random walk": RandomWalk(horizon=HORIZON, step=0.05),
    "random walk, wild": RandomWalk(
        horizon=HORIZON, step=3.0, decision_set=_random.normal(size=(4, 3))
    ),
    "autoregressive": Autoregressive(horizon=HORIZON, persistence=0.9, centre=[0.5, 0.2, 0.1]),
    "seasonal": Seasonal(horizon=HORIZON, period=600, dimension=4, rewards="bernoulli"),
    "stopping drift": StoppingDrift(horizon=HORIZON, variation=4.0, moving=0.41),
    "hidden improvement": HiddenImprovement(horizon=HORIZON, n_arms=3, rewards="bernoulli"),
    "orthogonal sets": OrthogonalSets(horizon=HORIZON, dimension=4, n_arms=6),
    "nearly collinear": NearlyCollinear(horizon=HORIZON, second_phase=300),
    "fresh sets, scaled": FreshSets(horizon=HORIZON, dimension=2, scales=[1e3, 1e-3]),
    "common season": CommonSeason(horizon=HORIZON, period=300),
    "posted prices": PostedPrices(horizon=HORIZON, prices=[1.0, 2.0, 3.0], middle=2.0, swing=1.0),
    "slate": Slate(horizon=HORIZON, n_arms=3, ads_per_place=2, lifetime=20.0, highest=0.9),
    "pricing": Pricing(horizon=HORIZON),
    "keskin zeevi": Pricing.keskin_zeevi(horizon=HORIZON, prices=[0.2, 0.5, 0.7]),
    "ads allocation": AdsAllocation(horizon=HORIZON, n_arms=6, lifetime=20.0, filled=0.4),
}

every_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())


def whole(world: LinearWorld, seed: int, size: int) -> Rounds:
    """All rounds as one chunk, with the decision set written out for every round."""
    chunks = list(world.rounds(seed, size))
    for chunk in chunks:
        assert 1 <= len(chunk.means) <= size
    sets = [np.broadcast_to(c.actions, (len(c.means), *c.actions.shape[1:])) for c in chunks]
    sizes = [np.broadcast_to(c.sizes, len(c.means)) for c in chunks]
    return Rounds(
        np.concatenate(sets),
        np.concatenate(sizes),
        np.concatenate([c.means for c in chunks]),
        np.concatenate([c.rewards for c in chunks]),
    )


def assert_same(one: Rounds, other: Rounds) -> None:
    for left, right in zip(one, other, strict=True):
        assert left.tobytes() == right.tobytes()


@every_world
def test_numbers_do_not_depend_on_the_chunk_size(world: LinearWorld) -> None:
    reference = whole(world, seed=3, size=HORIZON)
    assert reference.means.shape == (HORIZON, world.n_arms)
    for size in (1, 7, 1000, 2048, 10 * HORIZON):
        assert_same(whole(world, seed=3, size=size), reference)


@every_world
def test_the_seed_decides_all(world: LinearWorld) -> None:
    first = whole(world, seed=3, size=500)
    assert_same(first, whole(world, seed=3, size=500))
    assert_same(first, whole(pickle.loads(pickle.dumps(world)), seed=3, size=500))
    assert not np.array_equal(first.rewards, whole(world, seed=4, size=500).rewards)


@every_world
def test_two_readers_do_not_disturb_each_other(world: LinearWorld) -> None:
    alone = whole(world, seed=3, size=600)
    one, other = world.rounds(3, 600), world.rounds(3, 250)
    means, rewards = [], []
    for chunk in one:
        next(other, None)
        means.append(chunk.means.copy())
        rewards.append(chunk.rewards.copy())
        for array in chunk:  # the arrays belong to the reader, who may even spoil them
            array.fill(99)
    assert np.array_equal(np.concatenate(means), alone.means)
    assert np.array_equal(np.concatenate(rewards), alone.rewards)
    assert_same(whole(world, seed=3, size=600), alone)


@every_world
def test_means_are_inner_products_behind_their_link(world: LinearWorld) -> None:
    seed = 5
    parameters = np.concatenate(list(world.path(seed, 100)))
    rounds = whole(world, seed, size=100)
    for t in range(0, HORIZON, 83):
        for k in range(rounds.sizes[t]):
            expected = 0.0
            for i in range(world.dimension):
                expected += rounds.actions[t, k, i] * parameters[t, i]
            expected = float(world.link(np.array([expected]))[0])
            assert rounds.means[t, k] == pytest.approx(expected, rel=1e-12, abs=1e-14)


@every_world
def test_chunks_have_the_promised_form(world: LinearWorld) -> None:
    for chunk in world.rounds(seed=1, size=999):
        n_sets = 1 if world.decision_set is not None else len(chunk.means)
        assert chunk.actions.shape == (n_sets, world.n_arms, world.dimension)
        assert chunk.sizes.shape == (n_sets,)
        assert chunk.rewards.shape == chunk.means.shape
        assert [array.dtype for array in chunk] == [np.float64, np.int64, np.float64, np.float64]
        assert all(array.flags.c_contiguous and array.flags.writeable for array in chunk)
        assert all(np.isfinite(array).all() for array in chunk)
        if world.decision_set is not None:
            assert np.array_equal(chunk.actions[0], world.decision_set)
            assert chunk.sizes.tolist() == [world.n_arms]
        padding = np.arange(world.n_arms) >= np.broadcast_to(chunk.sizes, len(chunk.means))[:, None]
        assert (chunk.means[padding] == 0.0).all()


@every_world
def test_noise_comes_from_its_own_stream_and_is_shared_by_the_arms(world: LinearWorld) -> None:
    rounds = whole(world, seed=8, size=100)
    random = generator(8, "noise")
    if world.rewards == "bernoulli":
        prices = world.prices if isinstance(world, PostedPrices) else np.ones(world.n_arms)
        expected = prices * (random.random(HORIZON)[:, None] * prices < rounds.means)
    else:
        scales = world.demand_noise * np.array(world.prices) if isinstance(world, Pricing) else None
        deviations = world.noise if scales is None else scales
        expected = rounds.means + deviations * random.standard_normal(HORIZON)[:, None]
    assert np.array_equal(rounds.rewards, expected)


@every_world
def test_a_world_is_what_the_loop_expects_and_has_a_card(world: LinearWorld) -> None:
    offered: AnyWorld = world
    assert offered.horizon == HORIZON
    assert isinstance(world.card, Card)
    assert "Assumption 1" in world.card.guarantee or type(world) is Wandering
    assert repr(world).startswith(f"<{type(world).__name__}: horizon={HORIZON}, n_arms=")


@every_world
def test_the_public_check_passes(world: LinearWorld) -> None:
    check_world(world, rounds=150)


@every_world
def test_moves_are_measured_on_the_path(world: LinearWorld) -> None:
    l2, changes = 0.0, 0
    path = np.concatenate(list(world.path(seed=2, size=1000)))
    for before, after in itertools.pairwise(path.tolist()):
        l2 += math.dist(before, after)
        changes += before != after
    assert world.number_of_changes(seed=2) == changes
    assert world.realised_variation(seed=2).l2 == pytest.approx(l2, rel=1e-9, abs=1e-12)
    if world.decision_set is not None:
        means = np.concatenate([chunk.means for chunk in world.rounds(seed=2, size=1000)])
        moves = np.abs(np.diff(means, axis=0)).max(axis=1).sum()
        assert world.realised_variation(seed=2).arms == pytest.approx(moves, rel=1e-9, abs=1e-12)


@every_world
def test_assumption_one_is_looked_up_in_the_actions(world: LinearWorld) -> None:
    rounds = whole(world, seed=6, size=500)
    actions = [sets[:size] for sets, size in zip(rounds.actions, rounds.sizes, strict=True)]
    holds = assumption_one(np.concatenate(actions)).holds
    assert world.satisfies_assumption_one(seed=6) == holds
    card = world.card.guarantee
    if card.startswith("Assumption 1 fails"):
        assert not holds
    if card.startswith(("Assumption 1 holds:", "Assumption 1 holds,")):
        assert holds


@every_world
def test_wrong_seed_or_size_is_refused_at_once(world: LinearWorld) -> None:
    with pytest.raises(ValueError, match=r"^size must be at least 1 round, got 0$"):
        world.rounds(seed=0, size=0)
    with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
        world.rounds(seed=-1, size=1)
    with pytest.raises(TypeError, match=r"^size must be an integer, got 2.5$"):
        world.rounds(seed=0, size=2.5)  # type: ignore[arg-type]  # the mistake under test
    for ask in (world.realised_variation, world.number_of_changes):
        with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
            ask(seed=-1)
