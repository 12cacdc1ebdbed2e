"""The paper's two arms: the printed formula, and the variation it really has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.worlds import Sinusoid


@pytest.mark.parametrize(
    ("horizon", "variation", "factor"),
    [(30_000, 1.0, 5.0), (30_000, 30_000 ** (1 / 3), 5.0), (9_000, 3.0, 5 / 3), (10, 0.0, 5.0)],
)
def test_the_printed_formula(horizon: int, variation: float, factor: float) -> None:
    world = Sinusoid(horizon=horizon, variation=variation, factor=factor)
    path = np.concatenate(list(world.path(seed=0, size=1000)))
    assert path.shape == (horizon, 2)
    for t in [*range(1, horizon + 1, 97), horizon]:
        angle = factor * variation * math.pi * t / horizon
        printed = [0.5 + 0.3 * math.sin(angle), 0.5 + 0.3 * math.sin(math.pi + angle)]
        assert path[t - 1] == pytest.approx(printed, rel=0, abs=1e-12)


@pytest.mark.parametrize("variation", [1.0, 3.0, 6.0])
@pytest.mark.parametrize(("factor", "multiple"), [(5.0, 3.0), (5 / 3, 1.0)])
def test_variation_is_three_times_what_the_paper_says_unless_the_factor_is_a_third(
    variation: float, factor: float, multiple: float
) -> None:
    world = Sinusoid(horizon=60_000, variation=variation, factor=factor)
    measured = world.realised_variation()
    # Whole half turns are exact but for the first step; a rest of a turn shifts it by < 0.1.
    margin = 0.001 if (factor * variation) % 1.0 < 1e-9 else 0.1
    assert measured.l2 == pytest.approx(multiple * math.sqrt(2) * variation, abs=margin)
    assert measured.arms == pytest.approx(multiple * variation, abs=margin)


def test_the_paper_setting() -> None:
    world = Sinusoid(horizon=100)
    assert (world.variation, world.factor, world.noise, world.rewards) == (
        1.0,
        5.0,
        0.1,
        "gaussian",
    )
    assert world.decision_set is not None
    assert world.decision_set.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert repr(world) == (
        "<Sinusoid: horizon=100, n_arms=2, dimension=2, noise=0.1, rewards='gaussian', "
        "variation=1.0, factor=5.0>"
    )


def test_both_arms_get_their_turn() -> None:
    path = np.concatenate(list(Sinusoid(horizon=1000).path(seed=0, size=64)))
    assert 0.3 < (path[:, 0] > path[:, 1]).mean() < 0.7
    assert np.allclose(path.sum(axis=1), 1.0)
    assert path.max() == pytest.approx(0.8, abs=1e-4)
    assert path.min() == pytest.approx(0.2, abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon must be at least 1 round, got 0"),
        ({"variation": -1.0}, "variation must be at least 0, got -1.0"),
        ({"variation": math.nan}, "variation must be a finite number, got nan"),
        ({"factor": 0.0}, "factor must be above 0, got 0.0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Sinusoid(**{"horizon": 10} | arguments)
    assert str(error.value) == message


def test_a_short_path_is_kept_for_all_replications() -> None:
    worlds = [Sinusoid(horizon=100_000, variation=variation) for variation in (1.0, 2.0)]
    for world in worlds:
        first, again = (next(world.path(seed=seed, size=2**15)) for seed in (0, 1))
        assert first is again
        assert not first.flags.writeable, "others read it, too"
        kept = np.concatenate(list(world.path(seed=0, size=2**15)))
        assert np.array_equal(kept, next(world.path(seed=0, size=100_000)))
    one, other = (next(world.path(seed=0, size=2**15)) for world in worlds)
    assert not np.array_equal(one, other)


def test_a_long_path_is_not_kept() -> None:
    world = Sinusoid(horizon=2_000_000)
    first, again = (next(world.path(seed=0, size=2**15)) for _ in range(2))
    assert first is not again
    assert np.array_equal(first, again)
