"""A world in which every arm is the best from time to time."""

from __future__ import annotations

import numpy as np

from driftwise.worlds import World


def waves(horizon: int, n_arms: int) -> World:
    """Return arms whose means go up and down, one after the other."""
    means = 0.5 + 0.4 * np.sin(np.linspace(0, 9, horizon)[:, None] + np.arange(n_arms))
    return World(parameters=means, decision_sets=np.eye(n_arms), noise=0.3)
