"""Every policy and every world passes the public checks, and the checks can fail."""

import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.base.card import Card, described
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice
from driftwise.registry import all_policies, all_worlds
from tests.making import made, marks_of

# The compiler takes many seconds for the agents of each.
THOROUGHLY = ("Exp3S",)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=marks_of(name)) for name in all_policies()],
)
def test_policies(name: str) -> None:
    policy = made(all_policies()[name].tuned)
    dw.checks.check_policy(policy, is_thorough=name in THOROUGHLY)


def test_whoever_waits_sees_how_far_a_check_has_come(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("driftwise.core.base.waiting.is_watched", lambda: True)
    monkeypatch.setattr("driftwise.core.base.waiting._PATIENCE", 0.0)
    monkeypatch.setattr("driftwise.core.base.waiting._PAUSE", 0.0)
    dw.checks.check_policy(dw.Exp3(mixing=0.2), is_thorough=False)
    told = capsys.readouterr().err
    assert "Checking [##########" in told
    assert "] 100%" in told


@pytest.mark.parametrize("name", all_worlds())
def test_worlds(name: str) -> None:
    dw.checks.check_world(made(all_worlds()[name]))


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
        if self.fault == 4 and memory.tally[-1] == 8.0:
            arm = actions.shape[0]
        if self.fault == 5:
            arm = -1
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
        (4, "^Sloppy must choose one of 3 arms, 0 to 2, got arm 3 in round 9$"),
        (5, "^Sloppy must choose one of 3 arms, 0 to 2, got arm -1 in round 1$"),
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


def test_the_checks_check_where_asserts_are_left_out() -> None:
    """In a new interpreter: ``python -O`` compiles no ``assert``."""
    code = """
import numpy as np, driftwise as dw
class Restless(dw.worlds.LinearWorld):
    def path(self, seed, size):
        for t in self.round_numbers(size):
            yield np.full((len(t), 2), len(t))
dw.checks.check_world(Restless(horizon=600, decision_set=np.eye(2)))
"""
    command = [sys.executable, "-O", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "AssertionError: means must not depend on the size of a chunk" in result.stderr
