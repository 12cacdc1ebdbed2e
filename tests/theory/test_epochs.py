"""Epochs of doubling length: the constant against every horizon that there is."""

from __future__ import annotations

import pytest

from driftwise import theory


def worst_ratio(exponent: float, first: int, horizon: int) -> float:
    """Return the most that epochs may lose, over T^a, for all T beyond the first epoch."""
    worst, lost, length, end = 0.0, float(first) ** exponent, first, first
    for rounds in range(first + 1, horizon + 1):
        if rounds > end:  # a new epoch begins: all that it may lose counts at once
            length *= 2
            end += length
            lost += length**exponent
        worst = max(worst, lost / rounds**exponent)
    return worst


@pytest.mark.parametrize("exponent", [0.3, 0.5, 2 / 3, 0.694, 0.75, 0.9])
def test_the_constant_holds_at_all_horizons_and_is_nearly_reached(exponent: float) -> None:
    constant = theory.doubling_constant(exponent)
    ratios = [worst_ratio(exponent, first, 200_000) for first in (1, 2, 7, 100, 1000)]
    assert max(ratios) <= constant
    assert max(ratios) > 0.95 * constant


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.5, float("nan")])
def test_an_exponent_is_between_0_and_1(exponent: float) -> None:
    with pytest.raises(ValueError, match="exponent must be"):
        theory.doubling_constant(exponent)


@pytest.mark.parametrize(("first", "rounds"), [(1, 1), (3, 20), (128, 2**20)])
def test_lengths_double_until_there_are_enough(first: int, rounds: int) -> None:
    lengths = theory.epoch_lengths(first, rounds)
    assert lengths == [first * 2**i for i in range(len(lengths))]
    assert sum(lengths) >= rounds
    assert sum(lengths[:-1]) < rounds
