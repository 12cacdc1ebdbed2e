"""A page for each policy and each world, from its card and its docstring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftwise import registry

from .markdown import plain, table

__all__ = ["policy_pages", "world_pages"]

_POLICIES = """\
# All policies

*Must be told* is what has to be known in advance, *guarantee* what was proved about its regret over T rounds,
in d dimensions, with K arms and variation B.
"""
_WORLDS = """\
# All worlds

A world draws decision sets, expected rewards and noise, without looking at the policy.
[A world of your own](../your-own.md#a-world) takes a few lines.
"""


def policy_pages() -> dict[str, str]:
    """Return the pages of all policies of the package, and one that lists them."""
    known = registry.own().policies
    head = ("policy", "what it does", "must be told")
    rows = {
        name: (_link(name), plain(row["summary"]), plain(row["knows"]))
        for name, row in _rows(known).items()
    }
    pages = {f"policies/{name}.md": _policy_page(cls) for name, cls in known.items()}
    return pages | {"policies/index.md": _index(_POLICIES, head, rows)}


def world_pages() -> dict[str, str]:
    """Return the pages of all worlds of the package, and one that lists them."""
    known = registry.own().worlds
    rows = {name: (_link(name), plain(row["summary"])) for name, row in _rows(known).items()}
    pages = {f"worlds/{name}.md": _world_page(cls) for name, cls in known.items()}
    return pages | {"worlds/index.md": _index(_WORLDS, ("world", "what it does"), rows)}


def _policy_page(cls: type[Any]) -> str:
    row = registry.row_of(cls)
    facts = {
        "source": row["source"],
        "must be told": row["knows"],
        "guarantee": row["guarantee"],
        "cost of a round": row["cost"],
        "plays": "the rows of one decision set" if row["plays"] == "arms" else "feature vectors",
    }
    return _page(cls, "driftwise", facts)


def _world_page(cls: type[Any]) -> str:
    row = registry.row_of(cls)
    return _page(cls, "driftwise.worlds", {"source": row["source"], "conditions": row["guarantee"]})


def _page(cls: type[Any], module: str, facts: Mapping[str, str]) -> str:
    name = cls.__name__
    members = "   :members: tuned\n" if hasattr(cls, "tuned") else ""
    described = f"```{{eval-rst}}\n.. autoclass:: {module}.{name}\n{members}```\n"
    card = table(("", ""), [(what, plain(said)) for what, said in facts.items()])
    return f"# {name}\n\n{card}\n\n{described}"


def _rows(known: Mapping[str, type[Any]]) -> dict[str, dict[str, str]]:
    return {name: registry.row_of(known[name]) for name in sorted(known, key=str.lower)}


def _link(name: str) -> str:
    return f"[{name}]({name}.md)"


def _index(intro: str, head: tuple[str, ...], rows: Mapping[str, tuple[str, ...]]) -> str:
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *rows, "```", ""])
    return f"{intro}\n{table(head, rows.values())}\n\n{toctree}"
