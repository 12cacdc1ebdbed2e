"""One event of a log as plain data: what it may hold, and the sentence about what it may not."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from ..core.base.validation import (
    require_actions,
    require_between,
    require_fraction,
    require_integer,
    require_number,
    require_reward,
)
from .fields import FIELDS

__all__ = [
    "REWARD_ALONE",
    "Event",
    "check_actions",
    "check_forgotten",
    "checked_event",
    "names_of",
    "seconds",
]

Event = dict[str, Any]

# What a row may hold that is a reward which came by itself, without its decision.
REWARD_ALONE = ("event_id", "time", "action", "reward", "reward_time")
_LARGEST_LUCK = 2**63 - 1


def checked_event(row: Mapping[str, Any]) -> Event:
    """Return a row with every field in its own type, or say which field breaks which rule.

    A row without an action is a reward that came by itself: it has an ``event_id`` and a ``reward``.

    Examples
    --------
    >>> checked_event({"action": 0, "propensity": 0.0})
    Traceback (most recent call last):
    driftwise...ValueError: propensity must be in (0, 1], got 0.0
    """
    event: Event = {name: row.get(name) for name in FIELDS}
    event["event_id"] = _text_or_integer("event_id", event["event_id"])
    for name in ("time", "reward_time"):
        event[name] = None if event[name] is None else seconds(name, event[name])
    if event["reward"] is not None:
        event["reward"] = require_reward(event["reward"])
    if event["action"] is None:
        return _reward_alone(event)
    _require_object("context", event["context"])
    _require_object("choice", event["choice"])
    check_forgotten(event["forgotten"])
    size = _size(event)
    event["action"] = _index(event["action"], event["actions"], size)
    _check_propensities(event, size)
    if event["time"] is not None and event["reward_time"] is not None:
        require_number("reward_time", event["reward_time"])
        if event["reward_time"] < event["time"]:
            raise ValueError(
                f"reward_time must be at least time, {event['time']}, got {event['reward_time']}"
            )
    if isinstance(event["policy"], dict):  # as `Decision.as_dict` tells it; a decision keeps a text
        event["policy"] = json.dumps(event["policy"], separators=(",", ":"), sort_keys=True)
    if event["policy"] is not None and not isinstance(event["policy"], str):
        raise TypeError(f"policy must be a string, got {reprlib.repr(event['policy'])}")
    if event["luck"] is not None:
        luck = require_integer("luck", event["luck"], at_least=0)
        if luck > _LARGEST_LUCK:
            raise ValueError(f"luck must be below 2**63, got {luck}")
        event["luck"] = luck
    return event


def seconds(name: str, value: Any) -> float:
    """Return a time as a number: as it is, or the seconds since 1970 of a timestamp.

    Examples
    --------
    >>> seconds("time", "1970-01-02T00:00:00.5Z"), seconds("time", 17)
    (86400.5, 17.0)
    >>> seconds("time", datetime(1970, 1, 2)), seconds("time", date(1970, 1, 2))
    (86400.0, 86400.0)
    """
    if isinstance(value, date):  # every datetime is one
        value = value.isoformat()
    if not isinstance(value, str):
        return require_number(name, value)
    try:
        # Some write tenths of a microsecond, which Python does not read.
        head, dot, tail = value.partition(".")
        digits = tail[: len(tail) - len(tail.lstrip("0123456789"))]
        moment = datetime.fromisoformat(head + dot + digits[:6] + tail[len(digits) :])
    except ValueError:
        raise TypeError(
            f"{name} must be a number or an ISO 8601 timestamp, got {value!r}"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()


def names_of(actions: Any) -> list[str] | None:
    """Return the names of actions in their order, or None if they have none."""
    if isinstance(actions, dict):
        return list(actions)
    if actions and all(isinstance(action, str) for action in actions):
        return list(actions)
    return None


def check_actions(actions: Any) -> None:
    """Say what is wrong with the actions of an event, if anything is."""
    rule = "actions must be a list of objects, a list of names, or an object of named objects"
    if not isinstance(actions, list | dict) or not actions:
        raise TypeError(f"{rule}, got {reprlib.repr(actions)}")
    each = list(actions.values()) if isinstance(actions, dict) else actions
    if isinstance(actions, list) and all(isinstance(action, str) for action in each):
        if len(set(each)) < len(each):
            raise ValueError(f"actions must have different names, got {reprlib.repr(actions)}")
        return
    for action in each:
        if not isinstance(action, dict):
            raise TypeError(f"{rule}, got {reprlib.repr(action)} among them")


def check_forgotten(forgotten: Any) -> None:
    """Say what is wrong with the names that were forgotten before an event, if anything is."""
    names = list(forgotten) if isinstance(forgotten, list | dict) else [None]
    counts = forgotten.values() if isinstance(forgotten, dict) else ()
    if forgotten is not None and not (
        all(isinstance(name, str) for name in names)
        and all(type(count) is int and count >= 0 for count in counts)
    ):
        raise TypeError(
            f"forgotten must be a list of names, or an object of names with the rewards that had "
            f"come by then, got {reprlib.repr(forgotten)}"
        )


def _reward_alone(event: Event) -> Event:
    if event["event_id"] is None or event["reward"] is None:
        raise ValueError(
            "action must be given, or event_id and reward for a reward alone, got none"
        )
    extra = [name for name in FIELDS if name not in REWARD_ALONE and event[name] is not None]
    if extra:
        raise ValueError(f"action must be given with {extra[0]}, got none")
    # The row stands where the reward came in: its time is no decision's.
    arrived = event["time"] if event["reward_time"] is None else event["reward_time"]
    return event | {"time": None, "reward_time": arrived}


def _size(event: Event) -> int | None:
    """Return how many actions there were, or None if nothing tells."""
    actions, rows = event["actions"], event["decision_set"]
    sizes = {}
    if actions is not None:
        check_actions(actions)
        sizes["actions"] = len(actions)
    if rows is not None:
        rows = require_actions("decision_set", rows, shape=(None, None)).tolist()
        event["decision_set"] = rows
        sizes["decision_set"] = len(rows)
    if event["propensities"] is not None:
        if not isinstance(event["propensities"], list | tuple) or not event["propensities"]:
            came = reprlib.repr(event["propensities"])
            raise TypeError(f"propensities must be a list of numbers, got {came}")
        sizes["propensities"] = len(event["propensities"])
    if len(set(sizes.values())) > 1:
        told = " and ".join(f"{size} {name}" for name, size in sizes.items())
        raise ValueError(f"{' and '.join(sizes)} must be equally many, got {told}")
    return next(iter(sizes.values()), None)


def _index(action: Any, actions: Any, size: int | None) -> int:
    if isinstance(action, str):
        names = names_of(actions)
        if names is None:
            raise TypeError(
                "action must be an integer where actions have no names: give them as actions, "
                f"got {action!r}"
            )
        if action not in names:
            raise ValueError(f"action must be one of {reprlib.repr(names)}, got {action!r}")
        return names.index(action)
    index = require_integer("action", action, at_least=0)
    if size is not None and index >= size:
        raise ValueError(f"action must be below {size}, the number of actions, got {index}")
    return index


def _check_propensities(event: Event, size: int | None) -> None:
    if event["propensities"] is not None:
        event["propensities"] = [
            require_between(f"propensities[{k}]", each, 0.0, 1.0)
            for k, each in enumerate(event["propensities"])
        ]
        if event["propensity"] is None:
            event["propensity"] = event["propensities"][event["action"]]
    if event["propensity"] is not None:
        event["propensity"] = require_fraction("propensity", event["propensity"], inclusive=True)


def _require_object(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, dict):
        raise TypeError(f"{name} must be an object, got {reprlib.repr(value)}")


def _text_or_integer(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} must be fit for UTF-8, got {value!r}") from None
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a string or an integer, got {value!r}")
    return str(value)
