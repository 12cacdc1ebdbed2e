"""How long to remember rewards of arms that drift: edges that all formulas share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from driftwise import theory

FORMULAS: dict[str, Callable[..., int]] = {
    "batch_length": theory.batch_length,
    "drift_window": theory.drift_window,
    "rerun_length": partial(theory.rerun_length, noise=0.3),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_more_variation_means_a_shorter_memory(name: str) -> None:
    lengths = [
        FORMULAS[name](horizon=5000, n_arms=4, variation=variation)
        for variation in (0.0, 1e-300, 0.1, 1.0, 20.0, 1e50)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert (lengths[0], lengths[1], lengths[-1]) == (5000, 5000, 1)
    assert 1 < lengths[3] < lengths[2] < 5000


@pytest.mark.parametrize("name", FORMULAS)
def test_unknown_variation_counts_as_one(name: str) -> None:
    known: dict[str, Any] = {"horizon": 5000, "n_arms": 4}
    assert FORMULAS[name](**known, variation=None) == FORMULAS[name](**known, variation=1.0)


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"horizon": 0}, "horizon must be at least 1 round"),
        ({"n_arms": 0}, "n_arms must be at least 1"),
        ({"variation": -0.5}, "variation must be at least 0"),
    ],
)
def test_what_is_wrong_is_refused(name: str, wrong: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        FORMULAS[name](**({"horizon": 100, "n_arms": 2, "variation": 1.0} | wrong))


def test_a_period_is_the_window_for_one_more_variation() -> None:
    known: dict[str, Any] = {"horizon": 6000, "dimension": 3, "geometry": "general"}
    assert theory.restart_period(**known, variation=2.0) == theory.window(**known, variation=3.0)
    assert theory.restart_period(**known) == theory.window(**known, variation=1.0)


def test_the_discount_of_weighted_ucb() -> None:
    known: dict[str, Any] = {"horizon": 10_000, "dimension": 4}
    assert theory.weighted_discount(**known) == theory.weighted_discount(**known, variation=1.0)
    assert theory.weighted_discount(**known, variation=0.0) == 1 - 1e-4
    assert theory.weighted_discount(horizon=2, dimension=1, variation=50.0) == 0.5
