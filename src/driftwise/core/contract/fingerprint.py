"""What a decision says of the policy that made it: enough to tell what differs from another."""

from __future__ import annotations

import hashlib
import json
import reprlib
from typing import Any

from .names import former_path
from .records import require_shallow, to_plain

__all__ = ["difference", "fingerprint", "require_fingerprint", "settings_in"]

_LONGEST = 32  # numbers of a setting that are kept; of more, a digest
_MOST = 3  # differences that are told


def fingerprint(policy: Any) -> str:
    """Return a string that identifies a policy and names its settings.

    Examples
    --------
    >>> from driftwise.policies import Exp3
    >>> fingerprint(Exp3(mixing=0.5))
    '{"class":"Exp3","fields":{"mixing":0.5}}'
    """
    return _text(_shortened(to_plain(policy)))


def settings_in(text: str) -> Any:
    """Return a fingerprint as JSON-ready data: that of version 0.1.0, a digest, is a string."""
    return json.loads(text) if text.startswith("{") else text


def require_fingerprint(given: Any) -> str:
    """Return the fingerprint that is meant by a policy, a fingerprint or `settings_in` of one."""
    if isinstance(given, tuple):
        return fingerprint(given)
    try:
        data = settings_in(given) if isinstance(given, str) else given
        require_shallow("policy", data)
        if isinstance(data, dict):
            return _text(data)
    except RecursionError:
        raise ValueError(
            "policy must be a fingerprint, got one that is nested too deeply"
        ) from None
    except (TypeError, json.JSONDecodeError):
        data = None
    if not isinstance(data, str):
        raise TypeError(f"policy must be a fingerprint or settings, got {reprlib.repr(given)}")
    return data


def difference(text: Any, policy: Any) -> str:
    """Return in which settings a decision's policy differs from another one, in words, or nothing."""
    if not isinstance(text, str):
        return f"decision was made by {reprlib.repr(text)}, which is not a fingerprint"
    if not text.startswith("{"):
        if text == _former(policy):
            return ""
        return (
            f"decision was made with the fingerprint {reprlib.repr(text)}, this agent has "
            f"{_former(policy)!r} in the form of version 0.1.0, which does not record settings"
        )
    try:
        theirs = _flat(settings_in(require_fingerprint(text)))
    except (TypeError, ValueError):
        return f"decision was made by {reprlib.repr(text)}, which is not a fingerprint"
    ours = _flat(settings_in(fingerprint(policy)))
    told: list[str] = []
    places: list[str] = []
    for place in theirs | ours:
        # Where the classes differ, so do the settings inside, of course. To JSON 1 and 1.0 are the same.
        is_inside = any(place.startswith(f"{outer}." if outer else "") for outer in places)
        if not is_inside and theirs.get(place) != ours.get(place):
            made = f"with {repr(place)[1:-1]}=" if place else "by "
            shown = _shown(theirs, place), _shown(ours, place)
            told.append(f"decision was made {made}{shown[0]}, this agent has {shown[1]}")
            places.append(place)
    more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return "; ".join(told[:_MOST]) + more


def _flat(data: Any, place: str = "") -> dict[str, Any]:
    """Return classes and settings by their path: ``"base.window"``."""
    inside = data if isinstance(data, dict) else {}
    settings = inside.get("fields", inside.get("tuple"))
    if isinstance(settings, list):
        settings = dict(enumerate(settings))
    if not isinstance(settings, dict):
        return {place: inside.get("array", data)}
    flat = {place: inside.get("class")}
    for key, item in settings.items():
        flat |= _flat(item, f"{place}.{key}" if place else str(key))
    return flat


def _shown(settings: dict[str, Any], place: str) -> str:
    value = settings.get(place, "no such setting")
    return value if isinstance(value, str) and value.isidentifier() else reprlib.repr(value)


def _shortened(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    if "array" in data and _size(data["array"]) > _LONGEST:
        digest = hashlib.sha256(json.dumps(data["array"]).encode()).hexdigest()[:16]
        return data | {"array": f"{_size(data['array'])} numbers, digest {digest}"}
    if "tuple" in data:
        return {"tuple": [_shortened(item) for item in data["tuple"]]}
    if "fields" in data:
        return data | {"fields": {key: _shortened(item) for key, item in data["fields"].items()}}
    return data


def _size(numbers: Any) -> int:
    return sum(map(_size, numbers)) if isinstance(numbers, list) else 1


def _text(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _former(policy: Any) -> str:
    """Return the fingerprint of version 0.1.0."""
    return hashlib.sha256(json.dumps(to_plain(policy, former_path)).encode()).hexdigest()[:16]
