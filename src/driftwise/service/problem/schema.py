"""The JSON Schema of problem files, for editors: made of what reading them knows."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ...features.declaration import KINDS as FIELD_KINDS
from ...registry import all_policies
from .reading import KEYS, SHADOW_KEYS, TEMPLATE_KEYS
from .settings import JOINS, Limits
from .tables import GUARD_KEYS, KINDS, LATE, REWARD_KEYS, ROWS

__all__ = ["problem_schema"]


def problem_schema() -> dict[str, Any]:
    """Return the schema."""
    field = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"enum": list(FIELD_KINDS)}},
    }
    side = {"type": "object", "additionalProperties": field}
    share = {"type": "number", "minimum": 0, "maximum": 1}
    reward: dict[str, Any] = {
        "kind": {
            "enum": list(KINDS),
            "description": "binary: one of the two ends of the range, 0 or 1 by default; number: anything in it.",
        },
        "range": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "window": _said("string", 'How long a reward is waited for, such as "90s" or "2h".'),
        "default": _said(["number", "string"], 'Learnt when none came; "none" for nothing.'),
        "late": {"enum": list(LATE)},
        "join": {"enum": list(JOINS)},
    }
    guards: dict[str, Any] = {
        "fallback": _said(["string", "integer"], "The arm of the kill switch."),
        "largest_share": _said(["number", "object"], "Of an arm, or of all."),
        "over": _said("integer", "Decisions over which shares are counted."),
    }
    policy = {"type": "object", "properties": {"name": {"enum": list(all_policies())}}}
    shadow = {"name": _said("string", "By which it is shown and promoted."), "policy": policy}
    assert (*reward,) == REWARD_KEYS
    assert (*shadow,) == SHADOW_KEYS
    template: dict[str, Any] = {
        "idle": _said("string", 'After which a problem leaves memory, such as "10min".'),
        "resident": _said("integer", "Problems in memory, at most."),
        "most": _said("integer", "Problems in all."),
    }
    assert (*template,) == TEMPLATE_KEYS
    assert (*guards,) == GUARD_KEYS
    limits = {each.name: {"type": "number", "minimum": 0} for each in fields(Limits)}
    known: dict[str, Any] = {
        "name": _said("string", "What it is called in addresses; that of the file by default."),
        "arms": _said(["array", "object"], "Names, or a table of features for each."),
        "actions": _table({"dimension": {"type": "integer", "minimum": 1}}),
        "seed": {"type": "integer", "minimum": 0},
        "context": side,
        "action": side,
        "cross": _table({"terms": {"type": "array"}}),
        "per_action": {"type": "object"},
        "blocks": {"type": "integer", "minimum": 1},
        "reward": _table(reward),
        "policy": policy,
        "exploration": _table({"share": share}),
        "guards": _table(guards),
        "limits": _table(limits),
        "log": _table({"rows": {"enum": list(ROWS)}, "context": {"type": "boolean"}}),
        "shadow": {
            "type": "array",
            "description": "Policies that follow the log and are scored, and decide nothing.",
            "items": _table(shadow) | {"required": ["name"]},
        },
    }
    known["template"] = _table(template)
    assert (*known,) == KEYS
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A problem of driftwise",
        **_table(known),
    }


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _said(kind: Any, description: str) -> dict[str, Any]:
    return {"type": kind, "description": description}
