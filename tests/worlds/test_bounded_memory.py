"""Reading a world takes the same memory, however long the world is."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.core.seeds import generator
from driftwise.worlds import (
    AbruptCircle,
    AdsAllocation,
    Autoregressive,
    HiddenImprovement,
    LinearWorld,
    LowerBound,
    NearlyCollinear,
    OrthogonalSets,
    Pricing,
    RandomWalk,
    Seasonal,
    Sinusoid,
    SmoothCircle,
    StoppingDrift,
    Switching,
)
from driftwise.worlds.blocks import Offer


class Wandering(LinearWorld):
    """A user's world: fresh actions every round, some of them missing; the parameter walks."""

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        random = generator(seed, "parameters")
        last = np.zeros((1, self.dimension))
        for t in self.round_numbers(size):
            steps = 0.01 * random.standard_normal((len(t), self.dimension))
            walk = np.cumsum(np.concatenate([last, steps]), axis=0)[1:]
            last = walk[-1:]
            yield walk

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        random = generator(seed, "decision sets")
        how_many = generator(seed, "sizes of decision sets")
        for t in self.round_numbers(size):
            actions = random.uniform(-1.0, 1.0, (len(t), self.n_arms, self.dimension))
            yield actions, how_many.integers(1, self.n_arms + 1, len(t))


def _peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _read(world: LinearWorld) -> None:
    for _ in world.rounds(seed=0, size=4096):
        pass


@pytest.mark.parametrize("work", [_read, LinearWorld.realised_variation])
@pytest.mark.parametrize(
    "make",
    [
        lambda horizon: Sinusoid(horizon=horizon),
        lambda horizon: LowerBound(horizon=horizon, dimension=2, variation=horizon / 10),
        lambda horizon: Wandering(horizon=horizon, n_arms=3, dimension=2),
        lambda horizon: Switching(horizon=horizon, n_changes=horizon // 9, times="geometric"),
    ],
    ids=["sinusoid", "lower bound", "a user's own", "switching"],
)
def test_memory_does_not_grow_with_the_horizon(
    make: Callable[[int], LinearWorld], work: Callable[[LinearWorld], object]
) -> None:
    short, long = make(200_000), make(600_000)
    assert _peak(lambda: work(long)) < 1.5 * _peak(lambda: work(short))


@pytest.mark.parametrize(
    "make",
    [
        AbruptCircle,
        AdsAllocation,
        Autoregressive,
        HiddenImprovement,
        NearlyCollinear,
        OrthogonalSets,
        Pricing,
        RandomWalk,
        Seasonal,
        SmoothCircle,
        StoppingDrift,
    ],
)
def test_reading_takes_no_more_memory_in_a_longer_world(make: Any) -> None:
    short, long = make(horizon=9_000), make(horizon=45_000)
    assert _peak(lambda: _read(long)) < 1.5 * _peak(lambda: _read(short))
