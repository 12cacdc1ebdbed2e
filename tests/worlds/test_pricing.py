"""Revenue, its noise, the way of demand, and the two ways to measure it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import Pricing


def path_of(world: Pricing) -> NDArray[np.float64]:
    return np.concatenate(list(world.path(seed=0, size=700)))


def test_the_reward_is_the_revenue() -> None:
    prices = [0.1, 0.4, 0.55, 0.7]
    world = Pricing(horizon=300, prices=prices, demand_noise=0.2)
    luck = generator(5, "noise").standard_normal(300)
    (chunk,) = world.rounds(seed=5, size=300)
    for t, (intercept, slope) in enumerate(path_of(world)):
        for k, price in enumerate(prices):
            demand = intercept - slope * price
            assert chunk.means[t, k] == pytest.approx(price * demand, rel=1e-12, abs=1e-15)
            revenue = price * (demand + 0.2 * luck[t])
            assert chunk.rewards[t, k] == pytest.approx(revenue, rel=1e-12, abs=1e-15)
    assert world.noise == pytest.approx(0.2 * 0.7)
    assert chunk.actions[0, 1] == pytest.approx([0.4, -0.16])


def test_the_demand_goes_to_and_fro_at_constant_speed() -> None:
    world = Pricing(horizon=1001, variation=1.0)
    path, way = path_of(world), math.dist((0.6, 0.8), (0.8, 0.6))
    for t in range(0, 1001, 7):
        gone = (t / 1000) / way  # in ways from one end to the other
        legs, part = divmod(gone, 1.0)
        part = 1.0 - part if legs % 2 else part
        assert path[t] == pytest.approx([0.6 + 0.2 * part, 0.8 - 0.2 * part], rel=1e-9)
    assert world.number_of_changes() == 1000
    assert 1.0 - 3 * 0.001 <= world.realised_variation().l2 <= 1.0 + 1e-12


def test_the_default_prices_contain_the_best() -> None:
    world = Pricing(horizon=500)
    assert len(world.prices) == 15
    assert (world.prices[0], world.prices[-1]) == (0.05, 0.75)
    (chunk,) = world.rounds(seed=0, size=500)
    for t, (intercept, slope) in enumerate(path_of(world)):
        best = world.prices[int(chunk.means[t].argmax())]
        assert abs(best - intercept / (2 * slope)) <= 0.025 + 1e-9
    assert world.decision_set is not None
    assert np.linalg.norm(world.decision_set, axis=1).max() <= 1.0
    assert np.linalg.norm(path_of(world), axis=1).max() <= 1.0 + 1e-12
    assert not world.satisfies_assumption_one()


def quadratic_variation(path: NDArray[np.float64]) -> float:
    """The largest sum of squared moves between chosen rounds: the best last choice, by each round."""
    best = [0.0]
    for t in range(1, len(path)):
        best.append(max(best[s] + math.dist(path[s], path[t]) ** 2 for s in range(t)))
    return best[-1]


def test_the_brute_force_is_right() -> None:
    path = np.random.default_rng(0).normal(size=(8, 2))
    sums = [
        sum(math.dist(path[a], path[b]) ** 2 for a, b in itertools.pairwise(chosen))
        for n in range(2, 9)
        for chosen in itertools.combinations(range(8), n)
    ]
    assert quadratic_variation(path) == pytest.approx(max(sums))


@pytest.mark.parametrize("budget", [0.0, 0.05, 0.08, 0.32, 0.5])
def test_the_budget_of_keskin_and_zeevi(budget: float) -> None:
    world = Pricing.keskin_zeevi(horizon=201, quadratic_variation=budget)
    assert world.quadratic_variation == pytest.approx(budget, abs=1e-12)
    # Turns between two rounds cut off up to a step of each way.
    assert quadratic_variation(path_of(world)) <= budget + 1e-12
    assert quadratic_variation(path_of(world)) == pytest.approx(budget, rel=0.1, abs=1e-12)


def test_whole_ways_cost_their_square_and_the_path_length_is_longer() -> None:
    way = math.dist((0.6, 0.8), (0.8, 0.6))
    world = Pricing.keskin_zeevi(horizon=100, quadratic_variation=4 * way**2)
    assert world.variation == pytest.approx(4 * way)
    still = Pricing(horizon=100, variation=0.0, start=(0.6, 0.6), end=(0.6, 0.6))
    assert (still.number_of_changes(), still.quadratic_variation) == (0, 0.0)


def test_one_round_is_enough() -> None:
    assert path_of(Pricing(horizon=1)).tolist() == [[0.6, 0.8]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prices": [0.5, 0.0]}, "prices must be above 0, got 0.0"),
        ({"prices": []}, "prices must not be empty, got shape (0,)"),
        ({"start": (0.6,)}, "start must have shape (2), got (1,)"),
        ({"end": (0.6, -0.5)}, "end must be two numbers above 0, got 0.6 and -0.5"),
        (
            {"prices": [0.5, 2.0]},
            "start must leave a demand of at least 0 at the largest price 2, got -1",
        ),
        ({"demand_noise": -0.1}, "demand_noise must be at least 0, got -0.1"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
        (
            {"start": (0.6, 0.6), "end": (0.6, 0.6)},
            "variation must be 0 when start and end are equal, got 1.0",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Pricing(**{"horizon": 10} | arguments)
    assert str(error.value) == message


def test_a_budget_needs_a_way_to_spend_it() -> None:
    with pytest.raises(ValueError, match=r"^quadratic_variation must be 0 when start and end are"):
        Pricing.keskin_zeevi(horizon=10, start=(0.6, 0.6), end=(0.6, 0.6))
