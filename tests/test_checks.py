"""Every policy and every world passes the public checks, and the checks can fail."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.card import Card, described
from driftwise.core.compiled import compilable
from driftwise.core.protocols import Choice, Matrix, Vector
from driftwise.registry import all_policies, all_worlds

BASE = dw.SlidingWindowUCB(window=20, noise=0.1)
POLICIES: dict[str, Any] = {
    "SlidingWindowUCB": BASE,
    "BanditOverBandit": dw.BanditOverBandit(BASE, [3, 10, 20], 30, 0.3, 50.0),
    "Exp3": dw.Exp3(mixing=0.2),
    "Exp3S": dw.Exp3S(mixing=0.2, sharing=0.01),
}
WORLDS = {
    "Sinusoid": dw.worlds.Sinusoid(horizon=700, variation=2.0),
    "Stationary": dw.worlds.Stationary(horizon=700, parameter=[0.1, 0.9], rewards="bernoulli"),
    "LowerBound": dw.worlds.LowerBound(horizon=700, dimension=3, variation=2.0),
    "World": dw.worlds.World(
        parameters=np.linspace(0.0, 1.0, 1400).reshape(700, 2),
        decision_sets=[np.full((1 + t % 3, 2), 0.1 * t) for t in range(700)],
        noise=1.0,
    ),
}


def test_nothing_is_missing_here() -> None:
    assert set(POLICIES) == set(all_policies())
    assert set(WORLDS) == set(all_worlds())


@pytest.mark.parametrize("name", POLICIES)
def test_policies(name: str) -> None:
    dw.checks.check_policy(POLICIES[name])


@pytest.mark.parametrize("name", WORLDS)
def test_worlds(name: str) -> None:
    dw.checks.check_world(WORLDS[name])


class Tally(NamedTuple):
    tally: Vector  # (K,)


@described(Card(source="this test", plays="arms"))
@compilable
class Sloppy(NamedTuple):
    """Plays in turn, and breaks the contract in the way it is told to."""

    fault: int

    def _check(self) -> None:
        pass

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Tally:
        return Tally(np.zeros(n_arms))

    def restart(self, memory: Any, luck: int) -> None:
        for k in range(memory.tally.size):
            memory.tally[k] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        if self.fault == 1:
            memory.tally[0] += 1.0
        arm = int(memory.tally[-1]) % actions.shape[0]
        return Choice(arm, 0.0 if self.fault == 2 else 1.0, math.nan)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        memory.tally[-1] += 1.0
        if self.fault == 3:
            memory.tally[0] += math.inf


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (0, None),
        (1, "choose must write nothing"),
        (2, "propensity must be a probability"),
        (3, "a memory must stay finite"),
    ],
)
def test_a_broken_policy_is_found(fault: int, message: str | None) -> None:
    if message is None:
        dw.checks.check_policy(Sloppy(fault))
        return
    with pytest.raises(AssertionError, match=message):
        dw.checks.check_policy(Sloppy(fault))


class Restless(dw.worlds.LinearWorld):
    """Draws its parameters in a way that depends on the chunk."""

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        for t in self.round_numbers(size):
            yield np.random.default_rng(int(t[0])).random((len(t), 2))


def test_a_broken_world_is_found() -> None:
    world = Restless(horizon=600, decision_set=np.eye(2))
    with pytest.raises(AssertionError, match="means must not depend on the size of a chunk"):
        dw.checks.check_world(world)
