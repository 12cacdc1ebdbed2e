"""The fields of an event, the names that others give them, and their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FIELDS", "JSON_FIELDS", "NUMBER_FIELDS", "TIME_FIELDS", "canonical", "schema"]

FIELDS = (
    "event_id",
    "time",
    "context",
    "actions",
    "decision_set",
    "action",
    "propensity",
    "propensities",
    "reward",
    "reward_time",
    "policy",
    "luck",
    "choice",
    "forgotten",
)
NUMBER_FIELDS = ("time", "propensity", "reward", "reward_time")
TIME_FIELDS = ("time", "reward_time")
JSON_FIELDS = (
    "context",
    "actions",
    "choice",
    "forgotten",
)  # of any form, so a column holds them as JSON text

ALIASES = {
    "EventId": "event_id",
    "Timestamp": "time",
    "_labelIndex": "action",
    "pscore": "propensity",
    "propensity_score": "propensity",
    "probability": "propensity",
    "_label_probability": "propensity",
}
COST = "_label_cost"  # minus the reward


def canonical(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row under our names; what bears none of the known names is left out.

    Examples
    --------
    >>> canonical({"pscore": 0.5, "_label_cost": -1.0, "colour": "blue"})
    {'propensity': 0.5, 'reward': 1.0}
    """
    kept = {name: row[name] for name in FIELDS if row.get(name) is not None}
    for alias, name in ALIASES.items():
        if row.get(alias) is not None:
            kept.setdefault(name, row[alias])
    cost = row.get(COST)
    if cost is not None and "reward" not in kept:
        kept["reward"] = 0.0 - cost if isinstance(cost, int | float) else cost  # and never -0.0
    return kept


def schema() -> dict[str, pl.DataType]:
    """Return the type of each column."""
    import polars as pl

    number, numbers = pl.Float64(), pl.List(pl.Float64)
    special = {
        **dict.fromkeys(NUMBER_FIELDS, number),
        "decision_set": pl.List(numbers),
        "propensities": numbers,
        "action": pl.Int64(),
        "luck": pl.Int64(),
    }
    return {name: special.get(name, pl.String()) for name in FIELDS}
