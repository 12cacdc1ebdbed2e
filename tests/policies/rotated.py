"""The same world seen in rotated coordinates, in which a linear policy must choose the same actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftwise as dw

__all__ = ["rotated_agents"]

Round = Callable[[np.random.Generator], tuple[NDArray[np.float64], float]]


def rotated_agents(
    policy: Any, seed: int, rounds: int, draw: Round
) -> tuple[dw.Agent, dw.Agent, NDArray[np.float64]]:
    """Play a policy in three dimensions as drawn and rotated; return both agents and the rotation."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((3, 3))).Q
    plain, rotated = (
        dw.Agent(policy, dimension=3, seed=seed, is_interpreted=True) for _ in range(2)
    )
    for _ in range(rounds):
        offer, reward = draw(rng)
        decisions = plain.choose(offer), rotated.choose(offer @ turn)
        assert decisions[0].arm == decisions[1].arm
        plain.learn(decisions[0], reward)
        rotated.learn(decisions[1], reward)
    return plain, rotated, turn
