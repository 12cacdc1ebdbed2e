"""Where the events of a log come from: files of several forms, or memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..core.base.validation import require_known
from .dsjson import from_dsjson, is_dsjson
from .fields import FIELDS
from .frames import Clock, checked_frames
from .json_lines import JsonLines, first_row
from .parquet import ParquetFile
from .table import CsvFile

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Held", "Source", "form_of", "source_of"]

_SMALL = 200 * 2**20  # bytes of a text file whose events are kept; they take half of that

_FORMS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".dsjson": "dsjson",
    ".parquet": "parquet",
    ".csv": "csv",
}


class Source(Protocol):
    """Where events come from, as often as they are asked for."""

    @property
    def unread(self) -> list[str]:
        """Fields that a log has no use for."""

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all events in order, checked; rewards that came by themselves among them."""


class Kept:
    """A file whose events stay in memory once they were read: to parse text takes longer than to use it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._frames: list[pl.DataFrame] | None = None

    @property
    def unread(self) -> list[str]:
        """Fields that a log has no use for."""
        return self._source.unread

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield them; the first time from the file."""
        if self._frames is not None:
            yield from self._frames
            return
        read = []
        for frame in self._source.frames():
            read.append(frame)
            yield frame
        self._frames = read


class Held:
    """Events in memory."""

    unread: list[str] = []  # noqa: RUF012  # never changed: there is nothing that was not read

    def __init__(self, events: Iterable[Mapping[str, Any]]) -> None:
        if isinstance(events, str | os.PathLike):
            raise TypeError(
                f"events must be dictionaries; a file is read by dw.Log.read({events!r})"
            )
        rows = ((f"event {number}", event) for number, event in enumerate(events))
        self._frames = list(checked_frames(_known(rows), Clock()))

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield them."""
        yield from self._frames


def _known(rows: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise TypeError(f"{where}: must be a dictionary, got {row!r}")
        for name in row:
            try:
                require_known("field", name, FIELDS)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
        yield where, row


def form_of(path: Path, form: str | None = None) -> str:
    """Return the form of a file, by the end of its name if none is given."""
    if form is not None:
        return require_known("form", form, sorted(set(_FORMS.values())))
    if path.suffix.lower() not in _FORMS:
        raise ValueError(f"path must end in one of {', '.join(_FORMS)}, got {str(path)!r}")
    return _FORMS[path.suffix.lower()]


def source_of(path: Path, form: str | None, columns: Mapping[str, Any] | None) -> Source:
    """Return what reads a file: see `Log.read`."""
    form = form_of(path, form)
    if not path.is_file():
        raise FileNotFoundError(f"path must be a file that exists, got {str(path)!r}")
    if columns is not None and form != "csv":
        raise ValueError(f"columns must be left out unless the file is a CSV, got {str(path)!r}")
    if form == "parquet":
        return ParquetFile(path)
    source = _text(path, form, columns)
    return Kept(source) if path.stat().st_size <= _SMALL else source


def _text(path: Path, form: str, columns: Mapping[str, Any] | None) -> Source:
    if form == "csv":
        return CsvFile(path, columns)
    is_foreign = form == "dsjson" or is_dsjson(first_row(path))
    return JsonLines(path, from_dsjson if is_foreign else None)
