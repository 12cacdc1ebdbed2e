"""Agents that have played, and all that they remember, for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

import driftwise as dw
from driftwise.core.contract.memories import fields_in, is_pending
from driftwise.core.contract.records import arrays_in

__all__ = ["bits", "drawn", "learnt_bits", "played"]


def bits(agent: dw.Agent) -> bytes:
    """Return an agent's memory, to the bit."""
    return b"".join(array.tobytes() for array in arrays_in(agent.memory))


def learnt_bits(agent: dw.Agent) -> bytes:
    """Return what an agent has learnt, to the bit, without what is in flight."""
    fields = fields_in(agent.memory).items()
    return b"".join(array.tobytes() for place, array in fields if not is_pending(place))


def drawn(agent: dw.Agent, offer: ArrayLike | None = None) -> dw.Decision:
    """Return a choice that is given up at once, so that the next one does not count it as in flight."""
    decision = agent.choose(offer)
    agent.give_up(decision)
    return decision


def played(agent: dw.Agent, rounds: int = 30) -> dw.Agent:
    """Return an agent after some rounds on decision sets of any size."""
    rng = np.random.default_rng(rounds)
    for _ in range(rounds):
        decision = agent.choose(rng.standard_normal((int(rng.integers(1, 6)), 2)))
        agent.learn(decision, float(rng.standard_normal()))
    return agent
