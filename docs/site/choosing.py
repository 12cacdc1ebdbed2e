"""The decision tree of the guide to policies, with what the published scoreboard measured at its leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import driftwise as dw
from driftwise.scores import Option, Recommendation

__all__ = ["decision_tree"]

_QUESTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "Actions": {
        "are the same in every round": {"n_arms": 5},
        "have features, and change": {"dimension": 5},
    },
    "Rewards": {
        "are amounts": {"rewards": "amounts", "noise": 0.1},
        "are clicks, 0 or 1": {"rewards": "clicks"},
    },
    "Rewards come": {"at once": {"is_late": False}, "late, or never": {"is_late": True}},
}
_TOLD: dict[str, Any] = {"horizon": 10_000, "variation": 2.0, "parameter_norm": 1.0}


def decision_tree() -> str:
    """Return nested lists; a branch is as deep as its answers differ."""
    return "\n".join(_branches(list(_QUESTIONS), {}, ""))


def _branches(questions: list[str], known: dict[str, Any], indent: str) -> Iterator[str]:
    first, *rest = questions
    for answer, facts in _QUESTIONS[first].items():
        here = known | facts
        leaves = list(dict.fromkeys(_leaves(rest, here)))
        yield f"{indent}- **{first} {answer}**{'' if len(leaves) > 1 else ':'}"
        if len(leaves) == 1:
            yield from (f"{indent}  - {line}" for line in leaves[0])
        else:
            yield from _branches(rest, here, f"{indent}  ")


def _leaves(questions: list[str], known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is recommended for every way to answer the questions that are left."""
    if questions:
        for facts in _QUESTIONS[questions[0]].values():
            yield from _leaves(questions[1:], known | facts)
        return
    free: Recommendation = dw.recommend(**known, **_TOLD)
    proved: Recommendation = dw.recommend(**known, **_TOLD, needs_guarantee=True)
    yield _said(free.best, "take", free), _said(proved.best, "with a proof, take", proved)


def _said(option: Option, verb: str, found: Recommendation) -> str:
    return (
        f"{verb} [`{option.name}`](../policies/{option.name}.md): {option.geometric_mean:.2f} times the"
        f" regret of the best window in hindsight, at worst {option.worst:.2f} times, in"
        f" {len(found.scenarios)} scenarios"
    )
