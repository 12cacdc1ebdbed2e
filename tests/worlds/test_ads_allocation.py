"""Ads that come and go, visitors, and clicks, against a slate kept by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import AdsAllocation


def by_hand(world: AdsAllocation, seed: int) -> list[list[NDArray[np.float64]]]:
    """The actions of every round, from one slate that is kept from round to round."""
    topics = world.dimension - 1
    renewals, ads = generator(seed, "renewals"), generator(seed, "ads")
    visitors = generator(seed, "visitors")
    slate: list[NDArray[np.float64] | None] = [None] * world.n_arms
    rounds = []
    for t in range(world.horizon):
        for place, (renewal, gets_ad) in enumerate(renewals.random((world.n_arms, 2))):
            if t == 0 or renewal < 1 / world.lifetime:
                ad = ads.standard_normal(topics)
                is_ad = place == 0 or gets_ad < world.filled
                slate[place] = ad / np.linalg.norm(ad) if is_ad else None
        visitor = visitors.random(topics)
        actions = [
            np.array([1.0, *(visitor * ad)]) / math.sqrt(2) for ad in slate if ad is not None
        ]
        rounds.append(actions)
    return rounds


@pytest.mark.parametrize(("lifetime", "filled"), [(7.0, 0.5), (1.0, 0.3), (60.0, 1.0)])
def test_the_slate(lifetime: float, filled: float) -> None:
    world = AdsAllocation(
        horizon=200, n_arms=5, dimension=4, lifetime=lifetime, filled=filled, strength=2.0
    )
    (chunk,) = world.rounds(seed=3, size=200)
    for t, actions in enumerate(by_hand(world, seed=3)):
        assert chunk.sizes[t] == len(actions)
        assert chunk.actions[t, : len(actions)] == pytest.approx(np.array(actions), abs=1e-14)
    assert np.linalg.norm(chunk.actions, axis=2).max() <= 1.0 + 1e-12
    assert chunk.sizes.min() >= 1
    assert (chunk.sizes.max() > chunk.sizes.min()) == (filled < 1.0)


def test_ads_stay_as_long_as_told() -> None:
    world = AdsAllocation(horizon=4000, n_arms=6, dimension=3, lifetime=25.0, filled=1.0)
    slates = np.concatenate([slate for slate, _ in world._slates(seed=2, size=500)])
    renewed = (slates[1:] != slates[:-1]).any(axis=2).mean()
    assert renewed == pytest.approx(1 / 25, rel=0.15)


def test_clicks_follow_the_logistic_function() -> None:
    world = AdsAllocation(horizon=300, n_arms=4, reluctance=0.5, strength=2.0)
    path = np.concatenate(list(world.path(seed=1, size=70)))
    (chunk,) = world.rounds(seed=1, size=300)
    luck = generator(1, "noise").random(300)
    for t in range(300):
        for k in range(chunk.sizes[t]):
            value = float(chunk.actions[t, k] @ path[t])
            probability = 1 / (1 + math.exp(-value))
            assert chunk.means[t, k] == pytest.approx(probability, rel=1e-12)
            assert chunk.rewards[t, k] == (1.0 if luck[t] < chunk.means[t, k] else 0.0)
        assert (chunk.means[t, chunk.sizes[t] :] == 0.0).all()
        assert (chunk.rewards[t, chunk.sizes[t] :] == 0.0).all()


def test_the_link_neither_overflows_nor_leaves_the_unit_interval() -> None:
    world = AdsAllocation(horizon=10)
    values = np.array([-1e5, -5.0, 0.0, 5.0, 1e5])
    probabilities = world.link(values)
    assert probabilities[[0, 2, 4]].tolist() == [0.0, 0.5, 1.0]
    assert probabilities[1] + probabilities[3] == pytest.approx(1.0, abs=1e-15)
    assert (np.diff(world.link(np.linspace(-30, 30, 1001))) >= 0.0).all()


def test_tastes_turn_and_keep_the_budget() -> None:
    world = AdsAllocation(horizon=400, variation=10.0, reluctance=1.5, strength=2.5)
    path = np.concatenate(list(world.path(seed=0, size=64)))
    assert np.allclose(path[:, 0], -1.5 * math.sqrt(2))
    assert np.allclose(np.linalg.norm(path[:, 1:], axis=1), 2.5 * math.sqrt(2))
    assert np.allclose(np.linalg.norm(path, axis=1), world.parameter_norm)
    assert np.allclose(np.linalg.norm(np.diff(path, axis=0), axis=1), 10.0 / 399)
    assert world.realised_variation().l2 == pytest.approx(10.0, rel=1e-9)
    assert world.realised_variation().arms is None
    assert world.number_of_changes() == 399
    assert not world.satisfies_assumption_one()


def test_visitors_ads_and_renewals_belong_to_the_seed() -> None:
    world = AdsAllocation(horizon=50)
    (one,), (other,) = world.rounds(seed=0, size=50), world.rounds(seed=1, size=50)
    assert not np.array_equal(one.actions, other.actions)
    assert not np.array_equal(one.sizes, other.sizes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimension": 2}, "dimension must be at least 3, got 2"),
        ({"n_arms": 0}, "n_arms must be at least 1, got 0"),
        ({"lifetime": 0.5}, "lifetime must be at least 1, got 0.5"),
        ({"filled": 0.0}, "filled must be in (0, 1], got 0.0"),
        ({"strength": 0.0}, "strength must be above 0, got 0.0"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        AdsAllocation(**{"horizon": 10} | arguments)
    assert str(error.value) == message
