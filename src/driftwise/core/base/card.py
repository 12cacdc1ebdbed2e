"""What a person wants to know about a policy or a world before trying it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

__all__ = ["Card", "described", "plays_arms", "plays_ball", "policies_inside", "summary_of"]

Class = TypeVar("Class", bound=type[Any])


class Card(NamedTuple):
    """The line of a class in the tables of `driftwise policies` and `driftwise worlds`."""

    source: str  # who described it, where
    knows: str = "nothing"  # what must be known in advance
    cost: str = ""  # per round, in K arms and d dimensions
    guarantee: str = "none"  # and its conditions
    plays: Literal["actions", "arms"] = "actions"  # vectors, or rows of a set that never changes
    plays_ball: bool = (
        False  # whether it can play any point of the unit ball; over others: if they can
    )
    is_logistic: bool = False  # whether mean rewards are 1 / (1 + exp(-x'parameter))


def described(card: Card) -> Callable[[Class], Class]:
    """Attach a card to a class."""

    def attach(cls: Class) -> Class:
        cls.card = card
        return cls

    return attach


def plays_arms(policy: Any) -> bool:
    """Return whether a policy, or one inside it, needs the same decision set in every round."""
    card = getattr(policy, "card", None)
    return (card is not None and card.plays == "arms") or any(
        map(plays_arms, policies_inside(policy))
    )


def plays_ball(policy: Any) -> bool:
    """Return whether a policy, and all inside it, can write a point of the unit ball into a row."""
    card = getattr(policy, "card", None)
    return card is not None and card.plays_ball and all(map(plays_ball, policies_inside(policy)))


def policies_inside(policy: Any) -> list[Any]:
    """Return the policies that a policy is over."""
    bases = getattr(policy, "bases", None)
    inside = [getattr(policy, name, None) for name in ("base", "policy")]
    inside += bases if isinstance(bases, tuple) else ()
    return [each for each in inside if each is not None]


def summary_of(cls: type[Any]) -> str:
    """Return the first sentence of a class's docstring."""
    return (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
