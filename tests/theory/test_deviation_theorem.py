"""Theorem 2 of the paper: how far the windowed estimate may be from the truth.

At any one round t, with probability at least 1 - delta, for all x in D_t,
|x'(estimate - theta_t)| <= L (drift in the window) + beta |x|_{V^-1}.
Played here by an optimistic rule, so that the actions depend on the noise, in many runs at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from driftwise.theory.radius import radius

Array = NDArray[np.float64]
N_RUNS = 3_000
HORIZON = 45
WATCHED = (1, 2, 10, 30, 44)  # rounds, counted from 0: empty, filling and sliding windows


class Setting(NamedTuple):
    window: int
    confidence: float
    ridge: float
    noise: float
    step: float  # how far the parameter moves per round


SETTINGS = [
    Setting(window=12, confidence=0.1, ridge=1.0, noise=1.0, step=0.002),
    Setting(window=30, confidence=0.3, ridge=0.1, noise=0.5, step=0.002),
    Setting(window=100, confidence=0.5, ridge=4.0, noise=2.0, step=0.0),
    Setting(window=3, confidence=0.05, ridge=1.0, noise=0.3, step=0.01),
]


def _arms() -> Array:
    return np.eye(3)


def _multiples_of_a_turned_basis() -> Array:
    """Six actions on three orthogonal lines, none of them an axis; the longest has length 1."""
    basis = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    sizes = np.array([1.0, -0.4, 0.7, 0.3, -1.0, 0.6])
    return np.asarray(sizes[:, np.newaxis] * basis[[0, 0, 1, 1, 2, 2]])


def _parameters(step: float, dimension: int, rng: np.random.Generator) -> Array:
    """A walk of steps of one length, pulled back into the unit ball."""
    path = np.empty((HORIZON, dimension))
    path[0] = 0.5 / np.sqrt(dimension)
    for now in range(1, HORIZON):
        direction = rng.normal(size=dimension)
        moved = path[now - 1] + step * direction / np.linalg.norm(direction)
        path[now] = moved / max(1.0, float(np.linalg.norm(moved)))
    return path


def _excess(setting: Setting, actions: Array, path: Array, seed: int) -> dict[int, Array]:
    """Play all runs; return (|x'(estimate - truth)|, |x|_{V^-1}) per watched round, run, action."""
    rng = np.random.default_rng(seed)
    dimension = actions.shape[1]
    beta = _beta(setting, dimension)
    played = np.zeros((HORIZON, N_RUNS, dimension))
    rewards = np.zeros((HORIZON, N_RUNS))
    runs = np.arange(N_RUNS)
    watched = {}
    for now in range(HORIZON):
        seen = slice(max(0, now - setting.window), now)
        matrices = np.einsum("sri,srj->rij", played[seen], played[seen])
        inverses = np.linalg.inv(matrices + setting.ridge * np.eye(dimension))
        sums = np.einsum("sri,sr->ri", played[seen], rewards[seen])
        estimates = np.einsum("rij,rj->ri", inverses, sums)
        widths = np.sqrt(np.einsum("ki,rij,kj->rk", actions, inverses, actions, optimize=True))
        if now in WATCHED:
            watched[now] = np.stack([np.abs((estimates - path[now]) @ actions.T), widths])
        arms = (estimates @ actions.T + beta * widths).argmax(axis=1)
        played[now] = actions[arms]
        noise = setting.noise * rng.normal(size=N_RUNS)
        rewards[now] = (played[now, runs] * path[now]).sum(axis=1) + noise
    return watched


def _beta(setting: Setting, dimension: int) -> float:
    return radius(
        window=setting.window,
        dimension=dimension,
        noise=setting.noise,
        ridge=setting.ridge,
        confidence=setting.confidence,
    )


def _drift(setting: Setting, path: Array, now: int) -> float:
    seen = path[max(0, now - setting.window) : now + 1]
    return float(np.linalg.norm(np.diff(seen, axis=0), axis=1).sum())


def _n_failures(watched: Array, allowance: float, beta: float) -> int:
    """The number of runs in which some action violates the inequality."""
    errors, widths = watched
    return int((errors > allowance + beta * widths).any(axis=1).sum())


def _most(confidence: float) -> int:
    """A count of failures that is exceeded by chance once in a million tests."""
    return int(stats.binom.isf(1e-6, N_RUNS, confidence))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("decision_set", [_arms(), _multiples_of_a_turned_basis()])
def test_coverage(setting: Setting, decision_set: Array) -> None:
    path = _parameters(setting.step, 3, np.random.default_rng(1))
    beta = _beta(setting, 3)
    watched = _excess(setting, decision_set, path, seed=2)
    for now in WATCHED:
        allowance = _drift(setting, path, now)
        assert _n_failures(watched[now], allowance, beta) <= _most(setting.confidence)
    # A radius of a tenth would have been found out.
    last = WATCHED[-1]
    assert _n_failures(watched[last], _drift(setting, path, last), 0.1 * beta) > _most(
        setting.confidence
    )


def test_the_drift_must_be_allowed_for() -> None:
    # The parameter turns round in the middle of the window: the radius alone does not cover it.
    setting = Setting(window=30, confidence=0.1, ridge=1.0, noise=0.1, step=0.0)
    path = np.tile([0.6, 0.6, 0.0], (HORIZON, 1))
    path[42:] *= -1.0
    watched = _excess(setting, _arms(), path, seed=3)
    beta, last = _beta(setting, 3), WATCHED[-1]
    assert _n_failures(watched[last], _drift(setting, path, last), beta) <= _most(0.1)
    assert _n_failures(watched[last], 0.0, beta) > N_RUNS // 2


def test_without_the_ridge_term_the_radius_is_too_small() -> None:
    # Hardly any noise: what is left of the error is the pull of the ridge towards zero.
    setting = Setting(window=5, confidence=0.1, ridge=4.0, noise=1e-6, step=0.0)
    path = np.tile([1.0, 0.0, 0.0], (HORIZON, 1))
    watched = _excess(setting, _arms(), path, seed=4)
    beta, last = _beta(setting, 3), WATCHED[-1]
    assert _n_failures(watched[last], 0.0, beta) == 0
    assert _n_failures(watched[last], 0.0, beta - np.sqrt(setting.ridge)) == N_RUNS
