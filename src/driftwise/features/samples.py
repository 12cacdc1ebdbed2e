"""The first events of a log, field by field: what a declaration can be proposed from."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..core.base.optional_packages import needed_for
from ..core.base.validation import require_integer
from .declaration import SIDES

__all__ = ["Sample", "read_sample"]


class Sample(NamedTuple):
    """What the first events of a log hold."""

    n_events: int
    rows: dict[str, int]  # how many dictionaries there were of each side
    values: dict[str, list[Any]]  # by path, such as "context.hour", in their order
    names: tuple[str, ...]  # of actions, in the order in which they came; empty without names


def read_sample(path: Path, first: int) -> Sample:
    """Read the first events of a log: JSON Lines, Parquet or CSV; the last two need polars.

    An event is an object, or a row, with a ``context`` and ``actions``: a list of objects, or of
    names, or an object of named ones. Columns may be flat instead, such as ``context.hour`` and ``action.price``.
    """
    first = require_integer("first", first, unit="event")
    kind = path.suffix.lower()
    if kind not in (".jsonl", ".ndjson", ".parquet", ".csv"):
        raise ValueError(f"path must end in .jsonl, .ndjson, .parquet or .csv, got {path}")
    if not path.is_file():
        raise FileNotFoundError(f"path must be a file that exists, got {path}")
    events = _table(path, kind, first) if kind in (".parquet", ".csv") else _lines(path, first)
    values: dict[str, list[Any]] = {}
    rows = dict.fromkeys(SIDES, 0)
    names: dict[str, None] = {}
    n_events = 0
    for where, event in events:
        n_events += 1
        context, actions = _parts(where, event)
        if isinstance(actions, list) and all(isinstance(each, str) for each in actions):
            actions = {name: {} for name in actions}
        if isinstance(actions, dict):
            names.update(dict.fromkeys(actions))
            actions = list(actions.values())
        for side, given in (("context", context), *(("action", each) for each in actions)):
            if not isinstance(given, dict):
                raise ValueError(f"{where} must have an object for each {side}, got {given!r}")
            rows[side] += 1
            for name, value in given.items():
                values.setdefault(f"{side}.{name}", []).append(value)
    if not n_events:
        raise ValueError(f"{path} must have at least one event, got none")
    return Sample(n_events, rows, values, tuple(names))


def _parts(where: str, event: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the context and the actions of an event, nested or flat."""
    if "context" in event or "actions" in event:
        actions = event.get("actions") or []
        if not isinstance(actions, list | dict):
            raise ValueError(f"{where} must have a list or an object of actions, got {actions!r}")
        return event.get("context") or {}, actions
    flat: dict[str, dict[str, Any]] = {side: {} for side in SIDES}
    for key, value in event.items():
        side, _, name = key.partition(".")
        if side in flat and name:
            flat[side][name] = value
    if not any(flat.values()):
        columns = ", ".join(event) or "nothing"
        raise ValueError(
            f"{where} must have context and actions, or columns such as context.hour and "
            f"action.price, got {columns}; `driftwise log convert` makes such a log of any table"
        )
    return flat["context"], [flat["action"]] if flat["action"] else []


def _lines(path: Path, first: int) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open("rb") as file:
        filled = ((i, line) for i, line in enumerate(file, start=1) if line.strip())
        for number, line in itertools.islice(filled, first):
            where = f"{path}, line {number}"
            try:
                event = json.loads(line)
            except ValueError as error:  # of JSON, or of UTF-8
                raise ValueError(f"{where} must be JSON: {error}") from None
            if not isinstance(event, dict):
                raise ValueError(f"{where} must be an object, got {event!r}")
            yield where, event


def _table(path: Path, kind: str, first: int) -> Iterator[tuple[str, dict[str, Any]]]:
    with needed_for("reading a log of this kind"):
        import polars as pl
    try:
        if kind == ".csv":
            frame = pl.read_csv(path, n_rows=first, infer_schema_length=first)
        else:
            frame = pl.read_parquet(path, n_rows=first)
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"{path} must be a {kind[1:]} file that can be read: {error}") from None
    for number, event in enumerate(frame.iter_rows(named=True), start=1):
        where = f"{path}, row {number}"
        yield where, {name: _object(where, name, value) for name, value in event.items()}


def _object(where: str, name: str, value: Any) -> Any:
    """Return what a cell holds: logs that driftwise wrote have context and actions as JSON text."""
    if name not in ("context", "actions") or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ValueError(f"{where}: {name} must be JSON, got {value[:60]!r}") from None
