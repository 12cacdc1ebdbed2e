"""The picture of what a policy says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import driftwise as dw
from driftwise.experiments.explanation_figure import draw_explanation, follow

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
    assert account.truth is not None
    np.testing.assert_array_equal(account.truth[[0, -1]], [[0.8, 0.2], [0.1, 0.7]])
    drawing = draw_explanation(account)
    assert drawing.png.startswith(b"\x89PNG")
    assert "Changes noticed: 1." in drawing.words
    assert drawing == draw_explanation(account)


def test_a_policy_without_a_noise_and_a_world_of_changing_sets() -> None:
    world = dw.worlds.SmoothCircle(horizon=300, n_arms=5)
    account = follow(dw.SlidingWindowUCB(200, noise=1.0), world, checkpoints=10)
    assert account.noise is None
    assert account.means is None
    np.testing.assert_array_equal(account.memory, np.minimum(account.rounds, 200))
    assert "200 at the end" in draw_explanation(account).words


def test_a_policy_without_an_estimate_has_nothing_to_say() -> None:
    with pytest.raises(AttributeError, match="Exp3 keeps no estimate"):
        follow(dw.Exp3(0.1), WORLD)
