"""Events as Vowpal Wabbit and Azure Personalizer write them, line by line: dsjson."""

from __future__ import annotations

import reprlib
from typing import Any

from ..core.base.validation import require_integer
from .fields import canonical

__all__ = ["from_dsjson", "is_dsjson"]


def is_dsjson(row: dict[str, Any]) -> bool:
    """Return whether a row of JSON Lines is in this form."""
    return isinstance(row.get("c"), dict) or "RewardValue" in row


def from_dsjson(row: dict[str, Any]) -> dict[str, Any]:
    """Return an event under our names.

    ``_label_cost`` is minus the reward. ``a`` ranks the actions, from 1, and ``p`` follows that
    ranking: here probabilities follow the actions. A line that has a ``RewardValue`` is a reward whose
    decision was not found when the log was joined. What a sampler dropped (``pdrop``) is not made up
    for.

    Examples
    --------
    >>> event = from_dsjson({
    ...     "_label_cost": -1.0, "_label_probability": 0.8, "_labelIndex": 1, "EventId": "e",
    ...     "a": [2, 1], "p": [0.8, 0.2], "c": {"User": {"age": 3}, "_multi": [{"x": 1}, {"x": 2}]},
    ... })
    >>> event["action"], event["reward"], event["propensities"], event["context"]
    (1, 1.0, [0.2, 0.8], {'User': {'age': 3}})
    """
    if "RewardValue" in row:
        arrival = row.get("EnqueuedTimeUtc")
        return {
            "event_id": row.get("EventId"),
            "reward": row["RewardValue"],
            "reward_time": arrival,
        }
    content = row.get("c")
    for field in ("_outcomes", "_slots", "_label_ca"):
        if field in row or (isinstance(content, dict) and field in content):
            raise ValueError(f"an event must have one action of a set, got {field}")
    if not isinstance(content, dict) or not isinstance(content.get("_multi"), list):
        raise TypeError(f"c must be an object with _multi, a list, got {reprlib.repr(content)}")
    event = canonical(row)
    event["context"] = {name: value for name, value in content.items() if name != "_multi"}
    event["actions"] = content["_multi"]
    if "action" not in event and row.get("_label_Action") is not None:
        event["action"] = require_integer("_label_Action", row["_label_Action"]) - 1
    if row.get("p") is not None:
        event["propensities"] = _by_action(row.get("a"), row["p"], len(event["actions"]))
    return event


def _by_action(ranking: Any, probabilities: Any, size: int) -> list[Any]:
    if not isinstance(probabilities, list) or len(probabilities) != size:
        came = reprlib.repr(probabilities)
        raise ValueError(f"p must have one probability for each of {size} actions, got {came}")
    if not isinstance(ranking, list) or sorted(ranking) != list(range(1, size + 1)):
        raise ValueError(f"a must rank the actions 1 to {size}, got {reprlib.repr(ranking)}")
    ordered = [None] * size
    for place, probability in zip(ranking, probabilities, strict=True):
        ordered[place - 1] = probability
    return ordered
