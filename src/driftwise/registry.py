"""One list of all policies and all worlds: it feeds tables, command line, docs and checks."""

from __future__ import annotations

import inspect
from typing import Any

from . import policies, worlds
from .core.card import Card, summary_of
from .core.validation import require_known

__all__ = ["all_policies", "all_worlds", "find_policy", "find_world", "row_of"]


def all_policies() -> dict[str, type[Any]]:
    """Return every policy by its name."""
    return _with_cards(policies)


def all_worlds() -> dict[str, type[Any]]:
    """Return every world by its name."""
    return _with_cards(worlds)


def find_policy(name: str) -> type[Any]:
    """Return the policy of that name, or say which name is nearest."""
    known = all_policies()
    return known[require_known("policy", name, known)]


def find_world(name: str) -> type[Any]:
    """Return the world of that name, or say which name is nearest."""
    known = all_worlds()
    return known[require_known("world", name, known)]


def row_of(cls: type[Any]) -> dict[str, str]:
    """Return what a table says about a policy or a world."""
    card: Card = cls.card
    return {"name": cls.__name__, "summary": summary_of(cls), **card._asdict()}


def _with_cards(package: Any) -> dict[str, type[Any]]:
    found = {name: getattr(package, name) for name in package.__all__}
    return {
        name: cls
        for name, cls in found.items()
        if isinstance(getattr(cls, "card", None), Card) and not inspect.isabstract(cls)
    }
