"""Arms each of which is the best from time to time: a world, and means with rewards by hand."""

from __future__ import annotations

import numpy as np

from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.rounds import Rounds
from driftwise.worlds import World

HORIZON = 700  # of `means_of`, where no other is asked for


def waves(horizon: int, n_arms: int) -> World:
    """Return arms whose means go up and down, one after the other."""
    means = 0.5 + 0.4 * np.sin(np.linspace(0, 9, horizon)[:, None] + np.arange(n_arms))
    return World(parameters=means, decision_sets=np.eye(n_arms), noise=0.3)


def means_of(n_arms: int, horizon: int = HORIZON) -> Matrix:
    """Means that wind and jump, between 0 and 1."""
    t = np.linspace(0.0, 6.0, horizon)[:, None]
    waves = 0.5 + 0.4 * np.sin(t + 2.0 * np.arange(n_arms))
    return np.where(t < 3.0, waves, waves[:, ::-1])


def rounds_of(means: Matrix, rewards: Matrix) -> Rounds:
    n_arms = means.shape[1]
    return Rounds(np.eye(n_arms)[None], np.array([n_arms]), means, rewards)


def amounts(means: Matrix, noise: float = 0.2, seed: int = 1) -> Matrix:
    return means + noise * np.random.default_rng(seed).standard_normal(means.shape)


def clicks(means: Matrix, seed: int = 1) -> Matrix:
    return (np.random.default_rng(seed).random(means.shape) < means).astype(float)


def sales(means: Matrix, seed: int = 1) -> Matrix:
    """Nothing, or with a chance of a fifth of the mean an amount of 1 on average."""
    random = np.random.default_rng(seed)
    return np.where(random.random(means.shape) < means / 5, random.gamma(2.0, 0.5, means.shape), 0)
