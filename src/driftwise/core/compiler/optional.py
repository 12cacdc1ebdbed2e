"""Settings that may be left out: None, which the compiler knows by its type."""

from __future__ import annotations

from numba import types
from numba.extending import overload

__all__ = ["told"]


def told(setting: float | None, otherwise: float) -> float:
    """Return a setting, or another number if it was left out.

    Examples
    --------
    >>> told(2.5, 1.0), told(None, 1.0)
    (2.5, 1.0)
    """
    return otherwise if setting is None else setting


@overload(told)
def _told(setting, otherwise):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    if isinstance(setting, types.NoneType):
        return lambda setting, otherwise: otherwise
    return lambda setting, otherwise: setting
