"""A season that all arms share: the formula, and that it changes nothing that matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.worlds import CommonSeason


def test_the_formula() -> None:
    world = CommonSeason(horizon=2500, levels=[0.2, 0.7], amplitude=0.1, period=700)
    path = np.concatenate(list(world.path(seed=0, size=600)))
    for t in range(1, 2501, 17):
        season = 0.1 * math.sin(2 * math.pi * t / 700)
        assert path[t - 1] == pytest.approx([0.2 + season, 0.7 + season], abs=1e-12)


def test_the_differences_stay() -> None:
    world = CommonSeason(horizon=1000, levels=[0.2, 0.7, 0.4])
    (chunk,) = world.rounds(seed=1, size=1000)
    assert np.ptp(chunk.means[:, 0]) > 0.5
    assert np.allclose(chunk.means[:, 1] - chunk.means[:, 2], 0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"period": 0}, "period must be at least 1 round, got 0"),
        ({"amplitude": -1.0}, "amplitude must be at least 0, got -1.0"),
        ({"rewards": "bernoulli", "amplitude": 0.5}, r"expected rewards must be in \[0, 1\]"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CommonSeason(**{"horizon": 10} | arguments)
