"""What a policy over other policies asks of them."""

from __future__ import annotations

from typing import Any

from ..core.base.arrays import Vector
from ..core.explain.belief import Belief

__all__ = ["belief_of", "estimate_of", "is_policy"]


def is_policy(base: Any) -> bool:
    """Return whether something can be played."""
    return all(hasattr(base, name) for name in ("start", "restart", "choose", "learn"))


def estimate_of(base: Any, memory: Any) -> Vector:
    """Return the estimate of a base, or say that it has none."""
    if not hasattr(base, "estimate_in"):
        raise AttributeError(f"{type(base).__name__} keeps no estimate of a parameter")
    return base.estimate_in(memory)  # type: ignore[no-any-return]  # any base


def belief_of(
    base: Any, memory: Any, opening: str, details: dict[str, Any] | None = None
) -> Belief:
    """Return what a base believes, told as what the policy over it believes; details may be its own."""
    if not hasattr(base, "belief_in"):
        raise AttributeError(f"{type(base).__name__} gives no account of what it believes")
    inner: Belief = base.belief_in(memory)
    details = inner.details if details is None else details
    return inner._replace(source=f"{opening}: {inner.source}", details=details)
