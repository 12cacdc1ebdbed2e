"""Compiling ahead: what agents and simulations of a policy will need, into the cache on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.base.card import plays_arms
from ...core.contract.offers import Offers
from ...core.engine.agent import Agent
from ...core.engine.calls import Calls
from ...core.engine.simulate import simulate
from ...core.engine.starting import started
from ...registry import find_policy
from ..spec.parameters import maker_of, parameters_of
from .pairing import Pair, pair
from .tuning import MissingSettingsError

__all__ = ["compile_ahead", "is_compiled"]

# One kind of decision set each: two arms, more arms, rows that change. The machine code depends on the
# kind, not on the numbers.
_WORLDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Sinusoid", {"horizon": 10}),
    ("Stationary", {"horizon": 10, "parameter": (0.1, 0.2, 0.3), "noise": 0.1}),
    ("FreshSets", {"horizon": 10, "dimension": 3, "n_arms": 4}),
)
# What a world does not tell of itself.
_FACTS = {"change_points": (5,)}


def compile_ahead(name: str) -> Iterator[str]:
    """Compile a policy for agents and for `simulate`, and yield what is done, step by step."""
    for world_name, (policy, world, *_) in _pairs(name):
        simulate(policy, world, quiet=True)
        yield f"simulate in {world_name}"
        offer = _offer(world)
        Agent(policy, **offer).warm_up()
        yield f"Agent({', '.join(f'{key}={value}' for key, value in offer.items())})"


def is_compiled(name: str) -> bool:
    """Return whether agents with this policy find all that they choose by on disk."""
    try:
        pairs = list(_pairs(name))
    except MissingSettingsError:  # a plug-in that must be told more than anybody knows here
        return False
    for _, (policy, world, *_) in pairs:
        offers = Offers(**_offer(world))
        n_rows, length = offers.shape
        memory = started(policy, n_rows, length, offers.fixed)
        is_fixed = isinstance(offers.fixed, np.ndarray)
        rows = offers.rows(None) if is_fixed else np.ones((1, world.dimension))
        if not Calls(policy, memory, is_interpreted=False).is_kept(rows, is_fixed):
            return False
    return True


def _pairs(name: str) -> Iterator[tuple[str, Pair]]:
    """Yield the policy in a world of each kind that it can play."""
    asked = parameters_of(maker_of(find_policy(name)))
    told = {f"policy.{key}": value for key, value in _FACTS.items() if key in asked}
    for world_name, settings in _WORLDS:
        given = {f"world.{key}": value for key, value in settings.items()}
        found = pair(name, world_name, given | told)
        if not plays_arms(found.policy) or found.world.decision_set is not None:
            yield world_name, found


def _offer(world: Any) -> dict[str, Any]:
    is_fixed = world.decision_set is not None
    return {"n_arms": world.n_arms} if is_fixed else {"dimension": world.dimension}
