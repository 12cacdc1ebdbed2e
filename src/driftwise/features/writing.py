"""From a declaration to TOML that declares the same."""

from __future__ import annotations

from dataclasses import fields as settings_of
from typing import Any

from .declaration import Declaration
from .fields import Field
from .spelling import quoted, spelled

__all__ = ["table_of", "written"]


def written(declaration: Declaration) -> str:
    """Return a declaration as TOML: what is as it would be anyway is left out."""
    parts = []
    if declaration.blocks != declaration.n_blocks:
        parts.append(f"blocks = {declaration.blocks}\n")
    for path, field in declaration.fields.items():
        side, _, name = path.partition(".")
        parts.append(table_of(side, name, field))
    if declaration.cross:
        parts.append(f"[cross]\nterms = {_plain(declaration.cross)}\n")
    if declaration.own:
        lines = {"terms": declaration.own, "names": declaration.names, "places": declaration.places}
        parts.append("[per_action]\n" + "".join(f"{k} = {_plain(v)}\n" for k, v in lines.items()))
    return "\n".join(parts)


def table_of(side: str, name: str, field: Field) -> str:
    """Return one field as a table."""
    lines = [f"[{side}.{spelled(name)}]", f"kind = {quoted(field.kind)}"]
    for setting in settings_of(field):
        value = getattr(field, setting.name)
        if value != setting.default:
            lines.append(f"{setting.name} = {_plain(value)}")
    return "\n".join(lines) + "\n"


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return quoted(value) if isinstance(value, str) else repr(value)
