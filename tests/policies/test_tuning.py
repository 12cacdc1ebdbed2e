"""What `.tuned` makes of what a person knows: the paper's values, and the edges of sense."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from driftwise import BanditOverBandit, Exp3, Exp3S, SlidingWindowUCB
from driftwise.core.contract.records import arrays_in

DIMENSION, NOISE = 2, 0.1


class Row(NamedTuple):
    horizon: int
    variation: float
    window: int
    window_unknown: int
    block_length: int
    mixing: float
    windows: list[int]
    reward_scale: float
    exp3s_mixing: float
    radius: float


SMALL = [1, 2, 6, 16, 42, 107, 274]
MIDDLE = [1, 2, 6, 14, 36, 90, 222, 549]
LARGE = [1, 2, 6, 17, 44, 116, 300, 777]

ROWS = [
    Row(30_000, 1.0, 1532, 1532, 274, 0.2685, SMALL, 566.1, 0.09979, 1.5940),
    Row(30_000, 30_000 ** (1 / 3), 155, 1532, 274, 0.2685, SMALL, 566.1, 0.31372, 1.5542),
    Row(120_000, 1.0, 3861, 3861, 549, 0.2103, MIDDLE, 1125.4, 0.06540, 1.6317),
    Row(240_000, 1.0, 6130, 6130, 777, 0.1770, LARGE, 1587.6, 0.05286, 1.6498),
    Row(240_000, 240_000 ** (1 / 3), 390, 6130, 777, 0.1770, LARGE, 1587.6, 0.20937, 1.6059),
]

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda r: f"T={r.horizon}-B={r.variation:.2f}")


def radius_of(policy: SlidingWindowUCB, dimension: int) -> float:
    memory = policy.start(0, dimension, None)
    policy.restart(memory, 0)
    return float(memory.radius[0])


@each_row
def test_sliding_window_ucb(row: Row) -> None:
    def tuned(variation: float | None) -> SlidingWindowUCB:
        return SlidingWindowUCB.tuned(
            horizon=row.horizon, dimension=DIMENSION, noise=NOISE, variation=variation
        )

    policy = tuned(row.variation)
    assert policy == SlidingWindowUCB(row.window, NOISE, 1.0, 1.0, 1.0, 1 / row.horizon)
    assert radius_of(policy, DIMENSION) == pytest.approx(row.radius, abs=5e-5)
    assert tuned(None).window == row.window_unknown
    assert tuned(0.0).window == row.horizon, "what never moves is best learnt from everything"


@each_row
def test_bandit_over_bandit(row: Row) -> None:
    policy = BanditOverBandit.tuned(horizon=row.horizon, dimension=DIMENSION, noise=NOISE)
    assert policy.block_length == row.block_length
    assert policy.settings.tolist() == row.windows
    assert policy.mixing == pytest.approx(row.mixing, abs=5e-5)
    assert policy.reward_scale == pytest.approx(row.reward_scale, abs=0.05)
    # In a block with window w the radius is R sqrt(d ln(T (1 + w))) + 1.
    for window in row.windows:
        wanted = NOISE * math.sqrt(DIMENSION * math.log(row.horizon * (1 + window))) + 1
        assert radius_of(policy.base.adjusted(window), DIMENSION) == pytest.approx(wanted)


@each_row
def test_exp3s(row: Row) -> None:
    policy = Exp3S.tuned(horizon=row.horizon, n_arms=DIMENSION, variation=row.variation)
    assert policy.mixing == pytest.approx(row.exp3s_mixing, abs=5e-6)
    assert policy.sharing == 1 / row.horizon
    unknown = Exp3S.tuned(horizon=row.horizon, n_arms=DIMENSION)
    assert unknown.mixing == pytest.approx(
        math.sqrt(DIMENSION * math.log(DIMENSION * row.horizon) / row.horizon)
    )
    assert unknown.sharing == 1 / row.horizon


def test_exp3s_without_variation_explores() -> None:
    policy = Exp3S.tuned(horizon=1000, n_arms=4, variation=0.0)
    wanted = math.sqrt(4 * (math.log(4 * 1000) + math.e) / ((math.e - 1) * 1000))
    assert policy.mixing == pytest.approx(wanted)
    assert policy.sharing == 1 / 1000


@pytest.mark.parametrize(("n_arms", "horizon"), [(2, 1000), (10, 50_000), (7, 110)])
def test_exp3(n_arms: int, horizon: int) -> None:
    policy = Exp3.tuned(horizon=horizon, n_arms=n_arms)
    wanted = math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1) * horizon))
    assert policy.mixing == pytest.approx(wanted)


@pytest.mark.parametrize("dimension", [1, 2, 16])
def test_general_geometry(dimension: int) -> None:
    known: dict[str, Any] = {
        "horizon": 10_000, "dimension": dimension, "noise": 0.2, "geometry": "general",
    }  # fmt: skip
    root = dimension**0.25
    assert SlidingWindowUCB.tuned(**known).window == math.floor(root * 100)
    assert SlidingWindowUCB.tuned(variation=9.0, **known).window == math.floor(root * 100 / 3)
    assert BanditOverBandit.tuned(**known).block_length == math.ceil(root * 100)


def test_what_is_known_of_the_problem_reaches_the_policy() -> None:
    known: dict[str, Any] = {
        "horizon": 500, "dimension": 3, "noise": 0.2, "action_norm": 2.0, "parameter_norm": 3.0, "ridge": 4.0,
    }  # fmt: skip
    single = SlidingWindowUCB.tuned(variation=2.0, **known)
    window = math.floor((3 * 500 / 2.0) ** (2 / 3))
    assert single == SlidingWindowUCB(window, 0.2, 2.0, 3.0, 4.0, 1 / 500)
    ratio = (1 + window * 2.0**2 / 4.0) * 500
    assert radius_of(single, 3) == pytest.approx(0.2 * math.sqrt(3 * math.log(ratio)) + 2 * 3.0)
    base = BanditOverBandit.tuned(**known).base
    assert base.adjusted(5) == SlidingWindowUCB(5, 0.2, 2.0, 3.0, 4.0, 1 / 500)


@pytest.mark.parametrize("geometry", ["orthogonal", "general"])
@pytest.mark.parametrize("dimension", [1, 2, 10])
@pytest.mark.parametrize("horizon", [1, 2, 3, 7])
def test_tiny_horizons(horizon: int, dimension: int, geometry: Any) -> None:
    """Also where there are fewer rounds than dimensions, and logarithms or blocks of nothing."""
    known: dict[str, Any] = {"horizon": horizon, "dimension": dimension, "noise": 0.1}
    policies: list[Any] = [BanditOverBandit.tuned(geometry=geometry, **known)]
    for variation in (None, 0.0, 1e-9, 1.0, 1e9):
        policies.append(SlidingWindowUCB.tuned(variation=variation, geometry=geometry, **known))
        policies.append(Exp3S.tuned(horizon=horizon, n_arms=dimension, variation=variation))
        assert 1 <= policies[-2].window <= horizon
    policies.append(Exp3.tuned(horizon=horizon, n_arms=dimension))
    assert 1 <= policies[0].block_length <= horizon
    assert 1 <= min(policies[0].settings) <= max(policies[0].settings) <= policies[0].block_length
    for policy in policies:
        memory = policy.start(dimension, dimension, np.eye(dimension))
        policy.restart(memory, 1)
        for t in range(horizon):
            choice = policy.choose(memory, np.eye(dimension), t)
            policy.learn(memory, np.eye(dimension)[choice.arm], choice, 0.5, t)
        assert all(np.isfinite(array).all() for array in arrays_in(memory))


def test_blocks_as_in_hedging_the_drift() -> None:
    policy = BanditOverBandit.tuned(horizon=30_000, dimension=2, noise=0.1, rule="hedging")
    assert policy.block_length == math.floor(2 * math.sqrt(30_000))
    assert policy.settings[-1] == policy.block_length
