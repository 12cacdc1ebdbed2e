"""Actions and rewards as large as they may be: no policy's numbers become infinite or NaN."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.base.arrays import Matrix
from driftwise.core.base.card import plays_arms
from driftwise.core.base.validation import LARGEST_ACTION, LARGEST_REWARD
from driftwise.core.contract.records import arrays_in
from driftwise.registry import all_policies
from tests.making import BEYOND_SETTINGS, made

pytestmark = BEYOND_SETTINGS

N_ARMS, ROUNDS = 4, 25
# As far from the default as their checks allow, in the direction in which numbers grow.
STEEP = {"ridge": 1e-30, "discount": 0.5, "inflation": 1e50, "confidence": 1e-300}


def numbers_in(choice: Any) -> Iterator[float]:
    for item in choice:
        if isinstance(item, tuple):
            yield from numbers_in(item)
        else:
            yield item


def rows(random: np.random.Generator, dimension: int, size: float) -> Matrix:
    """Rows whose coordinates are as large as they may be, zero, or far smaller."""
    smaller = 10.0 ** -random.choice([0, 0, 0, 1, 15, 30, 60], size=(N_ARMS, dimension))
    return random.choice([-1.0, 0.0, 1.0], size=(N_ARMS, dimension)) * size * smaller


def assert_stays_finite(
    policy: Any, kind: str, dimension: int, size: float, reward: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    fixed = {"axes": size * np.eye(N_ARMS, dimension), "fixed": rows(random, dimension, size)}
    # The interpreter gives the same bits, and NumPy's scalars warn there when one overflows.
    agent = dw.Agent(
        policy,
        dimension=dimension if kind == "changing" else None,
        decision_set=fixed.get(kind),
        seed=seed,
        is_interpreted=True,
    )
    waiting = []
    for _ in range(ROUNDS):
        decision = agent.choose(rows(random, dimension, size) if kind == "changing" else None)
        assert not any(math.isinf(number) for number in numbers_in(decision.choice))
        assert math.isnan(decision.propensity) or 0.0 < decision.propensity <= 1.0
        waiting.append(decision)
        if random.random() < 0.8:  # late, and out of order
            late = waiting.pop(int(random.integers(len(waiting))))
            agent.learn(late, reward * random.choice([-1.0, 1.0, 1e-20]))
        for array in arrays_in(agent.memory):
            assert np.isfinite(array).all()


@pytest.mark.parametrize("is_steep", [False, True])
@pytest.mark.parametrize("name", all_policies())
@settings(derandomize=True, deadline=None, max_examples=12, database=None)
@given(
    kind=st.sampled_from(["axes", "fixed", "changing"]),
    dimension=st.sampled_from([3, 8]),
    size=st.sampled_from([LARGEST_ACTION, LARGEST_ACTION / 3.0, 1.0]),
    reward=st.sampled_from([LARGEST_REWARD, 1.0]),
    seed=st.integers(0, 999),
)
def test_nothing_becomes_infinite(
    name: str, is_steep: bool, kind: str, dimension: int, size: float, reward: float, seed: int
) -> None:
    policy = made(all_policies()[name].tuned)
    if is_steep:
        base = getattr(policy, "base", policy)
        steep = {key: STEEP[key] for key in STEEP if key in base._fields}
        policy = policy._replace(base=base._replace(**steep)) if base is not policy else policy
        policy = policy._replace(**{key: STEEP[key] for key in STEEP if key in policy._fields})
    if plays_arms(policy) and kind == "changing":
        kind = "fixed"
    assert_stays_finite(policy, kind, dimension, size, reward, seed)
