"""Settings that are checked, and of one type each, wherever Python makes them."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from .arguments import refuse_arguments
from .errors import RuleTypeError, RuleValueError
from .validation import require_flag, require_integer, require_number

__all__ = ["check_instances", "defaulting", "hints_of", "normalised"]

Class = TypeVar("Class", bound=type[Any])


def check_instances(cls: Any) -> None:
    """Make a named tuple normalise its fields and run ``_check`` on every new instance.

    By a call, by ``_replace``, by ``_make`` and by unpickling. A field annotated ``int``, ``float``
    or ``bool`` becomes exactly that, ``float | None`` a float or None, and a sequence becomes a read-only array, or a tuple if its
    items are policies: one compiled version then serves all settings, however they were typed in.
    Instances are compared by class and values, arrays included. Compiled code makes instances
    unchecked.
    """
    plain = cls.__new__
    hints = hints_of(cls)

    @functools.wraps(plain)
    def __new__(kind: Any, *values: Any, **named: Any) -> Any:  # noqa: N807  # put into a class below
        try:
            given = plain(kind, *values, **named)
        except TypeError:
            refuse_arguments(kind.__name__, plain, (kind, *values), named)
            raise
        pairs = zip(given._fields, given, strict=True)
        self = plain(kind, *(normalised(name, value, hints[name]) for name, value in pairs))
        self._check()
        return self

    def _make(kind: Any, values: Iterable[Any]) -> Any:
        return kind(*values)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807  # put into a class below
        return type(other) is type(self) and _key(self) == _key(other)

    cls.__new__ = __new__
    cls._make = classmethod(_make)
    cls.__eq__ = __eq__
    cls.__ne__ = object.__ne__  # the opposite of __eq__; a tuple brings its own
    cls.__hash__ = lambda self: hash(_key(self))
    cls._is_checked = True


def defaulting(**defaults: Any) -> Callable[[Class], Class]:
    """Give a named tuple that inherits its fields other defaults for some of them.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Point(NamedTuple):
    ...     x: float = 0.0
    ...     y: float = 0.0
    >>> @defaulting(y=1.0)
    ... class High(Point):
    ...     __slots__ = ()
    >>> High(), Point()
    (High(x=0.0, y=1.0), Point(x=0.0, y=0.0))
    """

    def change(cls: Class) -> Class:
        plain: Any = cls.__new__
        made = FunctionType(plain.__code__, plain.__globals__, plain.__name__)
        functools.update_wrapper(made, plain)
        del made.__dict__["__wrapped__"]  # or its defaults would be shown
        cls._field_defaults = cls._field_defaults | defaults
        made.__defaults__ = tuple(cls._field_defaults.values())
        cls.__new__ = made
        return cls

    return change


def hints_of(cls: Any) -> dict[str, str]:
    """Return the annotations of a named tuple, by field."""
    # A class that adds a check to the fields of another has no annotations of its own.
    return {
        name: _name_of(hint)
        for each in reversed(cls.__mro__)
        for name, hint in _annotations(each).items()
    }


def normalised(name: str, value: Any, hint: str) -> Any:
    """Return the value of a field as its annotation says, or say what is wrong with it."""
    if hint == "int":
        integer = require_integer(name, value, at_least=-(2**63))
        if integer >= 2**63:  # compiled code has no larger ones
            raise RuleValueError(name, "be below 2**63", integer)
        return integer
    if hint == "float":
        return require_number(name, value)
    if hint == "float | None":
        return None if value is None else require_number(name, value)
    if hint == "bool":
        return require_flag(name, value)
    is_list = isinstance(value, list) or type(value) is tuple
    if is_list and len(value) > 0 and all(hasattr(item, "_fields") for item in value):
        return tuple(value)  # of policies
    if is_list or isinstance(value, np.ndarray):
        try:
            array = np.array(value)
        except ValueError:
            raise RuleTypeError(name, "be a list of numbers", value) from None
        array.flags.writeable = False
        return array
    return value


def _annotations(cls: Any) -> dict[str, Any]:
    """Return the annotations that are a class's own."""
    if sys.version_info >= (3, 14):  # evaluated when asked for; names that lead nowhere stay names
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def _name_of(hint: Any) -> str:
    """Return "int" for int, whether or not annotations are evaluated in that module."""
    return str(getattr(hint, "__forward_arg__", getattr(hint, "__name__", hint)))


def _key(self: Any) -> tuple[Any, ...]:
    return tuple(
        (str(value.dtype), *value.tolist()) if isinstance(value, np.ndarray) else value
        for value in self
    )
