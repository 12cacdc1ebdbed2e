"""One run of each policy with a known outcome, to notice a change that nobody intended.

The numbers are what this very test prints when it fails. They were taken over when the brute-force
versions beside this file agreed with the package. A deliberate change of an algorithm, of a world
or of how luck is spent gives new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from driftwise import BanditOverBandit, Doubling, Exp3, Exp3S, SlidingWindowUCB, simulate
from driftwise.worlds import Sinusoid, World


class Golden(NamedTuple):
    total_regret: float
    first_arms: str  # of the first twenty rounds
    counts: list[int]  # how often each arm was played


def winding(*, is_fixed: bool) -> World:
    """2000 rounds in three dimensions, on six actions or on 1 to 6 fresh ones in each round."""
    random, t = np.random.default_rng(21), np.linspace(0, 8, 2000)
    parameters = np.stack([np.sin(t), np.cos(t), 0.1 * t - 0.4], axis=1)
    sets: Any = random.uniform(-1, 1, (6, 3))
    if not is_fixed:
        sets = [random.uniform(-1, 1, (random.integers(1, 7), 3)) for _ in t]
    return World(parameters=parameters, decision_sets=sets, noise=0.2)


PAPER = Sinusoid(horizon=3000, variation=1.0, noise=0.1)

RUNS: dict[str, tuple[Any, Any, Golden]] = {
    # simulate(policy, PAPER, seed=0), and the arms of the same run
    "SW-UCB, the paper's world": (
        SlidingWindowUCB.tuned(horizon=3000, dimension=2, variation=1.0, noise=0.1),
        PAPER,
        Golden(33.21114516245353, "10011010010101100101", [1764, 1236]),
    ),
    # simulate(policy, winding(is_fixed=True), seed=0)
    "SW-UCB, a fixed decision set": (
        SlidingWindowUCB(80, 0.2, 1.7, 1.5, 0.5, 0.01),
        winding(is_fixed=True),
        Golden(178.33709043729695, "41210101010101051000", [409, 583, 271, 0, 572, 165]),
    ),
    # simulate(policy, winding(is_fixed=False), seed=0)
    "SW-UCB, decision sets that change": (
        SlidingWindowUCB(80, 0.2, 1.7, 1.5, 0.5, 0.01),
        winding(is_fixed=False),
        Golden(33.325406795109515, "14023111000011305101", [814, 495, 296, 208, 119, 68]),
    ),
    # simulate(policy, PAPER, seed=0)
    "BOB": (
        BanditOverBandit.tuned(horizon=3000, dimension=2, noise=0.1),
        PAPER,
        Golden(216.45533936926603, "10011010011010011010", [1638, 1362]),
    ),
    # simulate(policy, PAPER, seed=0)
    "Doubling": (
        Doubling.tuned(dimension=2, noise=0.1),
        PAPER,
        Golden(50.99993641732299, "10011010010101100101", [1715, 1285]),
    ),
    # simulate(policy, PAPER, seed=0)
    "EXP3": (
        Exp3.tuned(horizon=3000, n_arms=2),
        PAPER,
        Golden(517.0905185508706, "00001111110100111010", [2132, 868]),
    ),
    # simulate(policy, PAPER, seed=0)
    "EXP3.S": (
        Exp3S.tuned(horizon=3000, n_arms=2, variation=1.0),
        PAPER,
        Golden(199.23071755043787, "00000111110100111010", [1707, 1293]),
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_nothing_changed(name: str, play_on: Callable[..., Iterator[Any]]) -> None:
    policy, world, golden = RUNS[name]
    run = simulate(policy, world, seed=0)
    (stretch,) = play_on(policy, next(world.rounds(0, world.horizon)), seed=0)
    got = Golden(
        run.total_regret,
        "".join(map(str, stretch.arms[:20])),
        np.bincount(stretch.arms, minlength=world.n_arms).tolist(),
    )
    assert got[1:] == golden[1:], got
    assert got.total_regret == pytest.approx(golden.total_regret, rel=1e-9), got
