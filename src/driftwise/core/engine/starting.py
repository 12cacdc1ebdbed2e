"""A policy's first memory."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ..base.arrays import Matrix
from ..base.card import plays_arms, plays_ball
from ..contract.policy import METHODS, Policy
from ..contract.records import arrays_in
from ..contract.unit_ball import UnitBall

__all__ = ["resettle", "started"]


def started(policy: Policy, n_arms: int, dimension: int, fixed: Matrix | UnitBall | None) -> Any:
    """Return a new memory of ``policy``, or say why it cannot play such decision sets.

    Zeros that nobody has touched take no room, so its shapes can be looked at, however large.
    """
    if isinstance(policy, type):
        name = policy.__name__
        raise TypeError(f"policy must be an instance, {name}(...), got the class {name}")
    for method in METHODS:
        if not callable(getattr(policy, method, None)):
            raise TypeError(f"policy must have a method `{method}`, got {policy!r}")
    name = type(policy).__name__
    if fixed is None and plays_arms(policy):
        raise ValueError(
            f"{name} plays arms, so the decision set must be the same in every round, "
            f"got decision sets that change"
        )
    if isinstance(fixed, UnitBall):
        if not plays_ball(policy):
            raise ValueError(
                f"{name} chooses among rows, so the decision set must have rows, got {fixed!r}"
            )
        n_arms = 1  # the row that a point is written into
    return policy.start(n_arms, dimension, cast(Any, fixed))


def resettle(memory: Any, before: Any, after: Any) -> None:
    """Adapt a memory to changed settings, given what the old and the new ones write before any reward.

    A field that still holds what the old ones wrote follows from settings, not from rewards.
    """
    for field, old, new in zip(*map(arrays_in, (memory, before, after)), strict=True):
        if np.array_equal(field, old):
            field[...] = new
