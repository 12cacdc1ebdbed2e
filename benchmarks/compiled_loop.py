"""The compiled loop against the C floor, on decision sets that change and on two arms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftwise.core.contract.rounds import Rounds
from driftwise.core.engine.simulate import CHUNK_ROUNDS

from .floor import compiler, floor_on
from .measurement import Measurement, not_measured, of_ratio
from .timing import compare
from .workloads import LUCK, changing_sets, fixed_set, loop, radius_of, window_policy

__all__ = ["SIZES", "measure", "rounds_of"]

# Key, what a reader is told, arms, dimension; two arms are the axes of the plane.
SIZES = (
    ("two_arms", "2 arms, SW-UCB", 2, 2),
    ("d10_k10", "d = 10, K = 10, changing sets, SW-UCB", 10, 10),
    ("d5_k20", "d = 5, K = 20, changing sets, SW-UCB", 20, 5),
)


def rounds_of(key: str, n_arms: int, dimension: int, n_rounds: int) -> Rounds:
    """Return the rounds of one size."""
    if key == "two_arms":
        return fixed_set(n_rounds, np.eye(n_arms))
    return changing_sets(n_rounds, n_arms, dimension)


def measure() -> Iterator[Measurement]:
    """Yield the cost of a round over that of the floor, for each size."""
    policy = window_policy()
    for key, work, n_arms, dimension in SIZES:
        key, work = f"{key}_over_floor", f"compiled loop, {work}, over the C floor"
        if compiler() is None:
            yield not_measured(key, work, "there is no gcc")
            continue
        n_rounds = CHUNK_ROUNDS if n_arms == 2 else 10_000
        rounds = rounds_of(key.removesuffix("_over_floor"), n_arms, dimension, n_rounds)
        radius = radius_of(policy, dimension)
        floor = floor_on(rounds, window=policy.window, radius=radius, luck=LUCK)
        ratio = compare(loop(policy, rounds), floor, seconds=6.0)
        yield of_ratio(key, work, ratio, rounds=n_rounds)
