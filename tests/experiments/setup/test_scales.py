"""What is measured on a path: bounds and scales, padding left out."""

from __future__ import annotations

import numpy as np
import pytest

from driftwise.experiments.setup.scales import scales_of
from driftwise.experiments.setup.tuning import facts_about, tune
from driftwise.policies import DiscountedGLMUCB, LinUCB
from driftwise.worlds import AdsAllocation, LowerBoundBall, PostedPrices, World


def test_by_hand() -> None:
    world = World(
        parameters=[[2.0, -6.0], [1.0, 1.0]],
        decision_sets=[[[3.0, 4.0], [0.0, 0.5]], [[0.0, 0.0]]],
        noise=0.0,
    )
    # Means -18 over a length of 5, -3 over 0.5, 0 over 0; the padding below has no length either.
    found = scales_of(world, seed=0)
    assert found == {"action_norm": 5.0, "parameter_norm": 6.0, "low": -18.0}


def test_deviation_and_range_are_those_of_the_rewards() -> None:
    world = PostedPrices(horizon=3000, prices=[2.0, 4.0])
    (chunk,) = world.rounds(seed=1, size=3000)
    found = scales_of(world, seed=1)
    assert found["deviation"] == pytest.approx(np.std(chunk.rewards - chunk.means), rel=0.01)
    assert (found["high"], found["reward_range"]) == (4.0, 4.0)
    assert "low" not in found
    assert scales_of(LowerBoundBall(horizon=100, dimension=2, variation=1.0), seed=0) == {}


def test_logistic_policies_are_told_of_a_logistic_parameter() -> None:
    world = AdsAllocation(horizon=500)
    facts = facts_about(world, 0, is_measured=True)
    logistic, linear = (tune(cls, facts, {})[0] for cls in (DiscountedGLMUCB, LinUCB))
    assert logistic.parameter_norm == world.parameter_norm
    assert linear.parameter_norm == scales_of(world, 0)["parameter_norm"] < world.parameter_norm
