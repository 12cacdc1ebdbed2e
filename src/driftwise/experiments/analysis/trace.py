"""One run, looked at from the inside: what was true, believed, played and lost, round by round."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.contract.rounds import Rounds
from ...core.engine.simulate import Player, schedule_of
from ...core.randomness import draws
from ...policies import BanditOverBandit, SlidingWindowUCB
from ...worlds import LinearWorld, Sinusoid
from ..execution.cells import Cell, Task, task_of
from ..setup.building import Builder

__all__ = ["Blocks", "Play", "Trace", "find_rivals", "trace_run"]

CLOSE_UP_BLOCKS = 6
_LONGEST = 1_000_000  # rounds, all of them held in memory


class Play(NamedTuple):
    """What one policy did."""

    policy: str
    arms: NDArray[np.int64]  # (n,), played in the n rounds of the close-up
    estimates: NDArray[np.float64]  # (n, K), of rewards, before each of these rounds
    regret: NDArray[np.float64]  # (T,), cumulative


class Blocks(NamedTuple):
    """What BOB did in every block."""

    length: int  # rewards after which a block ends
    edges: NDArray[np.int64]  # (number of blocks + 1,), first round of each, then the horizon
    windows: NDArray[np.int64]  # (number of windows,), all that it chooses from
    drawn: NDArray[np.int64]  # (number of blocks,), index into windows
    regret: NDArray[np.float64]  # (number of blocks,), of the block, per round

    def per_window(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how many blocks each window had and its mean regret per round; NaN without one."""
        counts = np.bincount(self.drawn, minlength=len(self.windows)).astype(float)
        totals = np.bincount(self.drawn, weights=self.regret, minlength=len(self.windows))
        costs = np.full(len(counts), np.nan)
        np.divide(totals, counts, out=costs, where=counts > 0)
        return counts, costs


class Trace(NamedTuple):
    """One replication of an experiment that compares BOB with SW-UCB."""

    horizon: int
    swing: float | None  # rounds of a full swing of the means, where the world swings
    window: int  # SW-UCB's
    close_up: tuple[int, int]  # first round and the one after the last, counted from zero
    means: NDArray[np.float64]  # (T, K)
    sliding_window: Play
    bandit_over_bandit: Play
    blocks: Blocks

    @property
    def better_arms(self) -> NDArray[np.int64]:
        """The arm with the larger mean in each round of the close-up."""
        first, last = self.close_up
        better: NDArray[np.int64] = self.means[first:last].argmax(axis=1)
        return better

    def share_right(self, play: Play) -> float:
        """Return in which share of the rounds of the close-up a policy played the better arm."""
        return float(np.mean(play.arms == self.better_arms))


def find_rivals(builder: Builder, world: str, horizon: int) -> tuple[str, str] | None:
    """Return the first SW-UCB and the first BOB over windows among the contestants, by label.

    None unless there are both, and two arms that are the same in every round: a close-up of more
    cannot be read. None too if the run is too long to be held in memory.
    """
    place = builder.world(world, horizon)
    fixed = place.decision_set
    if not isinstance(place, LinearWorld) or not isinstance(fixed, np.ndarray) or len(fixed) != 2:
        return None
    policies = {
        label: builder.policy(label, world, horizon) for label in builder.experiment.contestants
    }
    slow = [label for label, each in policies.items() if isinstance(each, SlidingWindowUCB)]
    quick = [
        label
        for label, each in policies.items()
        if isinstance(each, BanditOverBandit) and isinstance(each.base, SlidingWindowUCB)
    ]
    return (slow[0], quick[0]) if slow and quick and horizon <= _LONGEST else None


def trace_run(builder: Builder, world: str, horizon: int, rivals: tuple[str, str]) -> Trace:
    """Play replication 0 once more, and look closer at blocks in its middle.

    It is the loop of all experiments, stopped now and then, so this is the very run that the
    numbers count.
    """
    tasks = [task_of(Cell(world, label, horizon, 0, 0), builder) for label in rivals]
    place = tasks[0].world
    slow, quick = (task.policy for task in tasks)
    (rounds,) = place.rounds(tasks[0].seeds[0], horizon)
    edges = _edges(place, tasks[0].seeds[0], quick.block_length)
    middle = int(np.searchsorted(edges, horizon / 2, side="right")) - 1
    close_up = int(edges[middle]), int(edges[min(middle + CLOSE_UP_BLOCKS, len(edges) - 1)])
    slow_play, _ = _play(tasks[0], rounds, close_up, [])
    quick_play, drawn = _play(tasks[1], rounds, close_up, edges[:-1].tolist())
    lost = np.diff(quick_play.regret[edges[1:] - 1], prepend=0.0)
    return Trace(
        horizon=horizon,
        swing=2.0 * horizon / (place.factor * place.variation)
        if isinstance(place, Sinusoid) and place.variation > 0.0
        else None,
        window=slow.window,
        close_up=close_up,
        means=rounds.means,
        sliding_window=slow_play,
        bandit_over_bandit=quick_play,
        blocks=Blocks(
            length=quick.block_length,
            edges=edges,
            windows=np.asarray(quick.settings),
            drawn=np.array([choice.candidate for choice in drawn]),
            regret=lost / np.diff(edges),
        ),
    )


def _play(
    task: Task, rounds: Rounds, close_up: tuple[int, int], asked: list[int]
) -> tuple[Play, list[Any]]:
    """Play a run; return what it did, and what it was about to choose in the rounds ``asked``."""
    policy, fixed, horizon = task.policy, task.world.decision_set, len(rounds.means)
    player = Player(policy, task.world, task.seeds[0])
    schedule = schedule_of(task.world, task.seeds[0])
    policy.restart(player.memory, draws.fork(player.luck, -1))
    regret = np.empty(horizon)
    arms, estimates, choices = list[int](), list[NDArray[np.float64]](), []
    for first, last in _pieces(horizon, close_up, asked):
        # To choose writes nothing, so it does no harm to ask before the loop does.
        choice = policy.choose(player.memory, fixed, draws.fork(player.luck, first))
        if first in asked:
            choices.append(choice)
        if close_up[0] <= first < close_up[1]:
            arms.append(choice.arm)
            estimates.append(fixed @ policy.estimate_in(player.memory))
        piece = rounds._replace(means=rounds.means[first:last], rewards=rounds.rewards[first:last])
        arrivals = None if schedule is None else schedule.next_chunk(last - first)
        player.play(piece, arrivals, np.arange(first + 1, last + 1), regret[first:last])
    return Play(task.cell.policy, np.array(arms), np.array(estimates), regret), choices


def _edges(world: Any, seed: int, block_length: int) -> NDArray[np.int64]:
    """Return the first rounds of the blocks of BOB, and the horizon at the end.

    A block ends when as many rewards have come as it has rounds, whichever decisions they are of. Blocks that come and
    go between two choices are left out.
    """
    schedule = schedule_of(world, seed)
    rounds = np.arange(1, world.horizon + 1)
    arrived = rounds if schedule is None else schedule.next_chunk(world.horizon).ends
    ends = 1 + np.searchsorted(arrived, np.arange(block_length, arrived[-1] + 1, block_length))
    return np.unique(np.concatenate([[0], ends, [world.horizon]]))


def _pieces(horizon: int, close_up: tuple[int, int], asked: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the rounds between stops, which are before those asked for and all of the close-up."""
    stops = sorted({0, *asked, *range(close_up[0], close_up[1] + 1), horizon})
    yield from pairwise(stops)
