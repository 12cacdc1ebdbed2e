from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.theory.assumptions import assumption_one, guarantees

quickly = settings(derandomize=True, deadline=None, max_examples=100)


def _rotation(dimension: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]


def test_arms_are_orthogonal() -> None:
    finding = assumption_one(np.eye(4))
    assert finding.holds
    assert finding
    assert finding.witness is None
    np.testing.assert_array_equal(finding.directions, np.eye(4))


@quickly
@given(st.integers(1, 6), st.integers(1, 8), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_multiples_of_a_rotated_basis_are_orthogonal(
    dimension: int, n_arms: int, horizon: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rotation = _rotation(dimension, rng)
    axes = rng.integers(dimension, size=(horizon, n_arms))
    sizes = rng.normal(size=(horizon, n_arms)) * 10.0 ** rng.integers(-40, 40, size=(horizon, 1))
    finding = assumption_one(sizes[..., np.newaxis] * rotation[axes])
    assert finding.holds
    assert len(finding.directions) == len(np.unique(axes))
    # Up to sign, the rows of the basis that were used come back.
    overlaps = np.abs(finding.directions @ rotation[np.unique(axes)].T)
    np.testing.assert_allclose(np.sort(overlaps, axis=1)[:, -1], 1.0)
    np.testing.assert_allclose(
        finding.directions @ finding.directions.T, np.eye(len(finding.directions)), atol=1e-12
    )


@quickly
@given(st.integers(2, 6), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_one_skew_action_among_many_is_found(dimension: int, horizon: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rotation = _rotation(dimension, rng)
    sets = np.repeat(rotation[np.newaxis], horizon, axis=0)
    row = rng.integers(horizon), rng.integers(dimension)
    sets[row] = rotation[0] + rng.uniform(0.1, 10.0) * rotation[1]
    finding = assumption_one(sets)
    # With a single set the skew action can take the place of the axis that it leaned on.
    everything = sets.reshape(-1, dimension)
    cosines = everything @ everything.T
    cosines /= np.outer(np.linalg.norm(everything, axis=1), np.linalg.norm(everything, axis=1))
    is_orthogonal = np.abs(cosines) < 1e-9
    is_parallel = np.abs(cosines) > 1.0 - 1e-9
    assert finding.holds == bool((is_orthogonal | is_parallel).all())
    if not finding.holds:
        assert finding.witness is not None
        assert finding.witness[0] in everything
        first, second = finding.witness
        cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
        assert 0.01 < abs(cosine) < 0.9999


def test_the_witness_is_a_pair_of_the_actions_given() -> None:
    finding = assumption_one([[0.0, 0.0], [0.0, 3.0], [2.0, 0.0], [5.0, 5.0]])
    assert not finding.holds
    assert not finding
    assert finding.witness is not None
    np.testing.assert_array_equal(finding.witness[0], [0.0, 3.0])
    np.testing.assert_array_equal(finding.witness[1], [5.0, 5.0])
    np.testing.assert_array_equal(finding.directions, [[0.0, 1.0]])


@pytest.mark.parametrize("gap", [1e-1, 1e-4, 1e-7])
def test_nearly_collinear_actions_violate_it(gap: float) -> None:
    assert not assumption_one([[1.0, 0.0], [1.0, gap]]).holds
    assert not assumption_one([[1.0, gap], [0.0, 1.0]]).holds
    assert assumption_one([[1.0, 0.0], [1.0, gap]], tolerance=2.0 * gap).holds


def test_rounding_is_no_violation() -> None:
    assert assumption_one([[1.0, 0.0], [1.0, 1e-12], [1e-12, 1.0]]).holds


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e99])
def test_the_scale_of_the_actions_does_not_matter(size: float) -> None:
    assert assumption_one([[size, 0.0], [0.0, size], [0.0, -1.0]]).holds
    assert not assumption_one([[size, 0.0], [size, size]]).holds


def test_zero_actions_fit_anything() -> None:
    assert assumption_one(np.zeros((3, 2))).holds
    assert assumption_one(np.zeros((3, 2))).directions.shape == (0, 2)
    assert assumption_one([[0.0, 0.0], [1.0, 2.0], [-2.0, 1.0]]).directions.shape == (2, 2)


def test_sets_of_different_sizes() -> None:
    sets = [np.eye(2), np.array([[0.0, -2.0]]), np.array([[3.0, 0.0], [0.0, 0.0], [0.0, 1.0]])]
    assert assumption_one(sets).holds
    assert not assumption_one([*sets, np.array([[1.0, 1.0]])]).holds
    assert assumption_one(tuple(sets)).directions.shape == (2, 2)


def test_sets_that_are_orthogonal_one_by_one_need_not_share_a_basis() -> None:
    turned = _rotation(2, np.random.default_rng(1))
    assert assumption_one(turned).holds
    assert not assumption_one(np.stack([np.eye(2), turned])).holds


@pytest.mark.parametrize(
    ("sets", "kind", "message"),
    [
        ([], ValueError, r"decision_sets must have shape \(any, any\), got \(0,\)"),
        (np.empty((0, 2)), ValueError, "decision_sets must not be empty"),
        (np.ones(3), ValueError, r"decision_sets must have shape \(any, any\), got \(3,\)"),
        (np.ones((1, 1, 1, 1)), ValueError, "decision_sets must have shape"),
        ([[1.0, np.nan]], ValueError, "decision_sets must be finite, got nan"),
        ([[np.inf, 1.0]], ValueError, "decision_sets must be finite, got inf"),
        ([np.eye(2), np.eye(3)], ValueError, r"decision_sets\[1\] must have shape \(any, 2\)"),
        ([np.eye(2), np.array([[np.nan, 1.0]])], ValueError, r"decision_sets\[1\] must be finite"),
        ([np.eye(2), np.empty((0, 2))], ValueError, r"decision_sets\[1\] must not be empty"),
        ("eye", TypeError, "decision_sets must be an array of numbers, got 'eye'"),
        (iter([1.0]), TypeError, "decision_sets must be an array of numbers"),
    ],
)
def test_what_is_no_decision_set_is_refused(sets: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        assumption_one(sets)


@pytest.mark.parametrize("tolerance", [0.0, 1.0])
def test_tolerance_is_a_proper_fraction(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance must be in"):
        assumption_one(np.eye(2), tolerance=tolerance)


@pytest.mark.parametrize(
    ("actions", "variation", "geometry", "sliding_window", "bandit_over_bandit"),
    [
        (np.eye(2), 1.0, "orthogonal", "sliding-window", "bandit-over-bandit"),
        (np.eye(2), None, "orthogonal", "sliding-window-unknown", "bandit-over-bandit"),
        (np.eye(2), 0.0, "orthogonal", "sliding-window-stationary", "bandit-over-bandit"),
        (np.eye(2), 0.01, "orthogonal", "sliding-window-stationary", "bandit-over-bandit"),
        (np.tri(2), 1.0, "general", "sliding-window-general", "bandit-over-bandit-general"),
        (
            np.tri(2), None, "general", "sliding-window-general-unknown",
            "bandit-over-bandit-general",
        ),
        (np.tri(2), 0.0, "general", "sliding-window-stationary", "bandit-over-bandit-general"),
        (np.tri(2), 0.01, "general", "sliding-window-general", "bandit-over-bandit-general"),
    ],
)  # fmt: skip
def test_guarantees(
    actions: NDArray[np.float64],
    variation: float | None,
    geometry: str,
    sliding_window: str,
    bandit_over_bandit: str,
) -> None:
    found = guarantees(actions, horizon=30_000, variation=variation)
    assert found.geometry == geometry
    assert found.sliding_window == sliding_window
    assert found.bandit_over_bandit == bandit_over_bandit
    assert ("Assumption 1 holds" in found.sentence) == (geometry == "orthogonal")


def test_guarantees_check_their_arguments() -> None:
    with pytest.raises(ValueError, match="horizon must be at least 1 round, got 0"):
        guarantees(np.eye(2), horizon=0)
    with pytest.raises(ValueError, match="variation must be at least 0, got -1"):
        guarantees(np.eye(2), horizon=10, variation=-1.0)
