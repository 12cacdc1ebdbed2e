"""A parameter on a winding path, and rounds around it."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.rounds import Rounds
from driftwise.worlds import World

HORIZON = 400  # of `rounds_of`
CLICKS = {"clicks": 0.5, "rare clicks": 5.0, "clicks, then amounts": 0.5}  # minus their log-odds


def winding(horizon: int) -> Matrix:
    t = np.arange(horizon) / horizon
    return np.stack([np.sin(9 * t), np.cos(7 * t), 0.4 - t], axis=1)


def general(horizon: int, *, seed: int, is_fixed: bool) -> World:
    """Return a world of actions in general position, from 1 to 8 at a time."""
    random = np.random.default_rng(seed)
    sets: Any = random.normal(size=(6, 3))
    if not is_fixed:
        sets = [random.normal(size=(random.integers(1, 9), 3)) for _ in range(horizon)]
    return World(parameters=winding(horizon), decision_sets=sets, noise=0.3)


def path(horizon: int) -> Matrix:
    """A parameter that winds, and jumps in the middle."""
    t = np.arange(horizon) / horizon
    jump = np.where(t < 0.5, 1.0, -1.0)
    return np.stack([np.sin(9 * t), jump * np.cos(7 * t), 0.4 - t], axis=1)


def rounds_of(kind: str, offset: float = 0.0) -> Rounds:
    random = np.random.default_rng(11)
    sets = random.uniform(-1, 1, (1, 6, 3) if kind == "fixed" else (HORIZON, 5, 3))
    if kind == "sparse":
        sets *= random.random(sets.shape) < 0.5
        sets[:100, :, 2] = 0.0  # a feature that shows late
    means = np.einsum(
        "tki,ti->tk", np.broadcast_to(sets, (HORIZON, *sets.shape[1:])), path(HORIZON)
    )
    rewards = means + 0.3 * random.standard_normal(means.shape) + offset
    if kind == "late":
        rewards[:80] = offset  # nothing differs for long
    if kind == "others":
        rewards[[20, 300]] += [[1e9], [-1e9]]  # two rewards in another unit
    if kind in CLICKS:
        means = 1.0 / (1.0 + np.exp(CLICKS[kind] - 2.0 * means))
        rewards = (random.random(means.shape) < means) * 80.0 + offset
    if kind == "clicks, then amounts":
        rewards[300:] += 10.0 * random.standard_normal(rewards[300:].shape)
    sizes = [30.0, 1.0, 0.01] if kind == "mixed" else [1.0, 1.0, 1.0]
    return Rounds(sets * sizes, np.full(len(sets), sets.shape[1]), means, rewards)
