"""The JSON Schema of an experiment file, made from the registry: editors complete and check by it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping
from typing import Any

from ...core.base.card import summary_of
from ...registry import all_policies, all_worlds
from ...theory import RATES
from .parameters import maker_of, parameters_of
from .rules import RULES

__all__ = ["schema"]

_COUNT = {"type": "integer", "minimum": 1}
_TEXT = {"type": "string"}
_NUMBER = {"$ref": "#/$defs/number"}
_AXIS = {"$ref": "#/$defs/axis"}


def schema() -> dict[str, Any]:
    """Return the schema, with every policy and every world that is known now."""
    policies = {"type": "array", "items": {"$ref": "#/$defs/policy"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An experiment of driftwise",
        "type": "object",
        "required": ["horizons", "worlds", "policies"],
        "additionalProperties": False,
        "properties": {
            "title": _TEXT,
            "description": _TEXT,
            "horizons": _horizons(),
            "replications": _said(_COUNT, "How often each horizon is played; 20 by default."),
            "seed": _said({"type": "integer", "minimum": 0}, "The seed of all randomness."),
            "checkpoints": _said(_COUNT, "At how many rounds the regret is kept; 50 by default."),
            "spacing": {"enum": ["even", "log"]},
            "skip_refused": _said(
                {"type": "boolean"}, "Leave out policies where they cannot play; false by default."
            ),
            "measured_facts": _said(
                {"type": "boolean"},
                "Tell policies the variation, and the number of changes, of the path of the seed.",
            ),
            "variation_exponent": _said(
                {"type": ["number", "string"]},
                "The power of T with which the variation grows, for theory's slopes.",
            ),
            "scenario_seed": _said(
                {"type": "integer", "minimum": 0}, "The seed that drew the worlds, if one did."
            ),
            "quick": _table(
                {"horizons": _horizons(), "replications": _COUNT, "checkpoints": _COUNT}
            ),
            "worlds": {"type": "array", "minItems": 1, "items": _choice(_worlds())},
            "policies": _said({**policies, "minItems": 1}, "Who competes."),
            "comparators": _said(
                policies, "Yardsticks: of all points of a grid, the best in hindsight."
            ),
            "claims": {
                "type": "array",
                "items": _table(
                    {
                        "title": _TEXT,
                        "quote": _TEXT,
                        "rule": {"enum": list(RULES)},
                        "low": {"type": "number"},
                        "high": {"type": "number"},
                    },
                    required=["title", "quote", "rule", "high"],
                ),
            },
            "notes": {
                "type": "array",
                "items": _table({"kind": _TEXT, "what": _TEXT, "text": _TEXT}),
            },
        },
        "$defs": {
            "number": {
                "type": ["number", "string"],
                "description": "A number, or a formula in T; for policies also in d, K, B and R.",
            },
            "axis": {
                "anyOf": [
                    {"type": "array", "minItems": 1},
                    _table(
                        {"from": _NUMBER, "to": _NUMBER, "points": {**_COUNT, "minimum": 2}},
                        required=["from", "to", "points"],
                    ),
                ],
                "description": "The values of a setting: a list, or a geometric range.",
            },
            "policy": _choice(_policies()),
        },
    }


def _worlds() -> dict[str, dict[str, Any]]:
    return {
        name: _table(
            {
                "name": _said({"const": name}, summary_of(cls)),
                "label": _TEXT,
                "family": _said(_TEXT, "Family by which tables group it."),
                "horizons": _said(_horizons(), "Its own, instead of those of the experiment."),
                "delay": _said(
                    {"type": ["integer", "object", "string"]},
                    "How many rounds late rewards come, or a law of it: a table with a name, or a string.",
                ),
                **_settings({k: v for k, v in parameters_of(cls).items() if k != "horizon"}),
            },
            required=["name"],
        )
        for name, cls in all_worlds().items()
    }


def _policies() -> dict[str, dict[str, Any]]:
    everyone = _table({"name": {"const": "*"}, "except": {"type": "array"}}, required=["name"])
    return {name: _policy(name, cls) for name, cls in all_policies().items()} | {"*": everyone}


def _policy(name: str, cls: type[Any]) -> dict[str, Any]:
    settings = _settings({**parameters_of(cls), **parameters_of(maker_of(cls))})
    return _table(
        {
            "name": _said({"const": name}, summary_of(cls)),
            "label": _TEXT,
            "tuned": _said(
                {"type": "boolean"}, "Whether theory sets what is not given; true by default."
            ),
            "knows_variation": {"type": "boolean"},
            "rate": {"enum": list(RATES)},
            "families": _said({"type": "array"}, "The only families whose worlds it plays in."),
            "held_out": _said(
                {"type": "boolean"},
                "For comparators: picked on every other replication, and scored on the rest.",
            ),
            "grid": _table(dict.fromkeys(settings, _AXIS)),
            **settings,
        },
        required=["name"],
    )


def _settings(parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    return {name: _kind(each.annotation) for name, each in parameters.items()}


def _kind(hint: Any) -> dict[str, Any]:
    text = str(getattr(hint, "__forward_arg__", getattr(hint, "__name__", hint)))
    if text.split(" | ")[0] in ("int", "float"):
        return _NUMBER
    if text == "bool":
        return {"type": "boolean"}
    values = typing.get_args(hint)
    return {"enum": list(values)} if values and all(isinstance(v, str) for v in values) else {}


def _choice(tables: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a schema of tables that are told apart by their name, so that errors stay short."""
    return {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"enum": list(tables)}},
        "allOf": [
            {"if": {"properties": {"name": {"const": name}}}, "then": table}
            for name, table in tables.items()
        ],
    }


def _table(properties: Mapping[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required or [],
        "properties": dict(properties),
        "additionalProperties": False,
    }


def _horizons() -> dict[str, Any]:
    return _said({"type": "array", "items": _COUNT, "minItems": 1}, "How many rounds are played.")


def _said(kind: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**kind, "description": description}
