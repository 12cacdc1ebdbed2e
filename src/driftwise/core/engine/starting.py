"""A policy's first memory."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ..base.arrays import Matrix
from ..base.card import plays_arms
from ..contract.policy import METHODS, Policy
from ..contract.records import arrays_in
from ..contract.unit_ball import NoRowsError, UnitBall

__all__ = ["allocated", "resettle", "started"]

_TRIALS = 32  # a policy over several others plays a different one each time


def started(policy: Policy, n_arms: int, dimension: int, fixed: Matrix | UnitBall | None) -> Any:
    """Return a new memory of ``policy``, or say why it cannot play such decision sets."""
    memory = allocated(policy, n_arms, dimension, fixed)
    if isinstance(fixed, UnitBall) and not _fills_in(policy, memory, dimension):
        raise _needs_rows(policy, fixed)
    return memory


def allocated(policy: Policy, n_arms: int, dimension: int, fixed: Matrix | UnitBall | None) -> Any:
    """Return the same before anything was written into it or tried out.

    Zeros that nobody has touched take no room, so its shapes can be looked at, however large.
    """
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
    if isinstance(fixed, UnitBall) and plays_arms(policy):
        raise _needs_rows(policy, fixed)
    try:
        # Policies hand a ball on to a layout, and a layout knows what it is or looks for rows.
        rows = 1 if isinstance(fixed, UnitBall) else n_arms
        return policy.start(rows, dimension, cast(Any, fixed))
    except NoRowsError:
        raise _needs_rows(policy, fixed) from None


def resettle(memory: Any, before: Any, after: Any) -> None:
    """Bring a memory to changed settings, given what the old and the new ones write before any reward.

    A field that still holds what the old ones wrote follows from settings, not from rewards.
    """
    for field, old, new in zip(*map(arrays_in, (memory, before, after)), strict=True):
        if np.array_equal(field, old):
            field[...] = new


def _needs_rows(policy: Policy, fixed: Any) -> ValueError:
    return ValueError(
        f"{type(policy).__name__} chooses among rows, so the decision set must have rows, "
        f"got {fixed!r}"
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
