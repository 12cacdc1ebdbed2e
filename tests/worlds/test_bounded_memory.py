"""Reading a world takes the same memory, however long the world is."""

from __future__ import annotations

import inspect
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from driftwise import worlds
from driftwise.worlds import LinearWorld, LowerBound, Sinusoid, Switching
from tests.worlds.wandering import Wandering


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
    work(make(1000))  # what the first use imports is no part of it
    short, long = make(200_000), make(600_000)
    assert _peak(lambda: work(long)) < 1.5 * _peak(lambda: work(short))


def _needs_only_a_horizon(cls: Any) -> bool:
    parameters = inspect.signature(cls).parameters.values()
    return all(each.name == "horizon" or each.default is not each.empty for each in parameters)


LINEAR = [cls for name in worlds.__all__ if issubclass(cls := getattr(worlds, name), LinearWorld)]


@pytest.mark.parametrize(
    "make",
    [
        cls
        for cls in LINEAR
        # The sines that `Sinusoid` keeps outweigh such short worlds; longer ones are read above.
        if not inspect.isabstract(cls) and _needs_only_a_horizon(cls) and cls is not Sinusoid
    ],
)
def test_reading_takes_no_more_memory_in_a_longer_world(make: Any) -> None:
    _read(make(horizon=1000))  # what the first use imports is no part of it
    # Even a third of the short one, in which `StoppingDrift` moves, is longer than a block.
    short, long = make(horizon=15_000), make(horizon=45_000)
    assert _peak(lambda: _read(long)) < 1.5 * _peak(lambda: _read(short))
