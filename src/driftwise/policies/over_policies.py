"""What a policy over other policies asks of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..core.base.arrays import Vector
from ..core.explain.belief import Belief

__all__ = ["belief_of", "estimate_of", "is_policy", "told_as"]


def told_as(
    other: Callable[..., Any], *, without: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let the ``**facts`` of a ``tuned`` be the parameters of another one, with its defaults."""
    facts = [
        each for each in inspect.signature(other).parameters.values() if each.name not in without
    ]

    def told(tuned: Callable[..., Any]) -> Callable[..., Any]:
        cls, *own, _ = inspect.signature(tuned).parameters.values()
        signature = inspect.Signature([cls, *facts, *own])

        @functools.wraps(tuned)
        def checked(*args: Any, **given: Any) -> Any:
            try:
                bound = signature.bind(*args, **given)
            except TypeError as error:
                raise TypeError(f"{args[0].__name__}.tuned() {error}") from None
            bound.apply_defaults()
            return tuned(*bound.args, **bound.kwargs)

        checked.__signature__ = signature  # type: ignore[attr-defined]  # what `inspect` looks for
        return checked

    return told


def is_policy(base: Any) -> bool:
    """Return whether something can be played."""
    has_rules = all(hasattr(base, name) for name in ("start", "restart", "choose", "learn"))
    return has_rules and not isinstance(base, type)  # a class, such as UCB1, has no settings yet


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
