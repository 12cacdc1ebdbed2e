"""The picture of what a policy says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import driftwise as dw
from driftwise.experiments.account import follow
from driftwise.experiments.explanation_figure import draw_explanation

WORLD = dw.worlds.Switching(
    horizon=600, n_changes=1, parameters=[[0.8, 0.2], [0.1, 0.7]], noise=0.1
)


def test_it_is_the_run_that_simulate_plays() -> None:
    policy = dw.AdaptiveUCB()
    account = follow(policy, WORLD, seed=3, checkpoints=20)
    run = dw.simulate(policy, WORLD, seed=3, checkpoints=20)
    np.testing.assert_array_equal(account.rounds, run.rounds)
    np.testing.assert_array_equal(account.regret, run.regret)
    assert len(account.notices) == 1
    assert 300 < account.notices[0] <= 310
    assert account.changes == [301]
    assert account.track is not None
    assert account.track.kind == "arm"
    assert account.track.truth is not None
    np.testing.assert_array_equal(account.track.truth[[0, -1]], [[0.8, 0.2], [0.1, 0.7]])
    drawing = draw_explanation(account)
    assert drawing.png.startswith(b"\x89PNG")
    assert "Changes noticed: 1." in drawing.words
    assert drawing == draw_explanation(account)


def test_a_policy_without_a_noise_and_a_world_of_changing_sets() -> None:
    world = dw.worlds.SmoothCircle(horizon=300, n_arms=5)
    account = follow(dw.SlidingWindowUCB(200, noise=1.0), world, checkpoints=10)
    assert account.noise is None
    # Actions differ from round to round, so it is the parameter that is followed.
    assert account.track is not None
    assert account.track.kind == "coordinate"
    path = np.concatenate(list(world.path(0, 77)))
    assert account.track.truth is not None
    np.testing.assert_array_equal(account.track.truth, path[account.rounds - 1])
    assert account.changes == []
    np.testing.assert_array_equal(account.memory, np.minimum(account.rounds, 200))
    assert "200 at the end" in draw_explanation(account).words


def test_records_have_no_truth_to_draw() -> None:
    rewards = np.random.default_rng(0).uniform(size=(40, 2))
    world = dw.worlds.Recorded(decision_sets=np.eye(2), rewards=rewards)
    watched: list[int] = []
    policy = dw.SlidingWindowUCB(20, noise=1.0)
    account = follow(policy, world, checkpoints=8, watch=watched.append)
    assert watched == [5] * 8
    assert account.track is not None
    assert account.track.truth is None
    assert account.changes == []
    assert "in Recorded over 40 rounds" in draw_explanation(account).words


@pytest.mark.parametrize("n_arms", [2, 6])
def test_arms_have_no_parameter_to_follow(n_arms: int) -> None:
    world = dw.worlds.Switching(horizon=60, dimension=n_arms, n_changes=1)
    account = follow(dw.EpsilonGreedy(0.1), world, checkpoints=60)
    assert (account.track is None) == (n_arms > 4)
    if account.track is not None:
        assert np.isnan(account.track.values[0]).sum() == 1, "one of two was played"
        assert np.isnan(account.track.errors).all()
    assert "EpsilonGreedy says of itself" in draw_explanation(account).words


def test_a_policy_without_an_estimate_has_nothing_to_say() -> None:
    with pytest.raises(AttributeError, match="Exp3 keeps no estimate"):
        follow(dw.Exp3(0.1), WORLD)
