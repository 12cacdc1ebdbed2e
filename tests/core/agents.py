"""Agents that have played, and all that they remember, for tests."""

from __future__ import annotations

import numpy as np

import driftwise as dw
from driftwise.core.contract.records import arrays_in

__all__ = ["bits", "played"]


def bits(agent: dw.Agent) -> bytes:
    """Return an agent's memory, to the bit."""
    return b"".join(array.tobytes() for array in arrays_in(agent.memory))


def played(agent: dw.Agent, rounds: int = 30) -> dw.Agent:
    """Return an agent after some rounds on decision sets of any size."""
    rng = np.random.default_rng(rounds)
    for _ in range(rounds):
        decision = agent.choose(rng.standard_normal((int(rng.integers(1, 6)), 2)))
        agent.learn(decision, float(rng.standard_normal()))
    return agent
