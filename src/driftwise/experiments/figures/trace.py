"""One run, looked at from the inside: what was true, believed, played and lost, round by round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.agent import Agent
from ...policies import BanditOverBandit, SlidingWindowUCB
from ...worlds import LinearWorld, Sinusoid
from ..description.building import Builder
from ..work.cells import Cell, task_of

__all__ = ["Blocks", "Play", "Trace", "find_rivals", "trace_run"]

CLOSE_UP_BLOCKS = 6
_LONGEST = 60_000  # rounds, played one by one: several seconds


class Play(NamedTuple):
    """What one policy did in every round."""

    policy: str
    arms: NDArray[np.int64]  # (T,)
    estimates: NDArray[np.float64]  # (T, K) of rewards, before each round; NaN beyond the close-up
    regret: NDArray[np.float64]  # (T,), cumulative


class Blocks(NamedTuple):
    """What BOB did in every block."""

    length: int
    windows: NDArray[np.int64]  # (number of windows,), all that it chooses from
    drawn: NDArray[np.int64]  # (number of blocks,), index into windows
    regret: NDArray[np.float64]  # (number of blocks,), of the block, per round


class Trace(NamedTuple):
    """One replication of an experiment that compares BOB with SW-UCB."""

    horizon: int
    swing: float | None  # rounds of a full swing of the means, where the world swings
    window: int  # SW-UCB's
    close_up: tuple[int, int]  # the rounds, counted from zero, with estimates
    means: NDArray[np.float64]  # (T, K)
    sliding_window: Play
    bandit_over_bandit: Play
    blocks: Blocks


def find_rivals(builder: Builder, world: str, horizon: int) -> tuple[str, str] | None:
    """Return the first SW-UCB and the first BOB over windows among the contestants, by label.

    None unless there are both, and two arms that are the same in every round: a close-up of more
    cannot be read. None too if the run is too long to be played round by round.
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
    """Play replication 0 once more, agent in hand, and look closer at blocks in its middle.

    The agents have the luck of the compiled loop, so this is the very run that the numbers count.
    """
    tasks = [task_of(Cell(world, label, horizon, 0, 0), builder) for label in rivals]
    place, seed = tasks[0].world, tasks[0].seeds[0]
    slow, quick = (task.policy for task in tasks)
    middle = horizon // quick.block_length // 2 * quick.block_length
    close_up = middle, min(middle + CLOSE_UP_BLOCKS * quick.block_length, horizon)
    (rounds,) = place.rounds(seed, horizon)
    plays, choices = zip(
        *(
            _play(label, policy, place.decision_set, rounds, seed, close_up)
            for label, policy in zip(rivals, (slow, quick), strict=True)
        ),
        strict=True,
    )
    starts = np.arange(0, horizon, quick.block_length)
    lost = np.diff(plays[1].regret[np.append(starts[1:], horizon) - 1], prepend=0.0)
    return Trace(
        horizon=horizon,
        swing=2.0 * horizon / (place.factor * place.variation)
        if isinstance(place, Sinusoid) and place.variation > 0.0
        else None,
        window=slow.window,
        close_up=close_up,
        means=rounds.means,
        sliding_window=plays[0],
        bandit_over_bandit=plays[1],
        blocks=Blocks(
            length=quick.block_length,
            windows=np.asarray(quick.settings),
            drawn=np.array([choices[1][start].candidate for start in starts]),
            regret=lost / np.diff(np.append(starts, horizon)),
        ),
    )


def _play(
    name: str,
    policy: Any,
    decision_set: NDArray[np.float64],
    rounds: Any,
    seed: int,
    close_up: tuple[int, int],
) -> tuple[Play, list[Any]]:
    horizon, n_arms = rounds.means.shape
    # Interpreted: this is one run, and compiling an agent would take longer than playing it.
    agent = Agent(policy, decision_set=decision_set, seed=seed, is_interpreted=True)
    arms = np.empty(horizon, np.int64)
    estimates = np.full((horizon, n_arms), np.nan)
    choices = []
    for t in range(horizon):
        if close_up[0] <= t < close_up[1]:
            estimates[t] = decision_set @ agent.estimate
        decision = agent.choose()
        agent.learn(decision, float(rounds.rewards[t, decision.arm]))
        arms[t] = decision.arm
        choices.append(decision.choice)
    regret = np.cumsum(rounds.means.max(axis=1) - rounds.means[np.arange(horizon), arms])
    return Play(name, arms, estimates, regret), choices
