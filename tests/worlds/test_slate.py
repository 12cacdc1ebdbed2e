"""Ads that come and go, against a slate kept by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from driftwise.core.randomness.seeds import generator
from driftwise.worlds import Slate


def test_the_slate() -> None:
    world = Slate(horizon=300, n_arms=3, ads_per_place=4, lifetime=9.0, highest=0.5)
    (chunk,) = world.rounds(seed=5, size=300)
    rates = next(world.path(seed=5, size=1))[0]
    assert rates.min() >= 0.002
    assert rates.max() <= 0.5
    random, turns = generator(5, "renewals"), [0, 0, 0]
    for t in range(300):
        for place, chance in enumerate(random.random(3)):
            turns[place] = (turns[place] + (chance < 1 / 9)) % 4
            ad = 4 * place + turns[place]
            assert chunk.actions[t, place].tolist() == np.eye(12)[ad].tolist()
            assert chunk.means[t, place] == rates[ad]


def test_ads_stay_as_long_as_told() -> None:
    world = Slate(horizon=20_000, n_arms=5, lifetime=25.0)
    shown = np.concatenate([c.actions.argmax(axis=2) for c in world.rounds(seed=2, size=5000)])
    assert (shown[1:] != shown[:-1]).mean() == pytest.approx(1 / 25, rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lifetime": 0.5}, "lifetime must be at least 1, got 0.5"),
        ({"lowest": 0.0}, "lowest must be above 0, got 0.0"),
        ({"highest": 0.001}, "highest must be at least lowest, and at most 1, got 0.002 and 0.001"),
        ({"highest": 1.5}, "highest must be at least lowest, and at most 1, got 0.002 and 1.5"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Slate(**{"horizon": 10} | arguments)
