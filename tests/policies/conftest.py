"""The package's own loop, made to tell which arm it played in every round; late rewards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.core.contract.rounds import Rounds
from driftwise.core.engine.simulate import play
from driftwise.core.engine.starting import started
from driftwise.core.randomness.seeds import luck_of


class Stretch(NamedTuple):
    arms: NDArray[np.int64]  # what was played in these rounds
    memory: Any  # of the policy, after them


@pytest.fixture(scope="session")
def play_on() -> Callable[..., Iterator[Stretch]]:
    """Give a function that plays a policy on rounds, ``size`` at a time."""
    return _play_on


@pytest.fixture(scope="session")
def arrivals() -> Callable[[int], list[list[int]]]:
    """Give a function that says, for each round, which rewards come after its choice."""
    return _arrivals


def _play_on(
    policy: Any,
    rounds: Rounds,
    *,
    seed: int,
    size: int | None = None,
    is_compiled: bool = True,
) -> Iterator[Stretch]:
    horizon, n_arms = rounds.rewards.shape
    is_fixed = len(rounds.actions) == 1
    fixed = rounds.actions[0] if is_fixed else None
    memory = started(policy, n_arms, rounds.actions.shape[2], fixed)
    size = size or horizon
    for first in range(0, horizon, size):
        last = min(first + size, horizon)
        here = slice(None) if is_fixed else slice(first, last)
        # The loop reports regret, and policies never see the means: with means 0, -1, -2, ... the
        # regret of a round is the arm that was played.
        means = np.tile(-np.arange(float(n_arms)), (last - first, 1))
        part = Rounds(rounds.actions[here], rounds.sizes[here], means, rounds.rewards[first:last])
        regret = np.zeros(last - first)
        marks = np.arange(first + 1, last + 1)
        rest = marks, regret, np.zeros(2)
        play(policy, memory, part, luck_of(seed), first, *rest, is_interpreted=not is_compiled)
        yield Stretch(np.diff(regret, prepend=0.0).astype(np.int64), memory)


def _arrivals(horizon: int) -> list[list[int]]:
    random, waiting, schedule = np.random.default_rng(5), list[int](), list[list[int]]()
    for t in range(horizon):
        waiting.append(t)
        come = []
        while waiting and random.random() < 0.55:  # late, and out of order
            come.append(waiting.pop(int(random.integers(len(waiting)))))
        schedule.append(come)
    return schedule
