"""Posted prices: the demand by hand, and that a buyer who pays would pay less, too."""

from __future__ import annotations

import math
from typing import Any

import pytest

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import PostedPrices


def test_revenues_follow_the_demand() -> None:
    world = PostedPrices(
        horizon=900, prices=[2.0, 5.0, 9.0], middle=6.0, swing=2.0, spread=1.5, period=300
    )
    (chunk,) = world.rounds(seed=3, size=900)
    luck = generator(3, "noise").random(900)
    for t in range(1, 901, 7):
        middle = 6.0 + 2.0 * math.sin(2 * math.pi * t / 300)
        for k, price in enumerate([2.0, 5.0, 9.0]):
            accepted = 1 / (1 + math.exp((price - middle) / 1.5))
            assert chunk.means[t - 1, k] == pytest.approx(price * accepted, rel=1e-12)
            assert chunk.rewards[t - 1, k] == (price if luck[t - 1] < accepted else 0.0)
    is_sold = chunk.rewards > 0.0
    assert (is_sold[:, :-1] >= is_sold[:, 1:]).all()
    assert world.noise == 4.5


def test_prices_are_a_copy() -> None:
    world = PostedPrices(horizon=10)
    world.prices[:] = 0.0
    assert world.prices.min() == 10.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prices": [1.0, 0.0]}, "prices must be above 0, got 0.0"),
        ({"spread": 0.0}, "spread must be above 0, got 0.0"),
        ({"swing": -1.0}, "swing must be at least 0, got -1.0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PostedPrices(**{"horizon": 10} | arguments)
