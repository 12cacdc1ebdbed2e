"""Compiling ahead: what agents and simulations of a policy will need, into the cache on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.base.card import plays_arms
from ...core.engine.agent import Agent
from ...core.engine.simulate import simulate
from .pairing import pair

__all__ = ["compile_ahead"]

# One kind of decision set each: two arms, more arms, rows that change. The machine code depends on the
# kind, not on the numbers.
_WORLDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Sinusoid", {"horizon": 10}),
    ("Stationary", {"horizon": 10, "parameter": (0.1, 0.2, 0.3), "noise": 0.1}),
    ("FreshSets", {"horizon": 10, "dimension": 3, "n_arms": 4}),
)


def compile_ahead(name: str) -> Iterator[str]:
    """Compile a policy for agents and for `simulate`, and yield what is done, step by step."""
    for world_name, settings in _WORLDS:
        given = {f"world.{key}": value for key, value in settings.items()}
        policy, world, *_ = pair(name, world_name, given)
        if plays_arms(policy) and world.decision_set is None:
            continue
        simulate(policy, world)
        yield f"simulate in {world_name}"
        is_fixed = world.decision_set is not None
        n_arms = {"n_arms": world.n_arms} if is_fixed else {"dimension": world.dimension}
        Agent(policy, **n_arms).warm_up()
        yield f"Agent({', '.join(f'{key}={value}' for key, value in n_arms.items())})"
