"""Reading one field of an experiment file at a time; every error names its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ...core.base.validation import require_integer, require_known
from .experiment import ExperimentError
from .limits import require_horizon
from .places import Place, find_lines, line_of

__all__ = ["Fields", "raise_at"]

_LARGEST = 2**63 - 1  # as on the command line: what fits a column of integers


def raise_at(text: str, place: Place, error: Exception | str) -> NoReturn:
    """Raise an error about a place in a file, with its line."""
    line = line_of(place, find_lines(text))
    where = f"line {line}: " if line else ""
    raise ExperimentError(str(error), f"{where}{_spelled(place)}") from None


def _spelled(place: Place) -> str:
    parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place]
    return "".join(parts).lstrip(".") or "file"


class Fields:
    """Reads fields from tables, or raises an error about what stands there."""

    def __init__(self, text: str) -> None:
        self._text = text

    def entries(
        self, data: Mapping[str, Any], key: str, least: int = 0
    ) -> list[tuple[Place, dict[str, Any]]]:
        """Return the tables of an array of tables, each with its place."""
        entries = data.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            raise_at(self._text, (key,), f"{key} must be tables, each begun by [[{key}]]")
        if len(entries) < least:
            raise_at(self._text, (), f"there must be at least one [[{key}]]")
        return [((key, i), entry) for i, entry in enumerate(entries)]

    def horizons(self, data: Mapping[str, Any], place: Place) -> tuple[int, ...]:
        """Return horizons, the shortest first."""
        horizons, place = data.get("horizons"), (*place, "horizons")
        if not isinstance(horizons, list) or not horizons:
            raise_at(self._text, place, f"horizons must be a list, got {horizons!r}")
        try:
            return tuple(sorted({require_horizon("horizons", each) for each in horizons}))
        except (TypeError, ValueError) as error:
            raise_at(self._text, place, error)

    def require_keys(self, table: Mapping[str, Any], place: Place, known: Sequence[str]) -> None:
        """Refuse a key that does not exist, and name the nearest."""
        for key in table:
            try:
                require_known("key", key, known)
            except ValueError as error:
                raise_at(self._text, (*place, key), error)

    def table(self, data: Mapping[str, Any], place: Place, key: str) -> dict[str, Any]:
        """Return a table; an empty one by default."""
        table = data.get(key, {})
        if not isinstance(table, dict):
            raise_at(self._text, (*place, key), f"{key} must be a table, got {table!r}")
        return table

    def list(self, data: Mapping[str, Any], place: Place, key: str) -> list[Any]:
        """Return a list; an empty one by default."""
        found = data.get(key, [])
        if not isinstance(found, list):
            raise_at(self._text, (*place, key), f"{key} must be a list, got {found!r}")
        return found

    def integer(
        self,
        data: Mapping[str, Any],
        key: str,
        default: int,
        *,
        place: Place = (),
        at_least: int = 1,
        at_most: int = _LARGEST,
    ) -> int:
        """Return an integer."""
        try:
            return require_integer(key, data.get(key, default), at_least=at_least, at_most=at_most)
        except (TypeError, ValueError) as error:
            raise_at(self._text, (*place, key), error)

    def text(self, data: Mapping[str, Any], place: Place, key: str, default: str) -> str:
        """Return a string."""
        text = data.get(key, default)
        if not isinstance(text, str):
            raise_at(self._text, (*place, key), f"{key} must be a string, got {text!r}")
        return text

    def flag(self, data: Mapping[str, Any], place: Place, key: str, default: bool = True) -> bool:
        """Return true or false."""
        flag = data.get(key, default)
        if not isinstance(flag, bool):
            raise_at(self._text, (*place, key), f"{key} must be true or false, got {flag!r}")
        return flag

    def among(
        self, data: Mapping[str, Any], place: Place, key: str, default: str, known: Any
    ) -> Any:
        """Return one of the words that are known."""
        try:
            return require_known(key, data.get(key, default), known)
        except (TypeError, ValueError) as error:
            raise_at(self._text, (*place, key), error)
