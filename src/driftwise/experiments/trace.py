"""One run, looked at from the inside: what was true, believed, played and lost, round by round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.agent import Agent
from .experiment import Experiment

__all__ = ["Blocks", "Play", "Trace", "trace_run"]

CLOSE_UP_BLOCKS = 6


class Play(NamedTuple):
    """What one policy did in every round."""

    policy: str
    arms: NDArray[np.int64]  # (T,)
    estimates: NDArray[np.float64]  # (T, d), before each round; NaN outside of the close-up
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
    variation: float
    window: int  # SW-UCB's
    close_up: tuple[int, int]  # the rounds, counted from zero, with estimates
    means: NDArray[np.float64]  # (T, K)
    sliding_window: Play
    bandit_over_bandit: Play
    blocks: Blocks


def trace_run(experiment: Experiment, horizon: int, seed: int) -> Trace:
    """Play replication 0 once more, agent in hand, and look closer at blocks in its middle.

    The agents have the luck of the compiled loop, so this is the very run that the numbers count.
    """
    block_length = experiment.policy("BOB", horizon).block_length
    middle = horizon // block_length // 2 * block_length
    close_up = middle, min(middle + CLOSE_UP_BLOCKS * block_length, horizon)
    world, own_seed = experiment.world(horizon), experiment.seed(seed, horizon, 0)
    (rounds,) = world.rounds(own_seed, horizon)
    plays, choices = {}, {}
    for name in experiment.policies:
        policy = experiment.policy(name, horizon)
        plays[name], choices[name] = _play(
            name, policy, rounds.means, rounds.rewards, own_seed, close_up
        )
    policy = experiment.policy("BOB", horizon)
    starts = np.arange(0, horizon, policy.block_length)
    drawn = np.array([choices["BOB"][start].candidate for start in starts])
    lost = np.diff(plays["BOB"].regret[np.append(starts[1:], horizon) - 1], prepend=0.0)
    return Trace(
        horizon=horizon,
        variation=experiment.variation(horizon),
        window=experiment.policy("SW-UCB", horizon).window,
        close_up=close_up,
        means=rounds.means,
        sliding_window=plays["SW-UCB"],
        bandit_over_bandit=plays["BOB"],
        blocks=Blocks(
            length=policy.block_length,
            windows=np.asarray(policy.settings),
            drawn=drawn,
            regret=lost / np.diff(np.append(starts, horizon)),
        ),
    )


def _play(
    name: str,
    policy: Any,
    means: NDArray[np.float64],
    rewards: NDArray[np.float64],
    seed: int,
    close_up: tuple[int, int],
) -> tuple[Play, list[Any]]:
    horizon, n_arms = means.shape
    agent = Agent(policy, decision_set=np.eye(n_arms), seed=seed)
    arms = np.empty(horizon, np.int64)
    estimates = np.full((horizon, n_arms), np.nan)
    choices = []
    for t in range(horizon):
        if close_up[0] <= t < close_up[1]:
            estimates[t] = agent.estimate
        decision = agent.choose()
        agent.learn(decision, float(rewards[t, decision.arm]))
        arms[t] = decision.arm
        choices.append(decision.choice)
    regret = np.cumsum(means.max(axis=1) - means[np.arange(horizon), arms])
    return Play(name, arms, estimates, regret), choices
