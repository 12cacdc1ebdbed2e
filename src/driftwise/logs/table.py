"""CSV with columns of anybody's choice, and what they mean told by a mapping."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ..core.base.errors import RuleTypeError
from ..core.base.validation import require_known
from .fields import ALIASES, COST, FIELDS, canonical
from .frames import Clock, checked_frames

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CsvFile"]

Row = dict[str, str]

_FLAGS = {"true": True, "True": True, "false": False, "False": False}  # of JSON and of Python


class CsvFile:
    """A CSV file and a mapping from the fields of a log to its columns.

    A cell that is a number in JSON's sense is one, true and false are flags, any other is text ("007"
    is), and an empty one is not there; of a feature it is None, as the column says that it should be
    there.

    Parameters
    ----------
    columns
        For each field the name of its column. ``context`` takes a list of columns; ``propensities``
        and ``decision_set`` take lists, and lists of lists; ``actions`` takes a list of names that
        hold for every event, or an object of names with a column for each feature:
        ``{"blue": {"price": "price_blue"}}``. Columns that bear the name of a field need no mention.
    """

    def __init__(self, path: Path, columns: Mapping[str, Any] | None = None) -> None:
        self.path = path
        with _opened(path) as file:
            self._header = next(csv.reader(file), [])
        if not self._header:
            raise ValueError(f"{path} must begin with the names of its columns, got nothing")
        own = {ALIASES[name]: name for name in ALIASES if name in self._header}
        own |= {name: name for name in FIELDS if name in self._header}
        mapping = own | dict(columns or {})
        for name in mapping:
            require_known("columns", name, FIELDS)
        if "action" not in mapping:
            raise ValueError(
                f"columns must say which column is the action, of {self._header}, got {mapping}"
            )
        self._used: set[str] = set()
        self._readers = {name: self._reader(name, given) for name, given in mapping.items()}
        if COST in self._header:
            cost = self._reader("reward", COST)
            self._readers.setdefault(
                "reward", lambda row: canonical({COST: cost(row)}).get("reward")
            )

    @property
    def unread(self) -> list[str]:
        """Columns that the mapping has no use for."""
        return [name for name in self._header if name not in self._used]

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all events in order, checked."""
        yield from checked_frames(self._rows(), Clock())

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        with _opened(self.path) as file:
            rows = csv.DictReader(file, strict=True)
            while True:
                try:
                    row = next(rows, None)
                except csv.Error as error:
                    where = f"{self.path}, line {rows.line_num}"
                    raise ValueError(f"{where}: must be a row of CSV, got {error}") from None
                if row is None:
                    return
                where = f"{self.path}, line {rows.line_num}"
                if None in row or None in row.values():
                    raise ValueError(f"{where}: must have {len(self._header)} cells, got others")
                yield where, {name: read(row) for name, read in self._readers.items()}

    def _reader(self, field: str, given: Any) -> Callable[[Row], Any]:
        """Return what reads a field from a row."""
        if field == "actions":
            if isinstance(given, Mapping):
                each = {name: self._object(columns) for name, columns in given.items()}
                return lambda row: {name: read(row) for name, read in each.items()}
            if isinstance(given, str):
                raise RuleTypeError("actions", "be a list of names", given)
            return lambda row: list(given)
        if field == "context":
            if isinstance(given, str):
                raise RuleTypeError("context", "be a list of columns", given)
            return self._object(given)
        if isinstance(given, list | tuple):
            several = [self._reader(field, one) for one in given]
            return lambda row: [read(row) for read in several]
        column = self._column(given)
        if field in ("event_id", "policy"):
            return lambda row: row[column] or None
        return lambda row: _value(row[column])

    def _object(self, given: Any) -> Callable[[Row], dict[str, Any]]:
        pairs = given.items() if isinstance(given, Mapping) else zip(given, given, strict=True)
        columns = {name: self._column(column) for name, column in pairs}
        return lambda row: {name: _value(row[at]) for name, at in columns.items()}

    def _column(self, name: Any) -> str:
        self._used.add(require_known("columns", name, self._header))
        if (count := self._header.count(name)) > 1:
            raise ValueError(f"{self.path} must have one column {name!r}, got {count}")
        return str(name)


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield file
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be UTF-8 text ({error})") from None


def _value(cell: str) -> Any:
    if cell in _FLAGS:
        return _FLAGS[cell]
    try:
        value = json.loads(cell)
    except ValueError:
        return cell or None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else cell
