from __future__ import annotations

import numpy as np
import pytest

from driftwise.worlds import FreshSets


def path_of(world: FreshSets, seed: int = 0) -> np.ndarray:
    return np.concatenate(list(world.path(seed, 97)))


def test_a_rotation_keeps_its_length_and_its_variation() -> None:
    path = path_of(FreshSets(horizon=500, dimension=4, variation=3.0))
    assert np.linalg.norm(path, axis=1) == pytest.approx(1.0)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert steps.sum() == pytest.approx(3.0)
    assert steps.max() == pytest.approx(steps.min())


def test_jumps_come_at_even_distances_to_unit_vectors() -> None:
    path = path_of(FreshSets(horizon=600, dimension=3, motion="jumps", variation=4.0), seed=3)
    assert np.linalg.norm(path, axis=1) == pytest.approx(1.0)
    changes = np.flatnonzero((np.diff(path, axis=0) != 0).any(axis=1)) + 1
    assert changes.tolist() == [200, 400]
    assert not np.array_equal(path, path_of(FreshSets(horizon=600, motion="jumps"), seed=4))


def test_a_walk_moves_as_far_as_it_is_told_on_average() -> None:
    world = FreshSets(horizon=2000, dimension=8, motion="walk", variation=3.0)
    found = [world.realised_variation(seed).l2 for seed in range(5)]
    # E|N(0, I_8)| / sqrt(8) = 0.97
    assert np.mean(found) == pytest.approx(0.97 * 3.0, rel=0.02)
    assert (np.linalg.norm(path_of(world), axis=1) <= 1.0 + 1e-12).all()


def test_actions_are_fresh_and_in_the_unit_ball() -> None:
    world = FreshSets(horizon=50, dimension=3, n_arms=7)
    (chunk,) = world.rounds(seed=0, size=50)
    assert chunk.actions.shape == (50, 7, 3)
    assert len(np.unique(chunk.actions[:, 0, 0])) == 50
    assert (np.linalg.norm(chunk.actions, axis=2) <= 1.0 + 1e-12).all()
    assert not world.satisfies_assumption_one()


def test_an_unknown_motion_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'jumps'"):
        FreshSets(horizon=50, motion="jump")  # type: ignore[arg-type]  # wrong on purpose


def test_scales_change_features_and_not_rewards() -> None:
    plain = FreshSets(horizon=50, dimension=2, motion="jumps", variation=6.0)
    scaled = FreshSets(
        horizon=50, dimension=2, motion="jumps", variation=6.0, scales=[1000.0, 0.001]
    )
    (one,), (other,) = plain.rounds(seed=4, size=50), scaled.rounds(seed=4, size=50)
    assert np.allclose(one.actions * [1000.0, 0.001], other.actions)
    assert np.allclose(one.means, other.means)
    assert np.allclose(one.rewards, other.rewards)
    with pytest.raises(ValueError, match=r"scales must be above 0, got -1.0"):
        FreshSets(horizon=50, dimension=2, scales=[1.0, -1.0])
