"""The paper's two experiments, tuned: values worked out independently, to the digits printed."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from driftwise.theory.blocks import block_length, block_mixing, block_reward_scale, window_grid
from driftwise.theory.exponential_weights import exp3s_mixing
from driftwise.theory.radius import radius
from driftwise.theory.windows import window

DIMENSION, NOISE = 2, 0.1


class Row(NamedTuple):
    horizon: int
    variation: float
    window: int
    window_unknown: int
    block_length: int
    n_steps: int
    mixing: float
    grid: tuple[int, ...]
    scale: float
    exp3s_mixing: float
    radius: float


SMALL = (1, 2, 6, 16, 42, 107, 274)
MIDDLE = (1, 2, 6, 14, 36, 90, 222, 549)
LARGE = (1, 2, 6, 17, 44, 116, 300, 777)

ROWS = [
    Row(30_000, 1.0, 1532, 1532, 274, 6, 0.2685, SMALL, 566.1, 0.09979, 1.5940),
    Row(30_000, 30_000 ** (1 / 3), 155, 1532, 274, 6, 0.2685, SMALL, 566.1, 0.31372, 1.5542),
    Row(120_000, 1.0, 3861, 3861, 549, 7, 0.2103, MIDDLE, 1125.4, 0.06540, 1.6317),
    Row(240_000, 1.0, 6130, 6130, 777, 7, 0.1770, LARGE, 1587.6, 0.05286, 1.6498),
    Row(240_000, 240_000 ** (1 / 3), 390, 6130, 777, 7, 0.1770, LARGE, 1587.6, 0.20937, 1.6059),
]

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda r: f"T={r.horizon}-B={r.variation:.2f}")


@each_row
def test_windows(row: Row) -> None:
    known = window(horizon=row.horizon, dimension=DIMENSION, variation=row.variation)
    assert known == row.window
    assert window(horizon=row.horizon, dimension=DIMENSION) == row.window_unknown


@each_row
def test_blocks(row: Row) -> None:
    length = block_length(horizon=row.horizon, dimension=DIMENSION)
    assert length == row.block_length
    assert window_grid(length) == row.grid
    assert len(window_grid(length)) - 1 == row.n_steps
    assert round(block_mixing(horizon=row.horizon, block_length=length), 4) == row.mixing
    scale = block_reward_scale(horizon=row.horizon, block_length=length, noise=NOISE)
    assert round(scale, 1) == row.scale


@each_row
def test_exp3s_mixing(row: Row) -> None:
    mixing = exp3s_mixing(n_arms=2, horizon=row.horizon, variation=row.variation)
    assert round(mixing, 5) == row.exp3s_mixing


@each_row
def test_radius(row: Row) -> None:
    value = radius(
        window=row.window, dimension=DIMENSION, noise=NOISE, confidence=1.0 / row.horizon
    )
    assert round(value, 4) == row.radius
