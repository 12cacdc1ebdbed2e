"""Kinds of fields: what each writes for a value, in columns whose length together is at most 1."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Number as AnyNumber
from typing import Any, ClassVar

from ..core.base.errors import RuleValueError
from ..core.base.validation import (
    LARGEST,
    require_flag,
    require_integer,
    require_known,
    require_number,
)

__all__ = [
    "OWN_COLUMN",
    "REFUSE",
    "Cells",
    "Constant",
    "Cycle",
    "Field",
    "Flag",
    "Number",
    "Write",
    "is_missing",
]

OWN_COLUMN, REFUSE = "own column", "refuse"

Cells = array  # of floats: an item is written three times as fast as one of a NumPy array
Write = Callable[["Cells[float]", int, Any], None]  # cells, where the field begins, the value


@dataclass(frozen=True)
class Field(ABC):
    """One entry of the context, or of an action, and the columns that it gets.

    Parameters
    ----------
    alone
        Whether the field has columns of its own, besides those of terms that it is part of.
    missing
        What ``None``, NaN and no value at all get: ``"own column"``, a 1 there and 0 in all others,
        or ``"refuse"``: an error.
    """

    kind: ClassVar[str]  # as declarations call it

    alone: bool = field(default=True, kw_only=True)
    missing: str = field(default=REFUSE, kw_only=True)

    def __post_init__(self) -> None:
        require_flag("alone", self.alone)
        require_known("missing", self.missing, (OWN_COLUMN, REFUSE))

    @property
    def may_miss(self) -> bool:
        """Whether there may be no value."""
        return self.missing == OWN_COLUMN

    def columns(self) -> tuple[str, ...]:
        """Return what follows the field's name in the name of each column."""
        return (*self._columns(), " missing") if self.may_miss else self._columns()

    def width(self) -> int:
        """Return how many columns there are."""
        return self._width() + self.may_miss

    def writer(self, name: str, path: str) -> Write:
        """Return what writes the columns of a value; errors call the field by its path."""
        write = self._writer(name, path)
        return _unless_missing(write, self._width()) if self.may_miss else write

    # What follows is about a value that is there.
    def _columns(self) -> tuple[str, ...]:
        return ("",)

    def _width(self) -> int:
        return 1

    @abstractmethod
    def _writer(self, name: str, path: str) -> Write: ...


@dataclass(frozen=True)
class Number(Field):
    r"""A number between declared ends: :math:`2 (v - low) / (high - low) - 1`, one column.

    What lies outside counts as the nearer end.

    Parameters
    ----------
    low, high
        The ends. They are declared, never fitted, so that the same value has the same row on any day.
    log
        Whether the logarithms of value and ends take their place: for prices, counts, durations.
    alone
        Whether the field has columns of its own, besides those of terms that it is part of.
    missing
        What ``None``, NaN and no value at all get: ``"own column"``, a 1 there and 0 in all others,
        or ``"refuse"``: an error.
    """

    kind: ClassVar[str] = "number"

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        low = require_number("low", self.low)
        if require_flag("log", self.log):
            require_number("low", low, above=0.0)
        _store(self, low=low, high=require_number("high", self.high, above=low))

    def _writer(self, name: str, path: str) -> Write:
        low, high = self.low, self.high
        # Rounding keeps order, so that no quotient below exceeds 1: the column is within [-1, 1].
        if not self.log:
            width = high - low

            def write(cells: Cells[float], start: int, value: Any) -> None:
                if type(value) not in _PLAIN or not low <= value <= high:
                    value = min(max(require_number(path, value), low), high)
                cells[start] = 2.0 * (value - low) / width - 1.0

            return write
        logarithm = math.log
        first, log_width = math.log(low), math.log(high) - math.log(low)

        def write_logarithm(cells: Cells[float], start: int, value: Any) -> None:
            if type(value) not in _PLAIN or not low <= value <= high:
                value = min(max(require_number(path, value), low), high)
            cells[start] = min(2.0 * (logarithm(value) - first) / log_width, 2.0) - 1.0

        return write_logarithm


@dataclass(frozen=True)
class Cycle(Field):
    r"""A number that comes round, such as an hour: sines and cosines, a pair for each harmonic.

    .. math:: \sin(2 \pi k v / period) / \sqrt{h}, \quad \cos(2 \pi k v / period) / \sqrt{h},
       \quad k = 1, \ldots, h

    Parameters
    ----------
    period
        After how much the same comes again: 24 for hours.
    harmonics
        h: how many waves there are; more follow sharper peaks, and take longer to learn.
    alone
        Whether the field has columns of its own, besides those of terms that it is part of.
    missing
        What ``None``, NaN and no value at all get: ``"own column"``, a 1 there and 0 in all others,
        or ``"refuse"``: an error.
    """

    kind: ClassVar[str] = "cycle"

    period: float
    harmonics: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _store(self, period=require_number("period", self.period, above=0.0))
        _store(self, harmonics=require_integer("harmonics", self.harmonics))

    def _columns(self) -> tuple[str, ...]:
        waves = range(1, self.harmonics + 1)
        return tuple(f" {wave} {k}" for k in waves for wave in ("sin", "cos"))

    def _width(self) -> int:
        return 2 * self.harmonics

    def _writer(self, name: str, path: str) -> Write:
        period, scale = self.period, 1.0 / math.sqrt(self.harmonics)
        frequencies = [2.0 * math.pi * k / period for k in range(1, self.harmonics + 1)]
        remainder, sine, cosine = math.fmod, math.sin, math.cos

        def write(cells: Cells[float], start: int, value: Any) -> None:
            if type(value) not in _PLAIN or not -LARGEST <= value <= LARGEST:
                value = require_number(path, value)
            value = remainder(value, period)  # exact, so that times in seconds lose no digits
            for frequency in frequencies:
                angle = frequency * value
                cells[start] = scale * sine(angle)
                cells[start + 1] = scale * cosine(angle)
                start += 2

        return write


@dataclass(frozen=True)
class Flag(Field):
    """True or False: one column, 1 or 0, which switches the terms that it is part of on and off.

    Parameters
    ----------
    alone
        Whether the field has a column of its own, besides those of terms that it is part of.
    missing
        What ``None``, NaN and no value at all get: ``"own column"``, a 1 there and 0 in all others,
        or ``"refuse"``: an error.
    """

    kind: ClassVar[str] = "flag"

    def _writer(self, name: str, path: str) -> Write:
        def write(cells: Cells[float], start: int, value: Any) -> None:
            cells[start] = 1.0 if value is True else float(require_flag(path, value))

        return write


@dataclass(frozen=True)
class Constant(Field):
    """One column that is always 1: nothing is read from the context or the action.

    Parameters
    ----------
    alone
        Whether the field has a column of its own, besides those of terms that it is part of.
    """

    kind: ClassVar[str] = "constant"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.may_miss:
            raise RuleValueError("missing", "be left out of a constant", self.missing)

    def _writer(self, name: str, path: str) -> Write:
        def write(cells: Cells[float], start: int, value: Any) -> None:
            cells[start] = 1.0

        return write


def is_missing(value: Any) -> bool:
    """Tell whether a value is not there: None, or NaN of any type."""
    return value is None or (isinstance(value, AnyNumber) and bool(value != value))


def _unless_missing(write: Write, width: int) -> Write:
    """Return what writes a value, or a 1 behind its columns if there is none."""

    def write_or_mark(cells: Cells[float], start: int, value: Any) -> None:
        if is_missing(value):
            cells[start + width] = 1.0
        else:
            write(cells, start, value)

    return write_or_mark


_PLAIN = frozenset({float, int})  # whatever else claims to be a number is looked at closely


def _store(made: Any, **values: Any) -> None:
    """Set fields of a frozen dataclass while it is made."""
    for name, value in values.items():
        object.__setattr__(made, name, value)
