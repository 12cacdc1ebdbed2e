"""From TOML to an encoder, or to an error that names the line, the key and the rule."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields as settings_of
from pathlib import Path
from typing import Any

from ..core.base.validation import require_known
from .declaration import KINDS, SIDES, PerAction
from .encoder import Encoder
from .fields import Field

__all__ = ["encoder_in", "parsed", "text_of"]

Place = tuple[str, ...]  # such as ("context", "hour", "period")

_KEYS = (*SIDES, "cross", "per_action", "blocks")


def text_of(text_or_path: str | os.PathLike[str]) -> str:
    """Return the text of a file, or a text as it is."""
    if isinstance(text_or_path, str):
        is_path = text_or_path.endswith(".toml") or "=" not in text_or_path
        if "\n" in text_or_path or not is_path:
            return text_or_path
    if not isinstance(text_or_path, str | os.PathLike):
        raise TypeError(f"text_or_path must be TOML or a path, got {text_or_path!r}")
    path = Path(text_or_path)
    if not path.is_file():
        raise FileNotFoundError(
            f"text_or_path must be TOML or a file that exists, got {str(path)!r}"
        )
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be UTF-8 text ({error})") from None


def parsed(text: str) -> Encoder:
    """Return the encoder that a text declares."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"a declaration must be TOML: {error}") from None
    return encoder_in(text, data)


def encoder_in(text: str, data: Mapping[str, Any]) -> Encoder:
    """Return the encoder that the tables of some file declare; errors name the lines of its text."""
    return _Reader(text).encoder(data)


class _Reader:
    """Reads one text; every error says where it comes from."""

    def __init__(self, text: str) -> None:
        self._text = text

    def encoder(self, data: Mapping[str, Any]) -> Encoder:
        self._require_keys(data, (), _KEYS)
        context, action = (
            {
                name: self._field(entry, (side, name))
                for name, entry in self._table(data, (side,)).items()
            }
            for side in SIDES
        )
        cross = self._table(data, ("cross",))
        self._require_keys(cross, ("cross",), ["terms"])
        per_action = self._table(data, ("per_action",)) if "per_action" in data else None
        return self._made(  # type: ignore[no-any-return]  # an encoder
            (),
            lambda: Encoder(
                context=context,
                action=action,
                cross=cross.get("terms", ()),
                per_action=None if per_action is None else self._per_action(per_action),
                blocks=data.get("blocks"),
            ),
        )

    def _field(self, entry: Any, place: Place) -> Field:
        if not isinstance(entry, dict):
            raise self._error(place, f"a field must be a table with a kind, got {entry!r}")
        if "kind" not in entry:
            raise self._error(place, f"there must be a kind, one of {', '.join(KINDS)}")
        try:
            cls = KINDS[require_known("kind", entry["kind"], KINDS)]
        except (TypeError, ValueError) as error:
            raise self._error((*place, "kind"), error) from None
        known = settings_of(cls)
        self._require_keys(entry, place, ["kind", *(each.name for each in known)])
        given = {key: value for key, value in entry.items() if key != "kind"}
        return self._made(place, lambda: cls(**given))  # type: ignore[no-any-return]  # a field

    def _per_action(self, entry: Mapping[str, Any]) -> PerAction:
        self._require_keys(entry, ("per_action",), [each.name for each in settings_of(PerAction)])
        return PerAction(**{"terms": (), **entry})

    def _made(self, place: Place, make: Callable[[], Any]) -> Any:
        """Return what is made; an error is told with the line of the setting that it begins with."""
        try:
            return make()
        except _PlacedError:
            raise
        except (TypeError, ValueError) as error:
            missing = re.search(r"missing \d+ required positional .*: (.*)", str(error))
            rule = f"there must be {missing[1]}" if missing else str(error)
            key = tuple(rule.split(" ", 1)[0].split("."))
            key = ("cross", "terms") if key == ("cross",) else key
            while key and line_of(self._text, (*place, *key), is_exact=True) is None:
                key = key[:-1]
            raise self._error((*place, *key), rule) from None

    def _table(self, data: Mapping[str, Any], place: Place) -> dict[str, Any]:
        table = data.get(place[-1], {})
        if not isinstance(table, dict):
            raise self._error(place, f"{place[-1]} must be a table, got {table!r}")
        return table

    def _require_keys(self, table: Mapping[str, Any], place: Place, known: Iterable[str]) -> None:
        for key in table:
            try:
                require_known("key", key, known)
            except ValueError as error:
                raise self._error((*place, key), error) from None

    def _error(self, place: Place, rule: Exception | str) -> _PlacedError:
        line = line_of(self._text, place)
        where = f"line {line}: " if line else ""
        return _PlacedError(f"{where}{'.'.join(place) or 'declaration'}: {rule}")


class _PlacedError(ValueError):
    """An error that says where it comes from."""


_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_PATH = rf"{_PART}(?:\s*\.\s*{_PART})*"
_LINE = re.compile(rf"^\s*(?:\[\s*(?P<table>{_PATH})\s*\]|(?P<key>{_PATH})\s*=)")


def line_of(text: str, place: Place, *, is_exact: bool = False) -> int | None:
    """Return the line of a key or a table, counted from 1, or of the nearest that it is inside of.

    The standard parser does not tell; this reads the beginnings of lines.
    """
    table: Place = ()
    found, length = None, 0
    for number, line in enumerate(text.splitlines(), start=1):
        if (match := _LINE.match(line)) is None:
            continue
        parts = tuple(
            part.strip("\"'") for part in re.findall(_PART, match["table"] or match["key"])
        )
        here = table + parts if match["key"] else parts
        table = table if match["key"] else parts
        if here == place[: len(here)] and len(here) > length:
            found, length = number, len(here)
    return None if is_exact and length < len(place) else found
