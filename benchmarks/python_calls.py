"""Choose and learn from Python, one call each a round."""

from __future__ import annotations

from collections.abc import Iterator

import driftwise as dw

from .measurement import Measurement, of_ratio
from .plain_numpy import PlainNumpy
from .timing import Work, compare
from .workloads import changing_sets, radius_of, window_policy

__all__ = ["agent_work", "measure", "plain_work"]

_ROUNDS = 500
_WINDOW = 100


def agent_work(n_rounds: int, n_arms: int, dimension: int) -> Work:
    """Return the work of playing some rounds with an `Agent`, which goes on where it stopped."""
    agent = dw.Agent(window_policy(_WINDOW), dimension=dimension)
    agent.warm_up()
    rounds = changing_sets(n_rounds, n_arms, dimension)
    pairs = list(zip(rounds.actions, rounds.rewards.tolist(), strict=True))

    def work() -> None:
        for actions, rewards in pairs:
            decision = agent.choose(actions)
            agent.learn(decision, rewards[decision.arm])

    return work


def measure() -> Iterator[Measurement]:
    """Yield the cost of a round in microseconds, and that of plain NumPy over it."""
    ratio = compare(plain_work(_ROUNDS, 10, 10), agent_work(_ROUNDS, 10, 10), seconds=6.0)
    yield of_ratio(
        "plain_numpy_over_agent",
        "choose + learn from Python, d = 10, K = 10: plain NumPy over `Agent`",
        ratio,
        rounds=_ROUNDS,
    )
    yield Measurement(
        "agent_microseconds",
        "choose + learn from Python, d = 10, K = 10: `Agent`",
        1e6 * ratio.other_seconds / _ROUNDS,
        "µs",
    )


def plain_work(n_rounds: int, n_arms: int, dimension: int) -> Work:
    """Return the same work done by `PlainNumpy`."""
    plain = PlainNumpy(dimension, _WINDOW, radius_of(window_policy(_WINDOW), dimension))
    rounds = changing_sets(n_rounds, n_arms, dimension)
    pairs = list(zip(rounds.actions, rounds.rewards.tolist(), strict=True))

    def work() -> None:
        for actions, rewards in pairs:
            arm = plain.choose(actions)
            plain.learn(actions[arm], rewards[arm])

    return work
