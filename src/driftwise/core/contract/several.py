"""Several policies of any classes side by side, each with its memory, in tuples.

A tuple of different classes cannot be looped over in compiled code, since types would change from one iteration to the next.
The compiler unrolls these functions instead: each handles the first and calls itself with the rest,
until none is left. Interpreted, they are loops.
"""

from __future__ import annotations

from typing import Any

from numba import types

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import compiled_as
from ..randomness import draws
from .optional import expect, settle

__all__ = ["choose_each", "heads_of", "learn_one", "restart_each", "tell_one"]


def restart_each(policies: Any, memories: Any, luck: int) -> None:
    """Restart every memory, each with its own luck."""
    for policy, memory in zip(policies, memories, strict=True):
        policy.restart(memory, draws.fork(luck))
        luck = draws.fork(luck, 1)


def choose_each(policies: Any, memories: Any, actions: Matrix, luck: int) -> Any:
    """Return the choices of all policies, each with its own luck."""
    choices = []
    for policy, memory in zip(policies, memories, strict=True):
        choices.append(policy.choose(memory, actions, draws.fork(luck)))
        luck = draws.fork(luck, 1)
    return tuple(choices)


def learn_one(
    which: int,
    policies: Any,
    memories: Any,
    action: Vector,
    choices: Any,
    reward: float,
    luck: int,
) -> None:
    """Let one policy learn the reward of its own choice."""
    policies[which].learn(memories[which], action, choices[which], reward, luck)


def tell_one(
    which: int,
    policies: Any,
    memories: Any,
    action: Vector,
    choices: Any,
    luck: int,
    is_settled: bool,
) -> None:
    """Tell one policy that its own choice is in flight, or no longer."""
    tell = settle if is_settled else expect
    tell(policies[which], memories[which], action, choices[which], luck)


def heads_of(choices: Any) -> Any:
    """Return (arm, propensity, value) of each: one type, whatever else the choices hold."""
    return tuple(
        (int(choice.arm), float(choice.propensity), float(choice.value)) for choice in choices
    )


@compiled_as(restart_each)
def _restart_each(policies, memories, luck):  # type: ignore[no-untyped-def]  # numba has no types
    if len(policies) == 0:
        return lambda policies, memories, luck: None

    def restart(policies, memories, luck):  # type: ignore[no-untyped-def]  # as above
        policies[0].restart(memories[0], draws.fork(luck))
        restart_each(policies[1:], memories[1:], draws.fork(luck, 1))

    return restart


@compiled_as(choose_each)
def _choose_each(policies, memories, actions, luck):  # type: ignore[no-untyped-def]  # as above
    if len(policies) == 0:
        return lambda policies, memories, actions, luck: ()

    def choose(policies, memories, actions, luck):  # type: ignore[no-untyped-def]  # as above
        first = (policies[0].choose(memories[0], actions, draws.fork(luck)),)
        return first + choose_each(policies[1:], memories[1:], actions, draws.fork(luck, 1))

    return choose


@compiled_as(learn_one)
def _learn_one(which, policies, memories, action, choices, reward, luck):  # type: ignore[no-untyped-def]  # as above
    if len(policies) == 0:
        return lambda which, policies, memories, action, choices, reward, luck: None

    if all(isinstance(each, types.UniTuple) for each in (policies, memories, choices)):
        # Of one class, they need not be unrolled, which saves most of the compiler's time.
        return lambda which, policies, memories, action, choices, reward, luck: policies[
            which
        ].learn(memories[which], action, choices[which], reward, luck)

    def learn(which, policies, memories, action, choices, reward, luck):  # type: ignore[no-untyped-def]  # as above
        if which == 0:
            policies[0].learn(memories[0], action, choices[0], reward, luck)
        else:
            learn_one(which - 1, policies[1:], memories[1:], action, choices[1:], reward, luck)

    return learn


@compiled_as(tell_one)
def _tell_one(which, policies, memories, action, choices, luck, is_settled):  # type: ignore[no-untyped-def]  # as above
    if len(policies) == 0:
        return lambda which, policies, memories, action, choices, luck, is_settled: None

    def tell(which, policies, memories, action, choices, luck, is_settled):  # type: ignore[no-untyped-def]  # as above
        if which != 0:
            rest = policies[1:], memories[1:], action, choices[1:]
            tell_one(which - 1, *rest, luck, is_settled)
        elif is_settled:
            settle(policies[0], memories[0], action, choices[0], luck)
        else:
            expect(policies[0], memories[0], action, choices[0], luck)

    return tell


@compiled_as(heads_of)
def _heads_of(choices):  # type: ignore[no-untyped-def]  # as above
    if len(choices) == 0:
        return lambda choices: ()

    def heads(choices):  # type: ignore[no-untyped-def]  # as above
        first = choices[0]
        head = int(first.arm), float(first.propensity), float(first.value)
        return (head, *heads_of(choices[1:]))

    return heads
