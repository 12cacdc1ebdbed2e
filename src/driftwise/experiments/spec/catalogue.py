"""What there is to choose from: each policy, each world, with its card and its settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ...registry import row_of
from .docstrings import meanings_of

__all__ = ["describe", "describe_all"]


def describe_all(classes: Iterable[type[Any]]) -> list[dict[str, Any]]:
    """Return by name the card of each class, its settings and, if it can be tuned, what with."""
    rows = []
    for cls in sorted(classes, key=lambda cls: cls.__name__.casefold()):
        row: dict[str, Any] = row_of(cls) | {"settings": _parameters(cls)}
        if hasattr(cls, "tuned"):
            row["tuned"] = _parameters(cls.tuned)
        rows.append(row)
    return rows


def describe(cls: type[Any]) -> dict[str, Any]:
    """Return the card of a class, and its settings with what each means."""
    (row,) = describe_all([cls])
    meanings = meanings_of(cls)
    settings = [each | {"meaning": meanings.get(each["name"], "")} for each in row["settings"]]
    return row | {"settings": settings}


def _parameters(call: Callable[..., Any]) -> list[dict[str, Any]]:
    return [_parameter(each) for each in inspect.signature(call).parameters.values()]


def _parameter(parameter: inspect.Parameter) -> dict[str, Any]:
    default = parameter.default
    if default is parameter.empty:
        return {"name": parameter.name, "required": True}
    if not isinstance(default, str | int | float | None):
        default = repr(default)
    return {"name": parameter.name, "required": False, "default": default}
