"""A policy's first memory."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .card import plays_arms
from .protocols import METHODS, Matrix, Policy
from .unit_ball import NoRowsError, UnitBall

__all__ = ["started"]

_TRIALS = 32  # a policy over several others plays a different one each time


def started(policy: Policy, n_arms: int, dimension: int, fixed: Matrix | UnitBall | None) -> Any:
    """Return a new memory of ``policy``, or say why it cannot play such decision sets."""
    if isinstance(policy, type):
        name = policy.__name__
        raise TypeError(f"policy must be made by a call, {name}(...), got the class {name}")
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
        return _started_on_ball(policy, fixed)
    return policy.start(n_arms, dimension, fixed)


def _started_on_ball(policy: Policy, ball: UnitBall) -> Any:
    if not plays_arms(policy):
        try:
            # Policies hand it on to a layout, and a layout knows what it is or looks for rows.
            memory = policy.start(1, ball.dimension, cast(Any, ball))
        except NoRowsError:
            memory = None
        if memory is not None and _fills_in(policy, memory, ball.dimension):
            return memory
    raise ValueError(
        f"{type(policy).__name__} chooses among rows, so the decision set must have rows, "
        f"got {ball!r}"
    )


def _fills_in(policy: Policy, memory: Any, dimension: int) -> bool:
    """Tell whether a policy writes a point of the ball into the row that it is offered.

    It is tried out, in Python, since nothing else tells: a policy may well have a layout that can,
    and go through the rows by itself. The engine restarts the memory before it is used.
    """
    policy.restart(memory, 0)
    for luck in range(_TRIALS):
        row = np.full((1, dimension), 2.0)  # outside of the ball
        choice = policy.choose(memory, row, luck)
        if choice.arm != 0 or not np.linalg.norm(row) <= 1.0 + 1e-9:
            return False
    return True
