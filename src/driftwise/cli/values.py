"""What people type, read as numbers and settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import typer

from .errors import InputError

__all__ = ["collect", "integer", "number", "setting"]

_LARGEST = 2**63 - 1  # what fits a column of integers, such as that of a seed
_LARGEST_SETTING = 2**53  # what a float still counts exactly


def integer(text: object) -> int:
    """Read an integer: 30000, 30_000 or 3e4."""
    value = _value(str(text))
    if not isinstance(value, int) or isinstance(value, bool):
        raise typer.BadParameter(f"must be an integer, got {str(text)!r}")
    if abs(value) > _LARGEST:
        raise typer.BadParameter(f"must be at most {_LARGEST} in magnitude, got {text}")
    return value


def number(text: object) -> float:
    """Read a number; whether it may be negative or infinite is for the library to say."""
    try:
        return float(str(text))
    except ValueError:
        raise typer.BadParameter(f"must be a number, got {str(text)!r}") from None


def setting(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE, where a value is a number, true, false, a list in brackets or a word.

    Examples
    --------
    >>> setting("window=500"), setting("parameter=[0.2, 0.8]"), setting("rewards=bernoulli")
    (('window', 500), ('parameter', [0.2, 0.8]), ('rewards', 'bernoulli'))
    >>> setting("is_growing=false"), setting("is_growing=False")
    (('is_growing', False), ('is_growing', False))
    """
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise InputError(f"set must be NAME=VALUE, got {text!r}")
    name, read = name.strip().replace("-", "_"), _value(value.strip())
    if isinstance(read, int) and abs(read) > _LARGEST_SETTING:
        raise InputError(f"{name} must be at most {_LARGEST_SETTING} in magnitude, got {read}")
    return name, read


def collect(options: Mapping[str, Any], texts: Iterable[str]) -> dict[str, Any]:
    """Return the options that were given together with the settings, each name once."""
    found = {name: value for name, value in options.items() if value is not None}
    for name, value in map(setting, texts):
        if name in found:
            raise InputError(f"{name} must be given once, got {found[name]} and {value}")
        found[name] = value
    return found


def _value(text: str) -> Any:
    for read in (int, _decimal, json.loads):
        with suppress(ValueError, RecursionError):  # brackets by the thousand are a word, too
            return read(text)
    return {"True": True, "False": False}.get(text, text)  # as Python writes what JSON has too


def _decimal(text: str) -> int | float:
    """Read 3e4 as the integer it is, and 2.0 as a decimal."""
    value = float(text)
    return int(value) if value.is_integer() and "." not in text else value
