"""The record of a choice when something else was played: by exploration, by a person, in a log."""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.extending import intrinsic, overload

from .policy import Choice

__all__ = ["as_foreign", "as_played"]


def as_played(choice: Any, arm: int, propensity: float) -> Any:
    """Return the record of a choice with another arm played in its place, with some probability.

    The choices inside it are rewritten in the same way. The value is kept if the arm is the same, and
    unknown otherwise. Everything else in a record, such as the setting in play, does not depend on the
    arm, so that a policy over policies still credits the right one, on average.

    Examples
    --------
    >>> as_played(Choice(arm=1, propensity=1.0, value=0.5), 1, 0.9)
    Choice(arm=1, propensity=0.9, value=0.5)
    >>> as_played(Choice(arm=1, propensity=1.0, value=0.5), 0, 0.1)
    Choice(arm=0, propensity=0.1, value=nan)
    """
    items = [
        as_played(item, arm, propensity) if isinstance(item, tuple) else item for item in choice
    ]
    fields = getattr(choice, "_fields", None)
    if fields is None:
        return tuple(items)
    if fields[:3] == Choice._fields:
        items[:3] = arm, propensity, choice[2] if choice[0] == arm else math.nan
    return type(choice)(*items)


def as_foreign(choice: Any, arm: int, propensity: float) -> Any:
    """Return the record of a choice that somebody else made; runs in Python only.

    No value is kept, not even for the same arm: it played no part in that choice.

    Examples
    --------
    >>> as_foreign(Choice(arm=1, propensity=1.0, value=0.5), 1, 0.9)
    Choice(arm=1, propensity=0.9, value=nan)
    """
    return as_played(as_played(choice, -1, propensity), arm, propensity)


@overload(as_played)
def _as_played(choice, arm, propensity):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return lambda choice, arm, propensity: _written(choice, arm, propensity, math.nan)


@intrinsic
def _written(typing_context, choice, arm, propensity, nan):  # type: ignore[no-untyped-def]  # numba has no types
    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # as above
        return _rewritten(context, builder, signature.args, choice, arguments)

    return choice(choice, arm, propensity, nan), build


def _rewritten(context: Any, builder: Any, kinds: Any, kind: Any, values: Any) -> Any:
    """Return a tuple as `as_played` does, while code is built."""
    whole, *new = values
    for i, item in enumerate(kind):
        if isinstance(item, types.BaseTuple):
            part = (builder.extract_value(whole, i), *new)
            whole = builder.insert_value(whole, _rewritten(context, builder, kinds, item, part), i)
    if getattr(kind, "fields", ())[:3] == Choice._fields:
        arm, propensity, nan = (
            context.cast(builder, value, given, wanted)
            for value, given, wanted in zip(new, kinds[1:], kind, strict=False)
        )
        is_same = builder.icmp_signed("==", builder.extract_value(whole, 0), arm)
        value = builder.select(is_same, builder.extract_value(whole, 2), nan)
        for i, written in enumerate((arm, propensity, value)):
            whole = builder.insert_value(whole, written, i)
    return whole
