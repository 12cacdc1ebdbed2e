"""A policy's first memory."""

from __future__ import annotations

from typing import Any

from .card import plays_arms
from .protocols import Matrix, Policy

__all__ = ["started"]


def started(policy: Policy, n_arms: int, dimension: int, fixed: Matrix | None) -> Any:
    """Return a new memory of ``policy``, or say why it cannot play such decision sets."""
    if not hasattr(policy, "start"):
        raise TypeError(f"policy must have a method `start`, got {policy!r}")
    if fixed is None and plays_arms(policy):
        name = type(policy).__name__
        raise ValueError(
            f"{name} plays arms, so the decision set must be the same in every round, "
            f"got decision sets that change"
        )
    return policy.start(n_arms, dimension, fixed)
