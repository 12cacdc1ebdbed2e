"""JSON Lines: one event a line, read in blocks so that a long file needs no more memory."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .fields import ALIASES, COST, FIELDS, JSON_FIELDS, TIME_FIELDS, canonical, schema
from .frames import Clock, checked_frames, completed, is_sound

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JsonLines", "first_row", "lines_of"]

_BLOCK = 8 * 2**20  # bytes: some ten thousand events

# Whatever stands where a text is wanted polars takes for one: what may have been something else.
_NO_TEXT = r"^(?:true|false|[\[{].*|-?[0-9]+(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+))$"

# Polars writes 1.1050211632750722e17 as 110502116327507220, which is another number.
_LONG = r"[:,\[{] ?-?\d{17}"

# What JSON may say by an escape: a character beyond ASCII, or half of a pair for one, or another thing.
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|.)", re.DOTALL)

Translation = Callable[[dict[str, Any]], dict[str, Any]]


class JsonLines:
    """A file of JSON Lines.

    A block is read and checked by columns; if something in it is wrong, or told in a way that
    columns cannot hold, it is read again line by line, and that names the line.
    """

    def __init__(self, path: Path, translation: Translation | None = None) -> None:
        self.path = path
        self._translation = translation  # of each row, where the file is in somebody else's form
        self._first = first_row(path)

    @property
    def unread(self) -> list[str]:
        """Fields of the first event that a log has no use for."""
        used = {*FIELDS, *ALIASES, COST}
        return [] if self._translation else [name for name in self._first if name not in used]

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all events in order, checked."""
        clock, line = Clock(), 1
        for block in _blocks(self.path):
            frame = None if self._translation else self._by_columns(block, clock)
            if frame is not None:
                yield frame
            else:
                yield from checked_frames(self._rows(block, line), clock)
            line += block.count(b"\n")

    def _by_columns(self, block: bytes, clock: Clock) -> pl.DataFrame | None:
        """Return the events of a block, or None if it must be read line by line."""
        import polars as pl

        # Inside of objects polars takes escapes for what they stand for, and does not put them back.
        if b"\\" in block and b"\\" in (block := _ESCAPE.sub(_unescaped, block)):
            return None
        try:
            raw = pl.read_ndjson(io.BytesIO(block), schema=self._types())
            if any(raw[name].str.contains(_LONG).any() for name in JSON_FIELDS):
                return None
            if any(raw[name].str.contains(_NO_TEXT).any() for name in ("event_id", "EventId")):
                return None
            if raw["policy"].str.contains("^(?:true$|false$|[\\[0-9-])").any():
                return None
            frame = completed(_under_our_names(raw))
            return frame if is_sound(frame, clock) else None
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            return None  # reading by lines finds the reason, and names its line

    def _types(self) -> dict[str, pl.DataType]:
        import polars as pl

        types = schema()
        for alias, name in ALIASES.items():
            types[alias] = types[name]
        types[COST] = pl.Float64()
        # Timestamps, and chosen actions by name: as the first event has it.
        for name, value in self._first.items():
            if isinstance(value, str) and ALIASES.get(name, name) in (*TIME_FIELDS, "action"):
                types[name] = pl.String()
        return types

    def _rows(self, block: bytes, line: int) -> Iterator[tuple[str, dict[str, Any]]]:
        for number, text in enumerate(block.split(b"\n"), line):
            if text.strip():
                where = f"{self.path}, line {number}"
                row = _parsed(where, text)
                try:
                    yield where, self._translation(row) if self._translation else canonical(row)
                except (TypeError, ValueError) as error:
                    raise ValueError(f"{where}: {error}") from None


def lines_of(frame: pl.DataFrame) -> bytes:
    """Return events as JSON Lines; a field that none of them has is left out."""
    import polars as pl

    kept = [name for name in FIELDS if frame[name].null_count() < len(frame)]
    parts: list[pl.Expr] = []
    for name in kept:
        value = pl.col(name) if name in JSON_FIELDS else _encoded(name)
        parts += [pl.lit(f'{", " if parts else "{"}"{name}": '), value.fill_null("null")]
    if not parts:
        return b""
    text = frame.select(pl.concat_str(*parts, pl.lit("}\n")).str.join("")).item()
    return str(text).encode()


def _unescaped(match: re.Match[bytes]) -> bytes:
    """Return the character for which an escape stands, or the escape where JSON needs it."""
    units = [int(unit, 16) for unit in match.groups() if unit is not None]
    text = b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be", "replace")
    is_plain = units and all(each > "\x7f" and each != "\ufffd" for each in text)
    return text.encode() if is_plain else match[0]


def _encoded(name: str) -> pl.Expr:
    """Return a column as JSON text, in which polars writes structs only."""
    import polars as pl

    return pl.struct(name).struct.json_encode().str.slice(len(name) + 4).str.head(-1)


def _under_our_names(raw: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    known: dict[str, list[pl.Expr]] = {name: [_read(raw, name, name)] for name in FIELDS}
    for alias, name in ALIASES.items():
        known[name].append(_read(raw, alias, name))
    known["reward"].append(0.0 - pl.col(COST))
    return raw.select(pl.coalesce(known[name]).alias(name) for name in FIELDS)


def _read(raw: pl.DataFrame, column: str, field: str) -> pl.Expr:
    """Return a column in the type of its field; an error if some of it has none."""
    import polars as pl

    if raw[column].dtype != pl.String or field not in (*TIME_FIELDS, "action"):
        return pl.col(column)
    if field == "action":
        return pl.lit(_indices(raw, column))
    moments = raw[column].str.to_datetime(time_unit="us", time_zone="UTC", strict=True)
    return pl.lit(moments.dt.timestamp("us").cast(pl.Float64) / 1e6)


def _indices(raw: pl.DataFrame, column: str) -> pl.Series:
    """Return the places of named actions in their sets."""
    import polars as pl

    pairs = raw.select("actions", column).unique()
    places = [
        None if name is None else list(json.loads(actions, strict=False)).index(name)
        for actions, name in pairs.iter_rows()
    ]
    found = pairs.with_columns(pl.Series("place", places, dtype=pl.Int64))
    joined = raw.join(
        found, on=["actions", column], how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["place"]


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield a file in blocks that end where a line ends."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block + file.readline()


def first_row(path: Path) -> dict[str, Any]:
    """Return the first row of a file as it stands."""
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                return _parsed(f"{path}, line 1", line)
    raise ValueError(f"{path} must have at least one event, got none")


def _parsed(where: str, text: bytes) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        came = text[:60].decode(errors="replace")
        raise ValueError(f"{where}: must be a JSON object, got {came!r}") from None
    if not isinstance(row, dict):
        raise ValueError(f"{where}: must be a JSON object, got {json.dumps(row)[:60]!r}")
    return row
