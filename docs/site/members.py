"""A page for each policy and each world, from its card and its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_args

from driftwise import registry
from driftwise.experiments import find_experiment
from driftwise.experiments.figures.drawing import Drawing
from driftwise.worlds.parts import rewards

from .markdown import plain, table
from .scores import family_line, policy_part

__all__ = ["policy_pages", "world_pages"]

_POLICIES = """\
# All policies

Which of them to take is [a question of its own](../guides/which-policy.md). *Must be told* is what has to be
known in advance. The page of a policy says what was proved about its regret over T rounds, in d dimensions,
with K arms and variation B; [the paper](../paper/theory.md) explains the conditions.
"""
_WORLDS = """\
# All worlds

A world draws decision sets, expected rewards and noise, without looking at the policy.
[A world of your own](../your-own.md#a-world) takes a few lines.
"""


def policy_pages(drawn: Mapping[str, Drawing]) -> dict[str, bytes]:
    """Return the pages of all policies of the package, with their pictures, and one that lists them."""
    known = registry.own().policies
    head = ("policy", "what it does", "must be told")
    rows = {
        name: (_link(name), plain(row["summary"]), plain(row["knows"]))
        for name, row in _rows(known).items()
    }
    pages = {name: _policy_page(cls, drawn[name].words) for name, cls in known.items()}
    return _folder("policies", pages | {"index": _index(_POLICIES, head, rows)}, drawn)


def world_pages(drawn: Mapping[str, Drawing]) -> dict[str, bytes]:
    """Return the pages of all worlds of the package, with their pictures, and one that lists them."""
    known = registry.own().worlds
    rows = {name: (_link(name), plain(row["summary"])) for name, row in _rows(known).items()}
    pages = {name: _world_page(cls, drawn[name].words) for name, cls in known.items()}
    pages["index"] = _index(_WORLDS, ("world", "what it does"), rows) + _kinds_of_rewards()
    return _folder("worlds", pages, drawn)


def _kinds_of_rewards() -> str:
    laws = {kind: type(rewards.reward_law(kind, None)) for kind in get_args(rewards.RewardKind)}
    rows = [
        (f'`"{kind}"`', plain((inspect.getdoc(law) or "").splitlines()[0]))
        for kind, law in laws.items()
    ]
    target = f"```{{eval-rst}}\n.. py:module:: {rewards.__name__}\n```"  # what docstrings refer to
    return f"\n## Kinds of rewards\n\n{target}\n\n{table(('rewards', 'are'), rows)}\n"


def _policy_page(cls: type[Any], words: str) -> str:
    row = registry.row_of(cls)
    facts = {
        "source": row["source"],
        "must be told": row["knows"],
        "guarantee": row["guarantee"],
        "cost of a round": row["cost"],
        "plays": "the rows of one decision set" if row["plays"] == "arms" else "feature vectors",
    }
    scores = f"## On the scoreboard\n\n{policy_part(cls.__name__)}\n\n"
    return _page(cls, "driftwise", facts, words, scores)


def _world_page(cls: type[Any], words: str) -> str:
    row = registry.row_of(cls)
    facts = {"source": row["source"], "conditions": row["guarantee"]}
    best = family_line(_families_of(cls.__name__))
    scores = (
        f"## Who does best here\n\nIn the scenarios of its families:\n\n{best}\n\n" if best else ""
    )
    return _page(cls, "driftwise.worlds", facts, words, scores)


def _page(cls: type[Any], module: str, facts: Mapping[str, str], words: str, scores: str) -> str:
    name = cls.__name__
    made_by = [each for each, _ in inspect.getmembers(cls, inspect.ismethod) if each[0] != "_"]
    members = f"   :members: {', '.join(made_by)}\n" if made_by else ""
    described = f"```{{eval-rst}}\n.. autoclass:: {module}.{name}\n{members}```\n"
    card = table(("", ""), [(what, plain(said)) for what, said in facts.items()])
    summary = plain(registry.row_of(cls)["summary"])
    return (
        f"# {name}\n\n{summary}\n\n{card}\n\n## At work\n\n![{words}](pictures/{name}.svg)\n\n"
        f"{scores}## In full\n\n{described}\n"
    )


def _families_of(name: str) -> set[str]:
    """Return the families of the scoreboard's scenarios that play in a world."""
    worlds = find_experiment("scoreboard").worlds
    return {each.family for each in worlds if each.name == name and each.family is not None}


def _folder(
    folder: str, pages: Mapping[str, str], drawn: Mapping[str, Drawing]
) -> dict[str, bytes]:
    files = {f"{folder}/{name}.md": page.encode() for name, page in pages.items()}
    return files | {f"{folder}/pictures/{name}.svg": each.svg for name, each in drawn.items()}


def _rows(known: Mapping[str, type[Any]]) -> dict[str, dict[str, str]]:
    return {name: registry.row_of(known[name]) for name in sorted(known, key=str.lower)}


def _link(name: str) -> str:
    return f"[{name}]({name}.md)"


def _index(intro: str, head: tuple[str, ...], rows: Mapping[str, tuple[str, ...]]) -> str:
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *rows, "```", ""])
    return f"{intro}\n{table(head, rows.values())}\n\n{toctree}"
