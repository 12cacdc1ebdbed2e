"""Words as columns: one column for each declared word, or as many as there are buckets."""

from __future__ import annotations

import operator
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..core.base.errors import RuleTypeError, RuleValueError
from ..core.base.validation import require_integer, require_known
from .fields import OWN_COLUMN, REFUSE, Cells, Field, Write
from .spelling import spelled, twice_in

__all__ = ["Category"]

_NEGATIVE = 0x8000_0000  # the bit of a checksum that gives the sign; buckets go by the rest, too


@dataclass(frozen=True)
class Category(Field):
    """A word out of several: 1 in its own column and 0 in all others.

    With ``buckets`` in place of ``values`` any word will do: its checksum (crc32 of ``name=value``,
    the same on any machine and in any process) picks the column and the sign of the 1 in it, so that
    words which share a column cancel rather than add up. An integer stands for its digits.

    Parameters
    ----------
    values
        The words that have a column each.
    buckets
        How many columns words are hashed to: about twice as many as there are words that matter.
    unknown
        What a word that is not among ``values`` gets: ``"own column"``, which all such words and
        ``None`` share, or ``"refuse"``: an error. With buckets ``None`` leaves all columns 0.
    alone
        Whether the field has columns of its own, besides those of terms that it is part of.
    missing
        With ``"own column"`` what ``None``, NaN and no value at all get, apart from unknown words;
        with ``"refuse"`` only ``None`` may come, which is unknown.
    """

    kind: ClassVar[str] = "category"

    values: Sequence[str | int] = ()
    buckets: int | None = None
    unknown: str = OWN_COLUMN

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.values, str) or not isinstance(self.values, Sequence):
            raise RuleTypeError("values", "be a list of words", self.values)
        words = tuple(_word("values", value) for value in self.values)
        if bool(words) == (self.buckets is not None):
            given = "both" if words else "neither"
            raise RuleValueError("values", "be given, or buckets in their place", shown=given)
        if (twice := twice_in(words)) is not None:
            raise RuleValueError("values", "differ", twice, f"{twice!r} twice")
        object.__setattr__(self, "values", words)
        if self.buckets is not None:
            object.__setattr__(self, "buckets", require_integer("buckets", self.buckets))
        require_known("unknown", self.unknown, (OWN_COLUMN, REFUSE))
        if self.buckets is not None and self.unknown == REFUSE:
            raise RuleValueError("unknown", "be left out with buckets", REFUSE)

    def _columns(self) -> tuple[str, ...]:
        if self.buckets is not None:
            return tuple(f"#{i}" for i in range(self.buckets))
        named = [f"={spelled(str(word))}" for word in self.values]
        return (*named, "=?") if self.unknown == OWN_COLUMN else tuple(named)

    def _width(self) -> int:
        return self.buckets or len(self.values) + (self.unknown == OWN_COLUMN)

    def _writer(self, name: str, path: str) -> Write:
        return self._hashing(name, path) if self.buckets is not None else self._listed(path)

    def _hashing(self, name: str, path: str) -> Write:
        buckets, checksum = self.buckets or 1, zlib.crc32
        begun = checksum(f"{name}=".encode())

        def write(cells: Cells[float], start: int, value: Any) -> None:
            if value is None:
                return
            word = value if type(value) is str else _word(path, value)
            code = checksum(word.encode("utf-8", "surrogatepass"), begun)
            cells[start + code % buckets] = -1.0 if code & _NEGATIVE else 1.0

        return write

    def _listed(self, path: str) -> Write:
        columns = {str(word): column for column, word in enumerate(self.values)}
        unknown = len(columns) if self.unknown == OWN_COLUMN else None

        def write(cells: Cells[float], start: int, value: Any) -> None:
            column = columns.get(value, unknown) if type(value) is str else unknown
            if type(value) is not str and value is not None:
                column = columns.get(_word(path, value), unknown)
            if column is None:
                column = columns[require_known(path, value, columns)]  # which raises
            cells[start + column] = 1.0

        return write


def _word(name: str, value: Any) -> str:
    """Return a string as it is and an integer as its digits, or say what is wrong with the value."""
    if isinstance(value, str):
        return str(value)
    try:
        if isinstance(value, bool):
            raise TypeError
        return str(operator.index(value))
    except TypeError:
        raise RuleTypeError(name, "be a string or an integer", value) from None
