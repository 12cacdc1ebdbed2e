"""Policies and choices as plain data, for files, logs and databases, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.settings import hints_of
from .memories import fields_in
from .names import class_named, name_of

__all__ = ["arrays_in", "from_plain", "require_shallow", "to_plain"]

_DEEPEST = (
    32  # of what is inside what: more than any policy over policies, less than recursion takes
)
_TYPES = frozenset(
    str(np.dtype(code)) for code in "?bhilqBHILQefd"
)  # of numbers, of few bytes each


def to_plain(value: Any, name: Callable[[type[Any]], str] = name_of) -> Any:
    """Return named tuples, and those inside them, as JSON-ready data; NaN becomes None.

    ``name`` tells what a class is called.

    Examples
    --------
    >>> from driftwise.core.contract.policy import Choice
    >>> to_plain(Choice(arm=1, propensity=0.5, value=math.nan))
    {'class': 'Choice', 'fields': {'arm': 1, 'propensity': 0.5, 'value': None}}
    """
    if type(value) is tuple:
        return {"tuple": [to_plain(item, name) for item in value]}
    if isinstance(value, tuple):
        cls = type(value)
        fields = {
            field: to_plain(item, name)
            for field, item in zip(cls._fields, value, strict=True)  # type: ignore[attr-defined]  # named tuples
        }
        return {"class": name(cls), "fields": fields}
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
    cls, fields = class_named(data["class"]), data["fields"]
    needed = cls._fields[: len(cls._fields) - len(cls._field_defaults)]
    if not set(needed) <= fields.keys() <= set(cls._fields):
        raise ValueError(f"{cls.__name__} must have the fields {cls._fields}, got {tuple(fields)}")
    hints = hints_of(cls)
    return cls(**{name: _field(item, hints[name]) for name, item in fields.items()})


def _field(item: Any, hint: str) -> Any:
    """Return a field of a record; None is nan, but where a setting may be left out."""
    return None if item is None and hint == "float | None" else _from_plain(item)


def arrays_in(memory: Any) -> list[NDArray[Any]]:
    """Return all arrays of a memory, in order."""
    return list(fields_in(memory).values())
