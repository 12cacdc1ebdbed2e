"""Lemma 5 of the paper (sw2): forgetting costs no more than restarting once per window."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

quickly = settings(derandomize=True, deadline=None, max_examples=150)

Array = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)
dimensions = st.integers(1, 5)
horizons = st.integers(1, 40)
windows = st.integers(1, 45)
ridges = st.floats(1e-2, 1e2)


def _actions(horizon: int, dimension: int, rng: np.random.Generator) -> Array:
    """Actions of many lengths in any direction, some of them repeated."""
    distinct = rng.normal(size=(horizon, dimension)) * 10.0 ** rng.uniform(-1, 1, size=(horizon, 1))
    return np.asarray(distinct[rng.integers(1 + horizon // 2, size=horizon) % horizon])


def _widths(actions: Array, starts: NDArray[np.integer], ridge: float) -> Array:
    """min(1, |X_t|^2) in the norm of the matrix of the rounds from ``starts[t]`` up to t - 1."""
    outer = actions[:, :, np.newaxis] * actions[:, np.newaxis, :]
    identity = ridge * np.eye(actions.shape[1])
    widths = [
        action @ np.linalg.solve(identity + outer[start:now].sum(axis=0), action)
        for now, (start, action) in enumerate(zip(starts, actions, strict=True))
    ]
    return np.minimum(1.0, widths)


@quickly
@given(seeds, dimensions, horizons, windows, ridges)
def test_block_by_block(seed: int, dimension: int, horizon: int, window: int, ridge: float) -> None:
    actions = _actions(horizon, dimension, np.random.default_rng(seed))
    rounds = np.arange(horizon)
    sliding = _widths(actions, np.maximum(0, rounds - window), ridge)
    fresh = _widths(actions, rounds - rounds % window, ridge)
    first_rounds = np.arange(0, horizon, window)
    per_block = np.add.reduceat(sliding, first_rounds)
    assert (per_block <= np.add.reduceat(fresh, first_rounds) * (1.0 + 1e-9) + 1e-12).all()


@quickly
@given(seeds, dimensions, horizons, windows, ridges)
def test_the_potential_of_the_regret_bound(
    seed: int, dimension: int, horizon: int, window: int, ridge: float
) -> None:
    # The step from the lemma to the bound: 2 d ln(1 + w L^2 / (d lambda)) for every window begun.
    actions = _actions(horizon, dimension, np.random.default_rng(seed))
    sliding = _widths(actions, np.maximum(0, np.arange(horizon) - window), ridge)
    longest = np.linalg.norm(actions, axis=1).max()
    per_window = 2.0 * dimension * np.log1p(window * longest**2 / (dimension * ridge))
    assert sliding.sum() <= np.ceil(horizon / window) * per_window * (1.0 + 1e-9)


def test_a_longer_memory_than_the_window_would_break_it() -> None:
    # The lemma compares with a matrix of at most w rounds; against the whole past it fails.
    actions = np.ones((20, 1))
    rounds = np.arange(20)
    sliding = _widths(actions, np.maximum(0, rounds - 5), 1.0)
    everything = _widths(actions, np.zeros_like(rounds), 1.0)
    assert sliding[15:].sum() > 2.0 * everything[15:].sum()
