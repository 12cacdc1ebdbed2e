"""Rules that a policy may offer or not: what compiled code calls of them is known when it is compiled.

A policy without such a rule pays nothing, and one over other policies forwards calls in the same way.
"""

from __future__ import annotations

import math
from typing import Any

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import compiled_as
from ..compiler.reach import rule_of

__all__ = ["chance_of", "chances_in", "expect", "knows_flight", "settle", "tick"]


def knows_flight(policy: Any) -> bool:
    """Return whether a policy counts decisions in flight; in Python only."""
    return hasattr(policy, "expect")


def expect(policy: Any, memory: Any, action: Vector, choice: Any, luck: int) -> None:
    """Tell a policy, if it wants to know, that another choice is due before this one has a reward."""
    if hasattr(policy, "expect"):
        policy.expect(memory, action, choice, luck)


def settle(policy: Any, memory: Any, action: Vector, choice: Any, luck: int) -> None:
    """Tell a policy, if it wants to know, that this choice is in flight no longer."""
    if hasattr(policy, "settle"):
        policy.settle(memory, action, choice, luck)


def tick(policy: Any, memory: Any) -> None:
    """Tell a policy, if it wants to know, that a round has passed in which nothing was learnt."""
    if hasattr(policy, "tick"):
        policy.tick(memory)


def chance_of(policy: Any, memory: Any, arm: int) -> float:
    """Return the probability with which the next choice is an arm; nan if the policy does not tell."""
    return policy.chance_of(memory, arm) if hasattr(policy, "chance_of") else math.nan


def chances_in(policy: Any, memory: Any, actions: Matrix, luck: int, chances: Vector) -> None:
    """Write the probability of every row, given the luck; nan into the first if the policy does not tell."""
    if hasattr(policy, "chances_in"):
        policy.chances_in(memory, actions, luck, chances)
    else:
        chances[0] = math.nan


@compiled_as(expect)
def _expect(policy, memory, action, choice, luck):  # type: ignore[no-untyped-def]  # numba has no types
    if rule_of(policy.instance_class, "expect") is None:
        return lambda policy, memory, action, choice, luck: None
    return lambda policy, memory, action, choice, luck: policy.expect(memory, action, choice, luck)


@compiled_as(settle)
def _settle(policy, memory, action, choice, luck):  # type: ignore[no-untyped-def]  # as above
    if rule_of(policy.instance_class, "settle") is None:
        return lambda policy, memory, action, choice, luck: None
    return lambda policy, memory, action, choice, luck: policy.settle(memory, action, choice, luck)


@compiled_as(tick)
def _tick(policy, memory):  # type: ignore[no-untyped-def]  # as above
    if rule_of(policy.instance_class, "tick") is None:
        return lambda policy, memory: None
    return lambda policy, memory: policy.tick(memory)


@compiled_as(chance_of)
def _chance_of(policy, memory, arm):  # type: ignore[no-untyped-def]  # as above
    if rule_of(policy.instance_class, "chance_of") is None:
        return lambda policy, memory, arm: math.nan
    return lambda policy, memory, arm: policy.chance_of(memory, arm)


@compiled_as(chances_in)
def _chances_in(policy, memory, actions, luck, chances):  # type: ignore[no-untyped-def]  # as above
    if rule_of(policy.instance_class, "chances_in") is None:
        return _tell_nothing
    return lambda policy, memory, actions, luck, chances: policy.chances_in(
        memory, actions, luck, chances
    )


def _tell_nothing(policy, memory, actions, luck, chances):  # type: ignore[no-untyped-def]  # as above
    chances[0] = math.nan
