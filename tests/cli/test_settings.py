"""Who gets which setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from driftwise.experiments.setup.pairing import pair
from driftwise.experiments.setup.tuning import facts_about
from driftwise.worlds import Recorded


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


OWN = {"parameters": np.linspace(0.0, 1.0, 400).reshape(200, 2), "decision_sets": np.eye(2)}


@pytest.mark.parametrize(
    ("world", "settings", "name", "value"),
    [("World", OWN, "horizon", 50), ("Switching", {}, "variation", 3.0)],
)
def test_what_a_world_decides_is_not_told_to_the_policy_alone(
    world: str, settings: dict[str, Any], name: str, value: float
) -> None:
    rule = (
        f"^{name} must be a setting of the world {world}, which has none; "
        f"policy\\.{name} is for the policy alone, got {value}$"
    )
    with pytest.raises(ValueError, match=rule):
        pair("SlidingWindowUCB", world, {**settings, name: value})
    made = pair("SlidingWindowUCB", world, {**settings, f"policy.{name}": value})
    assert made.told[name] == value, "it is possible, but must be meant"


def test_noise_in_records_is_no_variation() -> None:
    rewards = np.random.default_rng(0).normal(size=(200, 2))
    means = np.repeat([[0.2, 0.6], [0.6, 0.6]], 100, axis=0)
    bare = facts_about(Recorded(decision_sets=np.eye(2), rewards=rewards), seed=0)
    assert not bare.keys() & {"variation", "variation of arms"}
    known = facts_about(Recorded(decision_sets=np.eye(2), rewards=rewards, means=means), seed=0)
    assert known["variation"] == known["variation of arms"] == pytest.approx(0.4)


def test_changes_are_counted_where_they_can_be_known() -> None:
    clicks = np.zeros((200, 2))
    clicks[[20, 90, 150]] = 1.0  # they differ from the round before in few rounds: by luck alone
    means = np.repeat([[0.2, 0.6], [0.6, 0.6]], 100, axis=0)
    bare = facts_about(Recorded(decision_sets=np.eye(2), rewards=clicks), 0, is_measured=True)
    known = Recorded(decision_sets=np.eye(2), rewards=clicks, means=means)
    assert "n_changes" not in bare
    assert facts_about(known, 0, is_measured=True)["n_changes"] == 1
    assert "n_changes" not in facts_about(known, 0)


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
