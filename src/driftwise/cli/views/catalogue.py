"""Lists of all policies or all worlds, from what each says about itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.table import Table
from rich.text import Text

from ..output import grid, heading, paragraph, show

__all__ = [
    "POLICY_LABELS",
    "WORLD_LABELS",
    "card_of",
    "print_policies",
    "print_worlds",
    "text_of",
]

# What the facts are called in a list of policies and in a list of worlds.
POLICY_LABELS = {
    "knows": "must know",
    "cost": "per round",
    "guarantee": "guarantee",
    "plays": "plays",
    "settings": "settings",
    "tuned": "tuned with",
    "source": "source",
}
WORLD_LABELS = {"guarantee": "theory", "settings": "settings", "source": "source"}

_LEGEND = (
    "Assumption 1: every action is a multiple of one vector of a fixed orthonormal basis, as in a "
    "bandit with K arms."
)
_POLICY_LEGEND = (
    "T rounds, K arms, d dimensions, B how far the parameter moves in total (V: the arm that moves "
    "most). A guarantee is the order of the regret, up to constants and logarithms. A policy that "
    f"plays arms needs a decision set that never changes. {_LEGEND}"
)


def print_policies(rows: Iterable[dict[str, Any]]) -> None:
    """Print a paragraph for each policy."""
    _print(rows, POLICY_LABELS, _POLICY_LEGEND)


def print_worlds(rows: Iterable[dict[str, Any]]) -> None:
    """Print a paragraph for each world."""
    _print(rows, WORLD_LABELS, _LEGEND)


def text_of(fact: Any) -> str:
    """Return a fact of a row as text; settings with their defaults."""
    if not isinstance(fact, list):
        return fact or ""
    return ", ".join(
        each["name"] if each["required"] else f"{each['name']}={each['default']}" for each in fact
    )


def _print(rows: Iterable[dict[str, Any]], labels: dict[str, str], legend: str) -> None:
    for row in rows:
        show(*card_of(row, labels), "")
    show(paragraph(legend))


def card_of(row: dict[str, Any], labels: dict[str, str]) -> tuple[Text, Text, Table]:
    """Return the name of a policy or a world, what it is, and those of its facts that have a label."""
    facts = ((label, text_of(row.get(name))) for name, label in labels.items())
    summary = paragraph(row["summary"], indent="  ")
    return heading(row["name"]), summary, grid((label, text) for label, text in facts if text)
