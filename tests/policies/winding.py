"""A parameter on a winding path."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftwise.core.base.arrays import Matrix
from driftwise.worlds import World


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
