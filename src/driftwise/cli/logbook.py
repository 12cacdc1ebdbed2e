"""Reading a log that a person named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.base.validation import require_known
from ..logs import Log
from ..logs.fields import FIELDS
from .targets import require_file

__all__ = ["read", "require_target"]

_LISTS = ("propensities", "context", "actions")  # fields that take several words


def read(
    file: Path,
    form: str | None,
    columns: list[str] | None,
    context: str | None,
    actions: str | None,
) -> Log:
    """Return the log in a file; of the options for CSV those that were given."""
    mapping: dict[str, Any] = {}
    for pair in columns or []:
        field, sign, column = pair.partition("=")
        if not sign or not column:
            raise ValueError(f"column must be FIELD=COLUMN, got {pair!r}")
        require_known("column", field, FIELDS)
        mapping[field] = column.split(",") if field in _LISTS else column
    for name, words in (("context", context), ("actions", actions)):
        if words is not None:
            mapping[name] = words.split(",")
    return Log.read(file, form=form, columns=mapping or None)


def require_target(target: Path) -> None:
    """Refuse, before a long log is read, a name under which none can be written."""
    if target.suffix.lower() not in (".jsonl", ".ndjson", ".json", ".parquet"):
        raise ValueError(f"target must end in .jsonl or .parquet, got {str(target)!r}")
    require_file("target", target)
