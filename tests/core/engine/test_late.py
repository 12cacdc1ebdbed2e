"""The loop in which rewards come late: against an agent that is told them by hand."""

from __future__ import annotations

import tracemalloc
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.base.card import plays_arms
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rows import NoSuchArmError
from driftwise.core.engine.late import nobody_waits, play_late
from driftwise.core.engine.schedule import Schedule
from driftwise.core.engine.starting import started
from driftwise.core.randomness import draws
from driftwise.core.randomness.seeds import luck_of
from driftwise.registry import all_policies
from tests.core.agents import bits
from tests.core.engine.late_by_hand import arrivals_by_hand
from tests.making import BEYOND_SETTINGS, made, marks_of
from tests.test_checks import Sloppy

pytestmark = BEYOND_SETTINGS

HORIZON = 90
NEVER = dw.delays.NEVER
POLICY = dw.SlidingWindowUCB(window=50, noise=0.1)
WORLD = dw.worlds.Sinusoid(horizon=1000, variation=1.0, noise=0.1)
delays = st.lists(
    st.integers(0, 3) | st.integers(0, 60) | st.just(NEVER), min_size=HORIZON, max_size=HORIZON
)


def world_of(sets: Any) -> dw.worlds.World:
    angle = np.linspace(0.0, 6.0, HORIZON)
    parameters = np.stack([np.sin(angle), np.cos(angle), np.full(HORIZON, 0.3)], axis=1)
    return dw.worlds.World(parameters=parameters, decision_sets=sets, noise=0.1)


def sets_that_change() -> list[Any]:
    rng = np.random.default_rng(7)
    return [rng.standard_normal((rng.integers(1, 6), 3)) for _ in range(HORIZON)]


def by_hand(policy: Any, world: Any, late: list[int], seed: int) -> tuple[bytes, list[float]]:
    """Return an agent's memory, and the regret after every round."""
    (rounds,) = world.rounds(seed, HORIZON)
    kind: dict[str, Any] = {"decision_set": world.decision_set}
    if world.decision_set is None:
        kind = {"dimension": world.dimension}
    agent = dw.Agent(policy, seed=seed, is_interpreted=True, **kind)
    decisions, regret, lost = [], [], 0.0
    for t, come in enumerate(arrivals_by_hand(late)):
        offer = rounds.offer_of(t) if world.decision_set is None else None
        decisions.append(agent.choose(offer))
        means = rounds.means[t, : len(rounds.offer_of(t))]
        lost += means.max() - means[decisions[t].arm]
        regret.append(float(lost))
        for s in come:
            agent.learn(decisions[s], float(rounds.rewards[s, decisions[s].arm]))
    return bits(agent), regret


def by_loop(
    policy: Any, world: Any, delay: Any, seed: int, chunk: int, *, is_interpreted: bool = False
) -> tuple[bytes, list[float]]:
    """Return the same of the loop, which plays some rounds at a time."""
    is_fixed = isinstance(world.decision_set, np.ndarray)
    memory = started(policy, world.n_arms, world.dimension, world.decision_set)
    waiting, regret = nobody_waits(world.dimension, is_fixed=is_fixed), np.zeros(world.horizon)
    schedule, first, total = Schedule(delay, world.horizon, seed), 0, np.zeros(2)
    for rounds in world.rounds(seed, chunk):
        last = first + rounds.count_rounds()
        waiting = play_late(
            policy, memory, rounds, luck_of(seed), first,
            np.arange(first + 1, last + 1), regret[first:last], total,
            schedule.next_chunk(last - first), waiting, is_interpreted=is_interpreted,
        )  # fmt: skip
        first = last
    assert total[0] == regret[-1]
    return b"".join(array.tobytes() for array in arrays_in(memory)), regret.tolist()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=marks_of(name)) for name in all_policies()],
)
def test_every_policy_learns_what_an_agent_would(name: str) -> None:
    policy = made(all_policies()[name].tuned)
    world = world_of(np.eye(3) if plays_arms(policy) else sets_that_change())

    @given(late=delays, chunk=st.sampled_from([1, 17, HORIZON]), seed=st.integers(0, 99))
    @example(late=[0] * HORIZON, chunk=17, seed=1)
    @example(late=[20] * HORIZON, chunk=17, seed=1)
    @example(late=[NEVER] * HORIZON, chunk=HORIZON, seed=1)
    @settings(derandomize=True, deadline=None, max_examples=3, database=None)
    def check(late: list[int], chunk: int, seed: int) -> None:
        found = by_loop(policy, world, dw.delays.Recorded(late), seed, chunk)
        assert found == by_hand(policy, world, late, seed)

    check()


@pytest.mark.parametrize("rows", [np.eye(3), np.random.default_rng(5).standard_normal((5, 3))])
@given(late=delays, chunk=st.integers(1, HORIZON), seed=st.integers(0, 99))
@settings(derandomize=True, deadline=None, max_examples=5, database=None)
def test_fixed_rows_are_looked_up(rows: Any, late: list[int], chunk: int, seed: int) -> None:
    world = world_of(rows)
    found = by_loop(POLICY, world, dw.delays.Recorded(late), seed, chunk)
    assert found == by_hand(POLICY, world, late, seed)


class Stake(NamedTuple):
    is_high: bool
    drawn: float


class Bet(NamedTuple):
    arm: int
    propensity: float
    value: float
    stake: Stake


class Purse(NamedTuple):
    purse: Vector  # (1,): all that was ever learnt


@compilable
class Gambler(NamedTuple):
    """Mixes whatever it is given into one number: a choice of its own, and the luck of learning."""

    unused: int = 0

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Purse:
        return Purse(np.zeros(1))

    def restart(self, memory: Any, luck: int) -> None:
        memory.purse[0] = draws.uniform(luck, 0)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Bet:
        drawn = draws.uniform(luck, 0)
        arm = int(drawn * actions.shape[0])
        return Bet(arm, 1.0 / actions.shape[0], memory.purse[0], Stake(drawn > 0.5, drawn))

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        sign = 1.0 if choice.stake.is_high else -1.0
        gain = sign * choice.stake.drawn + choice.value + reward + draws.uniform(luck, 1)
        memory.purse[0] = 0.5 * memory.purse[0] + action[0] * gain


@given(late=delays, chunk=st.integers(1, HORIZON), seed=st.integers(0, 99))
@settings(derandomize=True, deadline=None, max_examples=20, database=None)
def test_all_that_was_decided_is_kept(late: list[int], chunk: int, seed: int) -> None:
    world = world_of(sets_that_change())
    found = by_loop(Gambler(), world, dw.delays.Recorded(late), seed, chunk)
    assert found == by_hand(Gambler(), world, late, seed)


def test_points_of_the_ball_are_kept() -> None:
    world = dw.worlds.LowerBoundBall(horizon=HORIZON, dimension=3, variation=9.0)
    late = [(7 * t) % 23 for t in range(HORIZON)]
    agent = dw.Agent(POLICY, decision_set=world.decision_set, seed=2, is_interpreted=True)
    (rounds,) = world.rounds(2, HORIZON)
    decisions = []
    for come in arrivals_by_hand(late):
        decisions.append(agent.choose())
        for s in come:
            rounds.point[0] = decisions[s].action
            agent.learn(decisions[s], rounds.reward_of(s, 0))
    delay = dw.delays.Recorded(late)
    wanted = bits(agent), by_loop(POLICY, world, delay, 2, HORIZON)[1]
    for chunk, is_interpreted in ((13, False), (1, False), (HORIZON, True)):
        assert by_loop(POLICY, world, delay, 2, chunk, is_interpreted=is_interpreted) == wanted


def test_interpreter_and_compiler_agree() -> None:
    world, delay = world_of(sets_that_change()), dw.delays.Geometric(9.0)
    slow = by_loop(POLICY, world, delay, 4, 31, is_interpreted=True)
    assert slow == by_loop(POLICY, world, delay, 4, 31)


def test_rewards_at_once_are_those_of_the_loop_without_delay() -> None:
    policies: list[Any] = [POLICY, dw.Exp3(mixing=0.1)]
    at_once = dw.simulate_all(policies, WORLD, seed=5)
    late = dw.simulate_all(policies, WORLD, seed=5, delay=dw.delays.Recorded(np.zeros(1000)))
    for one, other in zip(at_once, late, strict=True):
        assert one.regret.tobytes() == other.regret.tobytes()
        assert one.total_reward == other.total_reward


def test_neither_chunks_nor_company_change_a_result() -> None:
    delay = dw.delays.Missing(0.2, dw.delays.HeavyTailed(10.0))
    alone = dw.simulate(POLICY, WORLD, seed=5, checkpoints=1000, delay=delay)
    for chunk in (1, 7, 333, 10_000):
        runs = dw.simulate_all(
            [dw.Exp3(mixing=0.1), POLICY], WORLD, seed=5, checkpoints=1000, chunk=chunk, delay=delay
        )
        assert runs[1].regret.tobytes() == alone.regret.tobytes()
        assert runs[1].total_reward == alone.total_reward


def test_without_any_reward_nothing_is_learnt() -> None:
    """What does not learn plays the same arm for ever; the rewards still count as won."""
    world = dw.worlds.World(parameters=np.ones((50, 1)), decision_sets=np.eye(1), noise=1.0)
    never = dw.simulate(POLICY, world, seed=3, delay=dw.delays.Missing(1.0))
    assert never.total_reward == dw.simulate(POLICY, world, seed=3).total_reward
    at_the_end = dw.simulate(POLICY, WORLD, seed=3, delay=999)
    assert at_the_end.regret.tobytes() == (
        dw.simulate(POLICY, WORLD, seed=3, delay=dw.delays.Missing(1.0)).regret.tobytes()
    )


def test_a_world_may_have_a_delay() -> None:
    late = WORLD.with_delay(dw.delays.Geometric(50))
    assert WORLD.delay is None
    given = dw.simulate(POLICY, WORLD, delay=dw.delays.Geometric(50))
    at_once = dw.simulate(POLICY, WORLD)
    assert dw.simulate(POLICY, late).regret.tobytes() == given.regret.tobytes()
    assert dw.simulate(POLICY, late, delay=0).regret.tobytes() == at_once.regret.tobytes()
    assert given.total_regret != at_once.total_regret


def test_memory_does_not_grow_with_the_horizon() -> None:
    def peak(horizon: int) -> int:
        world = dw.worlds.Sinusoid(horizon=horizon, variation=1.0)
        dw.simulate(POLICY, world, delay=100)
        tracemalloc.start()
        dw.simulate(POLICY, world, delay=100)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(800_000) < 1.5 * peak(100_000)


@pytest.mark.parametrize(
    ("delay", "message"),
    [
        (-1, "delay must be at least 0, got -1"),
        (True, "delay must be an integer, got True"),
        (0.5, "delay must be a number of rounds or a delay, such as"),
        (dw.delays.Geometric, "delay must be a number of rounds or a delay, such as"),
        (dw.delays.Recorded([1, 2]), "delay must have 1000 rounds, as the world has, got 2"),
        ([1, 2], "delay must have 1000 rounds, as the world has, got 2"),
        (
            np.full(1000, -1),
            "rounds must be integers of at least 0, or infinite, got -1.0 at index 0",
        ),
    ],
)
def test_bad_delays(delay: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        dw.simulate(POLICY, WORLD, delay=delay)


def test_an_array_of_delays_is_what_was_recorded() -> None:
    late = np.random.default_rng(2).integers(0, 40, 1000)
    given, recorded, by_world = (
        dw.simulate(POLICY, WORLD, delay=late),
        dw.simulate(POLICY, WORLD, delay=dw.delays.Recorded(late)),
        dw.simulate(POLICY, WORLD.with_delay(late.tolist())),
    )
    assert given.total_regret == recorded.total_regret == by_world.total_regret
    assert given.total_regret != dw.simulate(POLICY, WORLD).total_regret


@pytest.mark.parametrize(("fault", "arm", "round_"), [(4, 3, 12), (5, -1, 1)])
def test_an_arm_that_is_not_there_is_refused(fault: int, arm: int, round_: int) -> None:
    world = world_of(np.eye(3))
    with pytest.raises(NoSuchArmError, match=f"got arm {arm} in round {round_}$"):
        dw.simulate(Sloppy(fault), world, delay=3)
