"""Lemma 3 of the paper (bob): how large the total reward of a block can get.

With Q the largest total, in absolute value, over all blocks,
P(Q > H + 2 R sqrt(H ln(T / sqrt(H)))) <= 2 / T.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from driftwise.theory.blocks import block_length, block_reward_scale

N_RUNS = 20_000
SHAPES = [(100, 2), (200, 1), (200, 2), (400, 3)]  # horizon, dimension


def _largest_totals(horizon: int, length: int, noise: float, seed: int) -> NDArray[np.float64]:
    """Q over many runs of the worst rewards allowed: every expected reward is 1 in magnitude."""
    rng = np.random.default_rng(seed)
    starts = np.arange(0, horizon, length)
    # In chunks: all normals at once would take hundreds of megabytes.
    chunks = []
    for _ in range(10):
        rewards = rng.normal(1.0, noise, size=(N_RUNS // 10, horizon))
        chunks.append(np.abs(np.add.reduceat(rewards, starts, axis=1)).max(axis=1))
    return np.concatenate(chunks)


def _most(probability: float) -> int:
    """A count of failures that is exceeded by chance once in a million tests."""
    return int(stats.binom.isf(1e-6, N_RUNS, probability))


@pytest.mark.parametrize(("horizon", "dimension"), SHAPES)
@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_the_largest_total_exceeds_its_bound_with_probability_two_over_the_horizon(
    horizon: int, dimension: int, noise: float
) -> None:
    length = block_length(horizon=horizon, dimension=dimension)
    totals = _largest_totals(horizon, length, noise, seed=horizon + dimension)
    bound = block_reward_scale(horizon=horizon, block_length=length, noise=noise) / 2.0
    assert (totals > bound).sum() <= _most(2.0 / horizon)
    # The same count would betray a bound with half the room for noise, or none for the mean.
    half = length + (bound - length) / 2.0
    assert (totals > half).sum() > _most(2.0 / horizon)
    assert (totals > bound - length).sum() > _most(2.0 / horizon)


def test_it_is_not_far_from_the_truth() -> None:
    # A normal tail is thinner than the sub-Gaussian bound by a polynomial factor only.
    horizon, length = 100, 15
    totals = _largest_totals(horizon, length, 1.0, seed=0)
    bound = block_reward_scale(horizon=horizon, block_length=length, noise=1.0) / 2.0
    assert totals.max() > length + 0.8 * (bound - length)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data(), st.integers(3, 10**6))
def test_the_union_over_a_short_last_block_stays_below_two_over_the_horizon(
    data: st.DataObject, horizon: int
) -> None:
    # The proof charges 2 H / T^2 for each of ceil(T / H) blocks, together more than 2 / T when the
    # last block is short. But a sum of r terms has variance r R^2, not H R^2, and exceeds the bound
    # with probability 2 (H / T^2)^(H / r) only. With that the lemma is right as it stands.
    length = data.draw(st.integers(1, horizon))
    n_full, rest = divmod(horizon, length)
    failure = length / horizon**2
    union = n_full * 2.0 * failure + (2.0 * failure ** (length / rest) if rest else 0.0)
    assert union <= 2.0 / horizon * (1.0 + 1e-12)
    if rest:
        assert (n_full + 1) * 2.0 * failure > 2.0 / horizon
