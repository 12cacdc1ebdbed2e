"""Reading one field of a TOML file at a time; every error names its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from .places import Place, find_lines, line_of
from .validation import require_between, require_integer, require_known

__all__ = ["Fields", "PlacedError"]

_LARGEST = 2**63 - 1  # as on the command line: what fits a column of integers


class PlacedError(ValueError):
    """Something in a file is wrong; the message names the line, the key and the rule.

    Parameters
    ----------
    reason
        What is wrong, in one sentence.
    where
        The line and the key, if it is about one place.
    """

    everything: ClassVar[str] = "file"  # what an error is about that has no place in it

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason, where)  # so that it can be pickled
        self.reason, self.where = reason, where

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}" if self.where else self.reason

    @classmethod
    def at(cls, text: str, place: Place, error: Exception | str) -> PlacedError:
        """Return an error about a place in a file, with its line."""
        line = line_of(place, find_lines(text))
        where = f"line {line}: " if line else ""
        return cls(str(error), f"{where}{_spelled(place) or cls.everything}")


def _spelled(place: Place) -> str:
    parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place]
    return "".join(parts).lstrip(".")


class Fields:
    """Reads fields from tables, or raises an error about what stands there."""

    kind: ClassVar[type[PlacedError]] = PlacedError  # what is raised

    def __init__(self, text: str) -> None:
        self._text = text

    def refuse(self, place: Place, error: Exception | str) -> NoReturn:
        """Raise an error about a place."""
        raise self.kind.at(self._text, place, error) from None

    def require_keys(self, table: Mapping[str, Any], place: Place, known: Sequence[str]) -> None:
        """Refuse a key that does not exist, and name the nearest."""
        for key in table:
            try:
                require_known("key", key, known)
            except ValueError as error:
                self.refuse((*place, key), error)

    def table(self, data: Mapping[str, Any], place: Place, key: str) -> dict[str, Any]:
        """Return a table; an empty one by default."""
        table = data.get(key, {})
        if not isinstance(table, dict):
            self.refuse((*place, key), f"{key} must be a table, got {table!r}")
        return table

    def list(self, data: Mapping[str, Any], place: Place, key: str) -> list[Any]:
        """Return a list; an empty one by default."""
        found = data.get(key, [])
        if not isinstance(found, list):
            self.refuse((*place, key), f"{key} must be a list, got {found!r}")
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
            self.refuse((*place, key), error)

    def number(
        self,
        data: Mapping[str, Any],
        place: Place,
        key: str,
        default: float,
        *,
        low: float,
        high: float,
    ) -> float:
        """Return a number in a range."""
        try:
            return require_between(key, data.get(key, default), low, high)
        except (TypeError, ValueError) as error:
            self.refuse((*place, key), error)

    def text(self, data: Mapping[str, Any], place: Place, key: str, default: str) -> str:
        """Return a string."""
        text = data.get(key, default)
        if not isinstance(text, str):
            self.refuse((*place, key), f"{key} must be a string, got {text!r}")
        return text

    def flag(self, data: Mapping[str, Any], place: Place, key: str, default: bool = True) -> bool:
        """Return true or false."""
        flag = data.get(key, default)
        if not isinstance(flag, bool):
            self.refuse((*place, key), f"{key} must be true or false, got {flag!r}")
        return flag

    def among(
        self, data: Mapping[str, Any], place: Place, key: str, default: str, known: Any
    ) -> Any:
        """Return one of the words that are known."""
        try:
            return require_known(key, data.get(key, default), known)
        except (TypeError, ValueError) as error:
            self.refuse((*place, key), error)
