"""From TOML to an encoder, or to an error that names the line, the key and the rule."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from dataclasses import fields as settings_of
from pathlib import Path
from typing import Any

from ..core.base.errors import RuleError
from ..core.base.placed import Fields, PlacedError
from ..core.base.places import Place, find_lines
from ..core.base.validation import require_known
from .declaration import KINDS, SIDES, PerAction
from .encoder import Encoder
from .fields import Field

__all__ = ["DeclarationError", "encoder_in", "parsed", "text_of"]

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
            f"text_or_path must be TOML or a file that exists, got {os.fspath(text_or_path)!r}"
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


class DeclarationError(PlacedError):
    """Something in a declaration is wrong; the message names the line, the key and the rule."""

    everything = "declaration"


class _Reader(Fields):
    """Reads one text; every error says where it comes from."""

    kind = DeclarationError

    def encoder(self, data: Mapping[str, Any]) -> Encoder:
        self.require_keys(data, (), _KEYS)
        context, action = (
            {
                name: self._field(entry, (side, name))
                for name, entry in self.table(data, (), side).items()
            }
            for side in SIDES
        )
        cross, own = self.table(data, (), "cross"), self.table(data, (), "per_action")
        self.require_keys(cross, ("cross",), ["terms"])
        self.require_keys(own, ("per_action",), [each.name for each in settings_of(PerAction)])
        return self._made(  # type: ignore[no-any-return]  # an encoder
            (),
            lambda: Encoder(
                context=context,
                action=action,
                cross=cross.get("terms", ()),
                per_action=PerAction(**{"terms": (), **own}) if "per_action" in data else None,
                blocks=data.get("blocks"),
            ),
        )

    def _field(self, entry: Any, place: Place) -> Field:
        if not isinstance(entry, dict):
            self.refuse(place, f"a field must be a table with a kind, got {entry!r}")
        if "kind" not in entry:
            self.refuse(place, f"there must be a kind, one of {', '.join(KINDS)}")
        try:
            cls = KINDS[require_known("kind", entry["kind"], KINDS)]
        except (TypeError, ValueError) as error:
            self.refuse((*place, "kind"), error)
        known = settings_of(cls)
        self.require_keys(entry, place, ["kind", *(each.name for each in known)])
        for each in known:
            if each.default is MISSING and each.name not in entry:
                self.refuse(place, f"there must be {each.name!r}")
        given = {key: value for key, value in entry.items() if key != "kind"}
        return self._made(place, lambda: cls(**given))  # type: ignore[no-any-return]  # a field

    def _made(self, place: Place, make: Callable[[], Any]) -> Any:
        """Return what is made; an error is told with the line of the setting that it is about."""
        try:
            return make()
        except (TypeError, ValueError) as error:
            parameter = error.parameter if isinstance(error, RuleError) else ""
            key = ("cross", "terms") if parameter == "cross" else tuple(parameter.split("."))
            lines = find_lines(self._text)
            while key and (*place, *key) not in lines:
                key = key[:-1]
            self.refuse((*place, *key), error)
