"""Policies and choices as plain data, for files, logs and databases, and back."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["arrays_in", "fingerprint", "from_plain", "require_shallow", "to_plain"]

_DEEPEST = (
    32  # of what is inside what: more than any policy over policies, less than recursion takes
)
_TYPES = frozenset(
    str(np.dtype(code)) for code in "?bhilqBHILQefd"
)  # of numbers, of few bytes each


def to_plain(value: Any) -> Any:
    """Return named tuples, and those inside them, as JSON-ready data; NaN becomes None.

    Examples
    --------
    >>> from driftwise.core.contract.policy import Choice
    >>> to_plain(Choice(arm=1, propensity=0.5, value=math.nan))
    {'class': 'driftwise.core.contract.policy:Choice',
     'fields': {'arm': 1, 'propensity': 0.5, 'value': None}}
    """
    if type(value) is tuple:
        return {"tuple": [to_plain(item) for item in value]}
    if isinstance(value, tuple):
        cls = type(value)
        fields = {
            name: to_plain(item)
            for name, item in zip(cls._fields, value, strict=True)  # type: ignore[attr-defined]  # named tuples
        }
        return {"class": f"{cls.__module__}:{cls.__qualname__}", "fields": fields}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


def from_plain(data: Any) -> Any:
    """Return what `to_plain` was given, or say what is wrong with it: it may come from anywhere."""
    require_shallow("a record", data)
    return _from_plain(data)


def require_shallow(name: str, data: Any) -> None:
    """Refuse data nested so deeply that to read it, or to print it, would end in a RecursionError."""
    if not _is_shallow([data], _DEEPEST + 1):
        raise ValueError(f"{name} must be nested at most {_DEEPEST} deep, got more")


def _is_shallow(items: Iterable[Any], levels: int) -> bool:
    return all(
        levels > 0 and _is_shallow(item.values() if isinstance(item, dict) else item, levels - 1)
        for item in items
        if isinstance(item, dict | list | tuple)
    )


def _from_plain(data: Any) -> Any:
    if data is None:
        return math.nan
    if not isinstance(data, dict):
        return data
    if isinstance(data.get("tuple"), list):
        return tuple(_from_plain(item) for item in data["tuple"])
    if isinstance(data.get("array"), list):
        try:
            if data.get("dtype") in _TYPES:
                return np.array(data["array"], dtype=data["dtype"])
        except (TypeError, ValueError, OverflowError):
            pass
        raise ValueError(f"array must hold what its dtype says, got {data!r}")
    if not isinstance(data.get("class"), str) or not isinstance(data.get("fields"), dict):
        raise ValueError(f"a record must have a class and fields, got {data!r}")
    cls, fields = _class(data["class"]), data["fields"]
    needed = cls._fields[: len(cls._fields) - len(cls._field_defaults)]
    if not set(needed) <= fields.keys() <= set(cls._fields):
        raise ValueError(f"{cls.__name__} must have the fields {cls._fields}, got {tuple(fields)}")
    return cls(**{name: _from_plain(item) for name, item in fields.items()})


def fingerprint(policy: Any) -> str:
    """Return a short text that tells a policy and its settings from all others."""
    return hashlib.sha256(json.dumps(to_plain(policy)).encode()).hexdigest()[:16]


def arrays_in(memory: Any) -> list[NDArray[Any]]:
    """Return all arrays of a memory, in order."""
    if isinstance(memory, tuple):
        return [array for part in memory for array in arrays_in(part)]
    return [memory]


def _class(path: str) -> Any:
    module, _, name = path.partition(":")
    # To import a module is to run it, and data must not decide what is run.
    if module not in sys.modules and not module.startswith("driftwise."):
        raise ValueError(
            f"{path!r} must be of a module that was imported, got one that was not: import it first"
        )
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise ValueError(f"{path!r} must be importable to be read back, but it is not") from None
    # Nor may it decide to call just any class.
    if not (isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")):
        raise ValueError(f"{path!r} must be a policy or a choice, got {found!r}")
    return found
