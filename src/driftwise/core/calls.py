"""One call of a policy at a time, compiled: what an agent does between Python and the rules."""

from __future__ import annotations

from typing import Any

from . import draws
from .borrowing import borrowed
from .compiled import compiled
from .protocols import Matrix, Vector

__all__ = ["choose", "learn", "restart"]


@compiled
def restart(policy: Any, memory: Any, seed: int) -> None:
    """Write the state in which nothing has been learnt."""
    borrowed(policy).restart(borrowed(memory), draws.fork(seed, -1))


@compiled
def choose(
    policy: Any, memory: Any, actions: Matrix, seed: int, n_choices: int, largest: float
) -> Any:
    """Return whether the actions are numbers, the luck of the round, and the choice."""
    actions = borrowed(actions)
    is_valid = True
    for k in range(actions.shape[0]):
        for i in range(actions.shape[1]):
            is_valid = is_valid and abs(actions[k, i]) <= largest  # false for nan, too
    luck = draws.fork(seed, n_choices)
    return is_valid, luck, borrowed(policy).choose(borrowed(memory), actions, luck)


@compiled
def learn(
    policy: Any, memory: Any, action: Vector, choice: Any, reward: float, luck: int, largest: float
) -> bool:
    """Learn from a sound decision; return whether it is one."""
    action = borrowed(action)
    # A propensity of nan is one that is not known.
    is_valid = not (choice.propensity <= 0.0 or choice.propensity > 1.0)
    for i in range(action.size):
        is_valid = is_valid and abs(action[i]) <= largest
    if is_valid:
        borrowed(policy).learn(borrowed(memory), action, choice, reward, draws.fork(luck))
    return is_valid
