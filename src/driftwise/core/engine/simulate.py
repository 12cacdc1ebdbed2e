"""The one loop that every experiment runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Vector
from ..base.validation import require_integer, require_known
from ..base.waiting import Waiting
from ..compiler.borrowing import borrowed
from ..compiler.compiled import compiled, has_namesake, version_for
from ..compiler.hints import natural
from ..compiler.reducing import reduced
from ..contract.delay import Constant, Delay, require_delay
from ..contract.policy import Policy
from ..contract.rounds import World
from ..contract.rows import is_row, no_such_arm
from ..randomness import draws
from ..randomness.seeds import luck_of
from .known_rounds import BallRounds, Rounds
from .late import nobody_waits, play_late
from .run import Run
from .schedule import Arrivals, Schedule
from .starting import started

__all__ = ["CHUNK_ROUNDS", "Player", "schedule_of", "simulate", "simulate_all"]

# Large enough to hide the cost of a call, small enough for a cache that cores share.
CHUNK_ROUNDS = 65536
_CHUNK_NUMBERS = 2**20
_KEPT_NUMBERS = 2**20  # several times what a chunk of a few arms takes
_NO_MARKS, _NO_REGRET = np.empty(0, np.int64), np.empty(0)


def simulate(
    policy: Policy,
    world: World,
    *,
    seed: int = 0,
    checkpoints: int | ArrayLike = 100,
    spacing: Literal["even", "log"] = "even",
    delay: int | Delay | ArrayLike | None = None,
    quiet: bool = False,
) -> Run:
    """Play a policy in a world once and return its dynamic regret.

    Parameters
    ----------
    policy, world
        What plays, and where.
    seed
        Decides the world's randomness and the policy's luck. Two policies with the same seed
        face the same rounds and the same noise.
    checkpoints
        How many rounds to report the regret at, or those rounds themselves, from 1 to the
        horizon. The last round is always among them.
    spacing
        How checkpoints given by number are spread: evenly, or evenly on a logarithmic scale.
    delay
        How many rounds late rewards are learnt, one number for all or one for each round, or a law of delay
        from `driftwise.delays`; by default the world's own, and without one every reward is learnt at once. The reward of round t
        with delay D is learnt after the choice of round t + D, in the order of arrival; what would
        arrive after the last round, or never, is not learnt. Regret counts decisions, whenever
        their rewards come. Delays neither move the world nor its noise.
    quiet
        Show no progress. By default there is a bar after two seconds, on a terminal and in a notebook.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Sinusoid(horizon=2000, variation=1.0, noise=0.1)
    >>> policy = dw.SlidingWindowUCB.tuned(horizon=2000, dimension=2, variation=1.0, noise=0.1)
    >>> run = dw.simulate(policy, world, seed=0, checkpoints=4)
    >>> run.rounds
    array([ 500, 1000, 1500, 2000])
    >>> late = dw.simulate(policy, world, seed=0, delay=dw.delays.Geometric(100))
    >>> late.total_regret == run.total_regret
    False
    """
    (run,) = simulate_all(
        [policy], world, seed=seed, checkpoints=checkpoints, spacing=spacing, delay=delay,
        quiet=quiet,
    )  # fmt: skip
    return run


def simulate_all(
    policies: Sequence[Policy],
    world: World,
    *,
    seed: int = 0,
    checkpoints: int | ArrayLike = 100,
    spacing: Literal["even", "log"] = "even",
    delay: int | Delay | ArrayLike | None = None,
    chunk: int | None = None,
    quiet: bool = False,
) -> list[Run]:
    """Play several policies on the very same rounds, which are drawn once; see `simulate`.

    They face the same delays, too. ``chunk`` is the number of rounds held in memory at a time; no
    result depends on it.
    """
    if isinstance(world, type) or not hasattr(world, "rounds"):
        raise TypeError(f"world must be an instance, such as worlds.Sinusoid(...), got {world!r}")
    if hasattr(policies, "choose"):
        raise TypeError(f"policies must be a list of policies, got {policies!r}")
    marks = _marks(checkpoints, spacing, world.horizon)
    size = _chunk_rounds(world) if chunk is None else require_integer("chunk", chunk)
    schedule = schedule_of(world, seed, delay)
    players = [Player(policy, world, seed) for policy in policies]
    regret = np.zeros((len(players), len(marks)))
    # The C library returns the memory of one chunk of rounds to the system, and requests it again,
    # page by page, for the next. Once a larger block was freed, it keeps that much.
    np.empty(_KEPT_NUMBERS)
    first = 0
    with Waiting(len(policies) * world.horizon, "Playing", quiet=quiet) as waited:
        for rounds in world.rounds(seed, size):
            last = first + rounds.count_rounds()
            here = slice(*np.searchsorted(marks, [first, last], side="right"))
            arrivals = None if schedule is None else schedule.next_chunk(last - first)
            for player, curve in zip(players, regret, strict=True):
                player.play(rounds, arrivals, marks[here], curve[here])
                waited.advance(last - first)
            first = last
    return [
        Run(player.policy, seed, marks, curve, float(player.total[1]))
        for player, curve in zip(players, regret, strict=True)
    ]


class Player:
    """One policy in one run, a chunk of rounds at a time."""

    def __init__(self, policy: Policy, world: World, seed: int) -> None:
        self.policy: Any = policy
        self.memory: Any = started(policy, world.n_arms, world.dimension, world.decision_set)
        self.total: Vector = np.zeros(2)  # regret and reward so far
        self.luck = luck_of(seed)
        self.first = 0  # how many rounds have been played
        is_fixed = isinstance(world.decision_set, np.ndarray)
        self._waiting = nobody_waits(world.dimension, is_fixed=is_fixed)

    def play(
        self,
        rounds: Rounds | BallRounds,
        arrivals: Arrivals | None = None,  # None: every reward is learnt at once
        marks: NDArray[np.int64] = _NO_MARKS,
        regret: Vector = _NO_REGRET,
    ) -> None:
        """Play the next rounds; at those marked, write the regret so far."""
        rest = rounds, self.luck, self.first, marks, regret, self.total
        if arrivals is None:
            play(self.policy, self.memory, *rest)
        else:
            self._waiting = play_late(self.policy, self.memory, *rest, arrivals, self._waiting)
        self.first += rounds.count_rounds()


def play(
    policy: Any,
    memory: Any,
    rounds: Rounds | BallRounds,
    seed: int,
    first: int,  # how many rounds have been played before; 0 starts the memory
    marks: NDArray[np.int64],  # the checkpoints among these rounds
    regret: Vector,  # what to write there
    total: Vector,  # regret and reward so far
    *,
    is_interpreted: bool = False,
) -> None:
    """Play the rounds of one chunk, or say in which one the policy chose an arm that is not there."""
    arguments = (policy, memory, rounds, seed, first, marks, regret, total)
    run = getattr(loop, "py_func", loop) if is_interpreted else loop
    if run is loop and has_namesake((policy, memory)):
        run = version_for(loop, arguments)
    done, arm = run(*arguments)
    if done < rounds.count_rounds():
        raise no_such_arm(policy, arm, len(rounds.offer_of(done)), first + done + 1)


@compiled
def loop(
    policy: Any,
    memory: Any,
    rounds: Rounds | BallRounds,
    seed: int,
    first: int,
    marks: NDArray[np.int64],
    regret: Vector,
    total: Vector,
) -> tuple[int, int]:
    """Play rounds until a choice is no row; return how many there were, and the last choice."""
    policy, memory, rounds = borrowed(policy), reduced(borrowed(memory)), borrowed(rounds)
    marks, regret, total = borrowed(marks), borrowed(regret), borrowed(total)
    if first == 0:
        policy.restart(memory, draws.fork(seed, -1))
    if rounds.count_rounds() == 0:  # then there is no first decision set either
        return 0, 0
    next_mark, lost, won = 0, total[0], total[1]
    actions, is_changing = rounds.offer_of(0), rounds.are_changing()
    for t in range(rounds.count_rounds()):
        if is_changing:
            actions = rounds.offer_of(t)
        luck = draws.fork(seed, first + t)
        choice = policy.choose(memory, actions, luck)
        if not is_row(choice.arm, actions.shape[0]):
            return t, choice.arm
        arm = natural(choice.arm)
        reward = rounds.reward_of(natural(t), arm)
        policy.learn(memory, actions[arm], choice, reward, draws.fork(luck))
        lost += rounds.loss_of(natural(t), arm, actions.shape[0])
        won += reward
        if next_mark < marks.size and marks[next_mark] == first + t + 1:
            regret[next_mark] = lost
            next_mark += 1
    total[0] = lost
    total[1] = won
    return rounds.count_rounds(), 0


def schedule_of(
    world: World, seed: int, delay: int | Delay | ArrayLike | None = None
) -> Schedule | None:
    """Return when the rewards of a run are learnt, by the world's own delay if none is given.

    None if that is at once.
    """
    given = getattr(world, "delay", None) if delay is None else delay
    law = require_delay(0 if given is None else given)
    is_at_once = isinstance(law, Constant) and law.rounds == 0
    return None if is_at_once else Schedule(law, world.horizon, seed)


def _marks(
    checkpoints: int | ArrayLike, spacing: Literal["even", "log"], horizon: int
) -> NDArray[np.int64]:
    require_known("spacing", spacing, ["even", "log"])
    if np.ndim(checkpoints) > 0:
        marks = np.unique(np.asarray(checkpoints))
        if marks.dtype.kind not in "iu" or marks.size == 0:
            raise TypeError(f"checkpoints must be integers, at least one, got {checkpoints!r}")
        for round_ in (marks[0], marks[-1]):
            if not 1 <= round_ <= horizon:
                raise ValueError(f"checkpoints must be in 1 to {horizon}, got {round_}")
        return np.union1d(marks, [horizon]).astype(np.int64)
    count = min(require_integer("checkpoints", checkpoints), horizon)
    if spacing == "log":
        # Rounding may merge the first few; that is better than to invent others.
        places = np.geomspace(1.0, horizon, count) if count > 1 else np.array([horizon])
    else:
        places = np.arange(1, count + 1) * (horizon / count)
    return np.union1d(np.rint(places), [horizon]).astype(np.int64)


def _chunk_rounds(world: World) -> int:
    has_rows = isinstance(world.decision_set, np.ndarray)
    numbers = world.n_arms * (2 if has_rows else 2 + world.dimension)
    return max(1, min(CHUNK_ROUNDS, _CHUNK_NUMBERS // numbers))
