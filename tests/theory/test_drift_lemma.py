"""Lemma 1 of the paper: what drift does to the windowed estimate.

It holds if all actions share one orthonormal basis (Assumption 1), and fails otherwise.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

quickly = settings(derandomize=True, deadline=None, max_examples=150)

Array = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)
dimensions = st.integers(1, 6)
lengths = st.integers(1, 40)  # the number of rounds in the window: min(w, t - 1)
ridges = st.floats(1e-3, 1e2)


def _partial_sums(actions: Array) -> Array:
    """The sums of X_s X_s' over the first p rounds of the window, for every p: (n, d, d)."""
    return np.cumsum(actions[:, :, np.newaxis] * actions[:, np.newaxis, :], axis=0)


def _bias(actions: Array, parameters: Array, ridge: float) -> Array:
    """V^-1 sum_s X_s X_s' (theta_s - theta_t); ``parameters`` has one row more, theta_t."""
    total = _partial_sums(actions)[-1] + ridge * np.eye(actions.shape[1])
    gaps = parameters[:-1] - parameters[-1]
    return np.linalg.solve(
        total, ((actions * gaps).sum(axis=1)[:, np.newaxis] * actions).sum(axis=0)
    )


def _drift(parameters: Array) -> float:
    return float(np.linalg.norm(np.diff(parameters, axis=0), axis=1).sum())


def _spectral_norms(actions: Array, ridge: float) -> Array:
    """The norms of V^-1 (sum over the first p rounds of X_s X_s'), for every p."""
    sums = _partial_sums(actions)
    total = sums[-1] + ridge * np.eye(actions.shape[1])
    return np.linalg.svd(np.linalg.solve(total[np.newaxis], sums), compute_uv=False)[:, 0]


def _orthogonal_design(length: int, dimension: int, rng: np.random.Generator) -> Array:
    """Actions z psi_i: a random basis, random axes, multiples over several orders of magnitude."""
    basis = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
    sizes = rng.normal(size=length) * 10.0 ** rng.uniform(-2.0, 2.0, size=length)
    return np.asarray(sizes[:, np.newaxis] * basis[rng.integers(dimension, size=length)])


def _drifting_parameters(length: int, dimension: int, rng: np.random.Generator) -> Array:
    """A walk with many small steps, some large ones and some rounds without any."""
    steps = rng.normal(size=(length + 1, dimension)) * rng.exponential(size=(length + 1, 1)) ** 3
    return np.cumsum(steps * rng.integers(2, size=(length + 1, 1)), axis=0)


@quickly
@given(seeds, dimensions, lengths, ridges)
def test_on_orthogonal_actions_the_bias_is_at_most_the_drift(
    seed: int, dimension: int, length: int, ridge: float
) -> None:
    rng = np.random.default_rng(seed)
    actions = _orthogonal_design(length, dimension, rng)
    parameters = _drifting_parameters(length, dimension, rng)
    bias = np.linalg.norm(_bias(actions, parameters, ridge))
    assert bias <= _drift(parameters) * (1.0 + 1e-9) + 1e-12


@quickly
@given(seeds, dimensions, lengths, ridges)
def test_on_orthogonal_actions_the_spectral_norm_is_at_most_one(
    seed: int, dimension: int, length: int, ridge: float
) -> None:
    actions = _orthogonal_design(length, dimension, np.random.default_rng(seed))
    assert _spectral_norms(actions, ridge).max() <= 1.0 + 1e-9


def test_a_jump_on_one_axis_comes_close_to_the_bound() -> None:
    # One arm, played 10,000 times; the parameter jumps in the last round, so that the whole window
    # is wrong by the jump. The lemma would not survive a factor of 0.999.
    parameters = np.zeros((10_001, 1))
    parameters[-1] = 1.0
    bias = np.linalg.norm(_bias(np.ones((10_000, 1)), parameters, 1.0))
    assert 0.999 < bias <= _drift(parameters) == 1.0


def _counterexample() -> tuple[Array, Array]:
    """A direction near the first axis 100 times, then the axis itself 10,000 times."""
    skew = np.array([np.sqrt(0.99), 0.1])
    actions = np.concatenate([np.tile(skew, (100, 1)), np.tile([1.0, 0.0], (10_000, 1))])
    parameters = np.zeros((10_101, 2))
    parameters[:100] = skew
    return actions, parameters


def test_on_general_actions_the_lemma_fails() -> None:
    actions, parameters = _counterexample()
    assert _drift(parameters) == pytest.approx(1.0)
    assert np.linalg.norm(_bias(actions, parameters, 1.0)) == pytest.approx(4.975, abs=5e-4)


def test_on_general_actions_it_fails_by_any_factor() -> None:
    # n plays at the angle sqrt(1 / n), and ever more of the axis: sqrt(n) / 2.
    for n_plays in (100, 10_000):
        slant = np.sqrt(1.0 / n_plays)
        skew = np.array([np.sqrt(1.0 - slant**2), slant])
        early = n_plays * np.outer(skew, skew)
        total = early + np.diag([1e12, 0.0]) + np.eye(2)
        norm = np.linalg.norm(np.linalg.solve(total, early), ord=2)
        assert norm == pytest.approx(np.sqrt(n_plays) / 2.0, rel=0.01)


def _general_design(length: int, dimension: int, rng: np.random.Generator) -> Array:
    """Actions that lie near a few lines, where the product of the matrices is least symmetric."""
    lines = rng.normal(size=(3, dimension))
    lines[1:] = lines[0] + lines[1:] * 10.0 ** rng.uniform(-3.0, 0.0, size=(2, 1))
    # In stretches, as in the counterexample: old actions on one line, new ones on another.
    which = np.sort(rng.integers(3, size=length))
    return np.asarray(lines[which] * rng.uniform(0.1, 1.0, size=(length, 1)))


@quickly
@given(seeds, dimensions, lengths, ridges)
def test_on_general_actions_the_bias_has_a_root_of_the_window(
    seed: int, dimension: int, length: int, ridge: float
) -> None:
    # |x' V^-1 (sum of the first p rounds) u| <= L sqrt(p) |x|_{V^-1} |u| <= L^2 sqrt(p / ridge) |u|
    # for every x and u: the supremum over u is the length of the row vector before it.
    rng = np.random.default_rng(seed)
    actions = _general_design(length, dimension, rng)
    directions = rng.normal(size=(20, dimension))
    longest = np.linalg.norm(actions, axis=1).max()
    sums = _partial_sums(actions)
    solved = np.linalg.solve(sums[-1] + ridge * np.eye(dimension), directions.T).T
    left = np.linalg.norm(np.einsum("xi,pij->xpj", solved, sums), axis=2)
    norms = np.sqrt((directions * solved).sum(axis=1))
    right = longest * norms[:, np.newaxis] * np.sqrt(np.arange(1, length + 1))
    assert (left <= right * (1.0 + 1e-7) + 1e-12).all()
    weakest = np.linalg.norm(directions, axis=1) / np.sqrt(ridge)
    assert (norms <= weakest * (1.0 + 1e-9)).all()


def test_the_counterexample_keeps_within_the_root_of_the_window() -> None:
    actions, _ = _counterexample()
    norms = _spectral_norms(actions, 1.0)
    assert norms.max() > 4.9
    assert (norms <= np.sqrt(np.arange(1, len(actions) + 1))).all()
