"""What is wrong with the arguments of a call, said of the class that was called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec

from .nearest import hint_of

__all__ = ["refuse_arguments", "speaks_of_its_class"]

_Given = ParamSpec("_Given")
_Start = Callable[Concatenate[Any, _Given], None]


def refuse_arguments(
    name: str, call: Callable[..., Any], values: tuple[Any, ...], named: Mapping[str, Any]
) -> None:
    """Raise if these are no arguments for a call, and name the nearest ones that are.

    Python names the function that does the work, which nobody has called.
    """
    signature = inspect.signature(call)
    known = list(signature.parameters)[1:]  # the first one is the class, or the instance
    for each in named:
        if each not in known:
            hint = hint_of(each, known)
            raise TypeError(f"{name}() got an unexpected keyword argument {each!r}{hint}") from None
    try:
        signature.bind(*values, **named)
    except TypeError as error:
        raise TypeError(f"{name}() {error}") from None


def speaks_of_its_class(start: _Start[_Given]) -> _Start[_Given]:
    """Make an inherited ``__init__`` name the class that was called when it is called wrongly."""

    @functools.wraps(start)
    def __init__(self: Any, /, *values: _Given.args, **named: _Given.kwargs) -> None:  # noqa: N807  # put into a class
        try:
            start(self, *values, **named)
        except TypeError:
            refuse_arguments(type(self).__name__, start, (self, *values), named)
            raise

    return __init__
