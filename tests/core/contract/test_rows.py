"""A policy that chooses an arm that is not there is stopped, wherever it plays."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice
from driftwise.core.contract.rows import NoSuchArmError, is_row
from driftwise.core.engine.simulate import play
from driftwise.core.randomness.seeds import luck_of
from driftwise.experiments.analysis.account import follow
from driftwise.experiments.gallery.playing import Plan, play_all

WORLD = dw.worlds.Stationary(horizon=40, parameter=[0.2, 0.8], noise=0.0)


class Seen(NamedTuple):
    seen: Vector  # one cell: how many rewards


@compilable
class Astray(NamedTuple):
    """Plays row 0 for some rounds, and then an arm that may not be there."""

    answer: int = 10**9
    sane_rounds: int = 6

    def _check(self) -> None:
        pass

    @classmethod
    def tuned(cls) -> Astray:
        return cls()

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Seen:
        return Seen(np.zeros(1))

    def restart(self, memory: Any, luck: int) -> None:
        memory.seen[0] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        return Choice(0 if memory.seen[0] < self.sane_rounds else self.answer, 1.0, math.nan)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        memory.seen[0] += 1.0

    def adjusted(self, setting: int) -> Astray:
        return Astray(self.answer, setting)

    def roomiest(self, settings: list[int]) -> int:
        return max(settings)

    def candidates(self, block_length: int) -> Any:
        return np.array([block_length])


def sentence(arm: int, policy: str = "Astray", n_arms: int = 2, round_: int = 7) -> str:
    last = n_arms - 1
    text = (
        f"{policy} must choose one of {n_arms} arms, 0 to {last}, got arm {arm} in round {round_}"
    )
    return f"^{re.escape(text)}$"


@pytest.mark.parametrize("arm", [2, 3, -1, 10**9, -(2**63)])
def test_it_ends_a_run(arm: int) -> None:
    for chunk in (1, 4, 40):
        with pytest.raises(NoSuchArmError, match=sentence(arm)):
            dw.simulate_all([Astray(arm)], WORLD, chunk=chunk)


def test_it_ends_an_interpreted_run() -> None:
    (rounds,) = WORLD.rounds(0, 40)
    memory, nothing = Astray().start(2, 2, np.eye(2)), (np.zeros(0, np.int64), np.zeros(0))
    with pytest.raises(NoSuchArmError, match=sentence(-1)):
        play(Astray(-1), memory, rounds, luck_of(0), 0, *nothing, np.zeros(2), is_interpreted=True)
    assert memory.seen[0] == 6.0  # nothing was learnt of it


def test_padding_is_no_arm() -> None:
    sets = [np.ones((1 + t % 2, 2)) for t in range(12)]
    world = dw.worlds.World(parameters=np.ones((12, 2)), decision_sets=sets)
    with pytest.raises(NoSuchArmError, match=sentence(1, n_arms=1)):
        dw.simulate(Astray(1), world)


@pytest.mark.parametrize(
    "policy",
    [
        dw.BanditOverBandit(Astray(-1), [6], 20, 0.5, 1.0),
        dw.Corral((Astray(-1), Astray(-1)), 0.1, 0.5, 1.0),
        dw.Master(Astray(-1, 0), 1.0, 0.0, 1.0, 5),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_it_ends_a_run_of_a_policy_over_others(policy: Any) -> None:
    with pytest.raises(NoSuchArmError, match=f"^{type(policy).__name__} must .* got arm -1 in"):
        dw.simulate(policy, WORLD)


@pytest.mark.parametrize("is_interpreted", [True, False])
@pytest.mark.parametrize("arm", [2, -1, 10**9])
def test_an_agent_refuses_it_and_stays_as_it_was(arm: int, is_interpreted: bool) -> None:
    agent = dw.Agent(Astray(arm), dimension=3, is_interpreted=is_interpreted)
    for _ in range(6):
        agent.learn(agent.choose(np.eye(3)[:2]), 0.5)
    for _ in range(2):
        with pytest.raises(NoSuchArmError, match=sentence(arm)):
            agent.choose(np.eye(3)[:2])
    assert agent.n_choices == 6
    with pytest.raises(ValueError, match="decision_set must be finite, got nan"):
        agent.choose([[math.nan, 0.0, 0.0]])  # that is said first


def test_an_account_and_a_gallery_say_so() -> None:
    with pytest.raises(NoSuchArmError, match=sentence(10**9)):
        follow(Astray(), WORLD, checkpoints=4)
    plan = Plan({"Sinusoid": dw.worlds.Sinusoid}, {"Astray": Astray}, 50, 50, 1, 0)
    with pytest.raises(NoSuchArmError, match=sentence(10**9)):
        play_all(plan, jobs=1, quiet=True)


@pytest.mark.parametrize(("arm", "n_arms"), [(0, 1), (1, 1), (-1, 3), (2, 3), (3, 3)])
def test_rows_are_counted_from_zero(arm: int, n_arms: int) -> None:
    assert is_row(arm, n_arms) is (arm in range(n_arms))
