"""Settings that are checked, and of one type each, wherever Python makes them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from .validation import require_integer, require_number

__all__ = ["check_instances"]


def check_instances(cls: Any) -> None:
    """Make a named tuple normalise its fields and run ``_check`` on every new instance.

    By a call, by ``_replace``, by ``_make`` and by unpickling. A field annotated ``int`` or
    ``float`` becomes exactly that, and a sequence becomes a read-only array: one compiled
    version then serves all settings, however they were typed in. Instances are compared by
    class and values, arrays included. Compiled code makes instances unchecked.
    """
    plain = cls.__new__

    @functools.wraps(plain)
    def __new__(kind: Any, *values: Any, **named: Any) -> Any:  # noqa: N807
        given = plain(kind, *values, **named)
        self = plain(kind, *map(_normalised, given._fields, given, map(_hint(cls), given._fields)))
        self._check()
        return self

    def _make(kind: Any, values: Iterable[Any]) -> Any:
        return kind(*values)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        return type(other) is cls and _key(self) == _key(other)

    cls.__new__ = __new__
    cls._make = classmethod(_make)
    cls.__eq__ = __eq__
    cls.__hash__ = lambda self: hash(_key(self))
    cls._is_checked = True


def _hint(cls: Any) -> Any:
    return lambda name: cls.__annotations__[name]


def _normalised(name: str, value: Any, hint: Any) -> Any:
    if hint in (int, "int"):
        return require_integer(name, value, at_least=-(2**63))
    if hint in (float, "float"):
        return require_number(name, value)
    if isinstance(value, list | np.ndarray) or type(value) is tuple:
        array = np.array(value)
        array.flags.writeable = False
        return array
    return value


def _key(self: Any) -> tuple[Any, ...]:
    return tuple(
        (str(value.dtype), *value.tolist()) if isinstance(value, np.ndarray) else value
        for value in self
    )
