"""Floors and ceilings of powers that ought to be integers."""

from __future__ import annotations

import math

__all__ = ["ceiling", "floor"]

# 1000 ** (2 / 3) is 99.99999999999997 in floating point, and its plain floor is 99. Powers of
# numbers in use here are right to about 1e-15, so whatever lies this near to an integer,
# relatively, is taken for it.
NEARLY_WHOLE = 1e-9


def floor(value: float) -> int:
    """Return the floor of ``value``, or the integer that it nearly is.

    Examples
    --------
    >>> math.floor(1000 ** (2 / 3)), floor(1000 ** (2 / 3)), floor(99.9)
    (99, 100, 99)
    """
    nearest = round(value)
    return nearest if _is_nearly(value, nearest) else math.floor(value)


def ceiling(value: float) -> int:
    """Return the ceiling of ``value``, or the integer that it nearly is.

    Examples
    --------
    >>> math.ceil(3125 ** (1 / 5)), ceiling(3125 ** (1 / 5)), ceiling(5.1)
    (6, 5, 6)
    """
    nearest = round(value)
    return nearest if _is_nearly(value, nearest) else math.ceil(value)


def _is_nearly(value: float, whole: int) -> bool:
    return abs(value - whole) <= NEARLY_WHOLE * abs(whole)
