"""Who gets which setting."""

from __future__ import annotations

import pytest

from driftwise.experiments.pairing import pair


def test_settings_find_their_owner() -> None:
    made = pair("SlidingWindowUCB", "Sinusoid", {"window": 500, "factor": 2.0, "ridge": 3.0})
    assert made.policy.window == 500
    assert made.policy.confidence == 1 / 30_000, "the rest stays tuned"
    assert made.policy.ridge == 3.0
    assert made.world.factor == 2.0
    assert made.replaced == {"window": 500}


def test_a_setting_of_both_goes_to_both() -> None:
    made = pair("SlidingWindowUCB", "Sinusoid", {"noise": 0.5})
    assert (made.policy.noise, made.world.noise) == (0.5, 0.5)


def test_a_setting_with_a_dot_goes_to_one() -> None:
    made = pair("SlidingWindowUCB", "Sinusoid", {"policy.noise": 0.5, "world.noise": 0.2})
    assert (made.policy.noise, made.world.noise) == (0.5, 0.2)


@pytest.mark.parametrize("policy", ["SlidingWindowUCB", "Exp3S"])
def test_an_unknown_variation_is_not_told(policy: str) -> None:
    settings = {"variation": 20.0, "horizon": 5000}
    known = pair(policy, "Sinusoid", settings)
    unknown = pair(policy, "Sinusoid", settings, is_variation_known=False)
    assert known.told["variation"] == 20.0
    assert "variation" not in unknown.told
    assert unknown.world.variation == 20.0
    assert unknown.policy != known.policy


def test_a_world_without_a_budget_tells_what_it_measures() -> None:
    still = pair("SlidingWindowUCB", "Stationary", {"horizon": 700})
    assert still.told["variation"] == 0.0
    assert still.policy.window == 700
    assert still.world_settings["parameter"] == [0.2, 0.8]


@pytest.mark.parametrize(("dimension", "geometry"), [(2, "orthogonal"), (3, "general")])
def test_policies_are_tuned_for_the_decision_set(dimension: int, geometry: str) -> None:
    made = pair("BanditOverBandit", "LowerBound", {"dimension": dimension, "horizon": 1000})
    assert made.told["geometry"] == geometry
    assert made.is_orthogonal == (geometry == "orthogonal")
