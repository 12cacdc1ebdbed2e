"""What every policy must do."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import plays_arms, plays_ball, policies_inside
from ..core.base.waiting import watched
from ..core.contract.decision import Decision
from ..core.contract.delay import Constant
from ..core.contract.memories import fields_in, is_pending
from ..core.contract.optional import knows_flight
from ..core.contract.policy import Policy
from ..core.contract.records import arrays_in
from ..core.contract.rounds import World
from ..core.contract.rows import NoSuchArmError
from ..core.contract.unit_ball import UnitBall
from ..core.engine.agent import Agent
from ..core.engine.expectations import SettingsWarning
from ..core.engine.late import nobody_waits, play_late
from ..core.engine.schedule import Schedule
from ..core.engine.simulate import play, simulate_all
from ..core.engine.starting import started
from ..core.randomness.seeds import luck_of
from ..worlds import World as Arrays
from .requiring import require

__all__ = ["check_policy"]

_LUCKS = 32  # a policy over several others plays a different one each time
_HORIZON = 240
_IN_FLIGHT = 7  # decisions, at least two of them with the same arm


def check_policy(policy: Policy, *, seed: int = 0, is_thorough: bool = True) -> None:
    """Check that a policy keeps the contract of `driftwise.core.contract.policy.Policy`.

    On decision sets on the axes, on a fixed one in general position and, unless it plays arms,
    on sets that change: every arm chosen is one of those on offer; interpreter, agent and compiled loop choose the same arms and end in the
    same memory, bit for bit; chunks do not matter; ``choose`` writes nothing; a rejected reward
    changes nothing; a log of decisions, late rewards and what was given up replays; a saved agent continues as if nothing happened;
    policy and decisions survive pickle and JSON. If it has the rules ``expect`` and ``settle``, they
    write what is pending and nothing else, and nothing where every reward comes at once. If its card says that it plays the unit ball, it does.

    ``is_thorough=False`` saves most of the time, which is the compiler's: agents run interpreted,
    and the fixed set in general position is left out.

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.checks.check_policy(dw.Exp3(mixing=0.2))
    """
    require(pickle.loads(pickle.dumps(policy)) == policy, "a policy must survive pickle")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SettingsWarning)  # these worlds ask nobody for settings
        for world, check in watched(
            list(itertools.product(_worlds(policy, is_thorough), _CHECKS)), "Checking"
        ):
            try:
                check(policy, world, seed, not is_thorough)
            except NoSuchArmError as error:
                raise AssertionError(str(error)) from None
    if plays_ball(policy):
        _check_points(policy)


def _check_points(policy: Policy) -> None:
    """Check that a policy writes a point of the unit ball into the row that it is offered."""
    dimension = 3
    memory = started(policy, 1, dimension, UnitBall(dimension))
    policy.restart(memory, 0)
    for luck in range(_LUCKS):
        row = np.full((1, dimension), 2.0)  # outside the ball
        choice = policy.choose(memory, row, luck)
        require(
            choice.arm == 0 and np.linalg.norm(row) <= 1.0 + 1e-9,
            "a policy whose card has plays_ball must write a point of the unit ball into its row",
        )


def _worlds(policy: Policy, is_thorough: bool) -> list[Arrays]:
    rng = np.random.default_rng(7)
    angle = np.linspace(0.0, 6.0, _HORIZON)
    parameters = np.stack([np.sin(angle), np.cos(angle), np.full(_HORIZON, 0.3)], axis=1)
    general = rng.standard_normal((5, 3))
    sets: list[Any] = [np.eye(3), general] if is_thorough else [np.eye(3)]
    if not plays_arms(policy):
        sets.append([rng.standard_normal((rng.integers(1, 7), 3)) for _ in range(_HORIZON)])
    return [Arrays(parameters=parameters, decision_sets=each, noise=0.1) for each in sets]


def _check_speeds_agree(policy: Policy, world: Arrays, seed: int, is_interpreted: bool) -> None:
    horizon = world.horizon
    (rounds,) = world.rounds(seed, horizon)
    fast, compiled_regret = _played(policy, world, rounds, seed, is_interpreted=False)
    (cut,) = simulate_all([policy], world, seed=seed, checkpoints=horizon, chunk=61)
    require(compiled_regret.tobytes() == cut.regret.tobytes(), "chunks must not matter")

    slow, regret = _played(policy, world, rounds, seed, is_interpreted=True)
    same = regret.tobytes() == compiled_regret.tobytes()
    require(same, "interpreter and compiled loop must agree")
    require(_bytes(fast) == _bytes(slow), "interpreter and compiled loop must learn the same")

    agent = _agent(policy, world, seed, is_interpreted)
    total = 0.0
    for t in range(horizon):
        before = _bits(agent)
        decision = agent.choose(_offer(world, rounds, t))
        require(_bits(agent) == before, "choose must write nothing")
        is_probability = 0.0 < decision.propensity <= 1.0 or math.isnan(decision.propensity)
        require(is_probability, "propensity must be a probability, or nan where it is not known")
        _check_rejected(agent, decision)
        agent.learn(decision, rounds.rewards[t, decision.arm])
        size = rounds.sizes[t if world.decision_set is None else 0]
        total += rounds.means[t, :size].max() - rounds.means[t, decision.arm]
        require(total == regret[t], f"agent and compiled loop must agree, round {t + 1}")
    require(_bits(agent) == _bytes(slow), "agent and interpreter must end in the same memory")
    finite = all(np.isfinite(array).all() for array in arrays_in(agent.memory))
    require(finite, "a memory must stay finite")


def _played(
    policy: Policy, world: Arrays, rounds: Any, seed: int, *, is_interpreted: bool
) -> tuple[Any, NDArray[np.float64]]:
    """Return the memory and the regret after all rounds."""
    memory = started(policy, world.n_arms, world.dimension, world.decision_set)
    regret, marks = np.zeros(world.horizon), np.arange(1, world.horizon + 1)
    rest = marks, regret, np.zeros(2)
    play(policy, memory, rounds, luck_of(seed), 0, *rest, is_interpreted=is_interpreted)
    return memory, regret


def _check_rejected(agent: Agent, decision: Decision) -> None:
    if agent.n_choices % 50 != 1:
        return
    before = _bits(agent)
    for reward in (math.nan, math.inf, "much"):
        try:
            agent.learn(decision, reward)  # type: ignore[arg-type]  # that is the point
        except (TypeError, ValueError):
            continue
        raise AssertionError(f"learn must reject the reward {reward!r}")
    require(_bits(agent) == before, "a rejected reward must change nothing")


def _check_late_rewards(policy: Policy, world: Arrays, seed: int, is_interpreted: bool) -> None:
    (rounds,) = world.rounds(seed, world.horizon)
    rng, agent = np.random.default_rng(3), _agent(policy, world, seed, is_interpreted)
    waiting: list[tuple[Decision, float]] = []
    log: list[Any] = []
    for t in range(world.horizon):
        if t == world.horizon // 2:
            agent = _reloaded(agent)
        learnt = _learnt(agent)
        decision = agent.choose(_offer(world, rounds, t))
        require(_learnt(agent) == learnt, "expect must write only what is pending")
        waiting.append((decision, float(rounds.rewards[t, decision.arm])))
        log.append(Decision.from_dict(json.loads(json.dumps(decision.as_dict()))))
        while waiting and rng.random() < 0.6:  # late, out of order, and some of them never
            late, reward = waiting.pop(int(rng.integers(len(waiting))))
            kept = Decision.from_dict(json.loads(json.dumps(late.as_dict())))
            if rng.random() < 0.1:
                learnt = _learnt(agent)
                agent.give_up(late)
                require(_learnt(agent) == learnt, "settle must write only what is pending")
                log.append((kept, None))
            else:
                agent.learn(late, reward)
                log.append((kept, reward))
    twin = agent.replayed(log)
    require(_bits(twin) == _bits(agent), "a log must rebuild the memory, also of a saved agent")


def _check_flight(policy: Policy, world: Arrays, seed: int, is_interpreted: bool) -> None:
    """Check the rules of what is in flight, if a policy has them."""
    has = [callable(getattr(policy, rule, None)) for rule in ("expect", "settle")]
    require(has[0] == has[1], "a policy must have both or none of expect and settle")
    if not has[0]:
        return
    (rounds,) = world.rounds(seed, world.horizon)
    agent = _agent(policy, world, seed, is_interpreted=True)
    unused, is_told = _pending(agent), False
    decisions = []
    for t in range(_IN_FLIGHT):
        decisions.append(agent.choose(_offer(world, rounds, t)))
        agent.learn(decisions[-1], float(rounds.rewards[t, decisions[-1].arm]))
        require(_pending(agent) == unused, "nothing may be pending where rewards come at once")
    before = _bits(agent)
    for decision in decisions:
        agent.give_up(decision)
    require(_bits(agent) == before, "to settle what was not expected must change nothing")
    for t in range(_IN_FLIGHT):
        decisions.append(agent.choose(_offer(world, rounds, t)))
        is_told = is_told or _pending(agent) != unused
    inside = policies_inside(policy)
    is_for_others = bool(inside) and not any(map(knows_flight, inside))  # who do not want to know
    require(
        is_told or is_for_others,
        "expect must write what is pending, in a field `pending` of the memory",
    )
    for decision in decisions[_IN_FLIGHT:]:
        agent.give_up(decision)
        before = _bits(agent)
        agent.give_up(decision)
        require(_bits(agent) == before, "to settle a second time must change nothing")
    for delay in (3, 40):
        slow, fast = (
            _played_late(policy, world, rounds, seed, delay, is_interpreted=is_interpreted)
            for is_interpreted in (True, False)
        )
        require(slow == fast, "interpreter and compiled loop must agree when rewards are late")


_CHECKS = (_check_speeds_agree, _check_late_rewards, _check_flight)


def _played_late(
    policy: Policy, world: Arrays, rounds: Any, seed: int, delay: int, *, is_interpreted: bool
) -> bytes:
    """Return the memory and the regret after all rounds, to the bit."""
    memory = started(policy, world.n_arms, world.dimension, world.decision_set)
    regret, marks = np.zeros(world.horizon), np.arange(1, world.horizon + 1)
    arrivals = Schedule(Constant(delay), world.horizon, seed).next_chunk(world.horizon)
    waiting = nobody_waits(world.dimension, is_fixed=world.decision_set is not None)
    rest = marks, regret, np.zeros(2), arrivals, waiting
    play_late(policy, memory, rounds, luck_of(seed), 0, *rest, is_interpreted=is_interpreted)
    return _bytes(memory) + regret.tobytes()


def _reloaded(agent: Agent) -> Agent:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent"
        agent.save(path)
        return Agent.load(path)


def _agent(policy: Policy, world: Arrays, seed: int, is_interpreted: bool) -> Agent:
    fixed = world.decision_set
    dimension = world.dimension if fixed is None else None
    return Agent(
        policy, dimension=dimension, decision_set=fixed, seed=seed, is_interpreted=is_interpreted
    )


def _offer(world: World, rounds: Any, t: int) -> NDArray[np.float64] | None:
    if world.decision_set is not None:
        return None
    offer: NDArray[np.float64] = rounds.actions[t, : rounds.sizes[t]]
    return offer


def _learnt(agent: Agent) -> bytes:
    fields = fields_in(agent.memory).items()
    return b"".join(array.tobytes() for place, array in fields if not is_pending(place))


def _pending(agent: Agent) -> bytes:
    fields = fields_in(agent.memory).items()
    return b"".join(array.tobytes() for place, array in fields if is_pending(place))


def _bits(agent: Agent) -> bytes:
    return _bytes(agent.memory)


def _bytes(memory: Any) -> bytes:
    return b"".join(array.tobytes() for array in arrays_in(memory))
