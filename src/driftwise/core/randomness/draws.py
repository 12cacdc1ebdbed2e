"""Numbers from luck: stateless, and the same bits interpreted, compiled, and on any machine.

Luck is an integer in [0, 2**63): it fits a signed column of any database, and a Python int of that
range always has one compiled type. The i-th word of a luck is the i-th output of SplitMix64
(Steele, Lea and Flood, 2014) started from it. Only +, -, *, / and sqrt touch a float, each of which
IEEE 754 rounds in one way, so no result depends on a library of functions.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from ..compiler.compiled import inlined

__all__ = ["fork", "signed", "uniform", "word"]

_MASK = 0xFFFFFFFFFFFFFFFF
_STEP = 0x9E3779B97F4A7C15
_FORK = 0xD1B54A32D192ED03  # an odd constant, so that forks and words come from other states


@inlined
def word(luck: int, i: int) -> int:
    """Return the i-th 64-bit word of a luck.

    Examples
    --------
    >>> word(1234567, 0), word(1234567, 1)
    (6457827717110365317, 3203168211198807973)
    """
    z = (_unsigned(luck) + _unsigned(i + 1) * _STEP) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


@inlined
def fork(luck: int, i: int = 0) -> int:
    """Return luck of its own: for one round, or for a policy inside a policy."""
    return signed(word(_unsigned(luck) ^ _FORK, i) >> 1)


@inlined
def uniform(luck: int, i: int) -> float:
    """Return the i-th uniform number of a luck, in [0, 1)."""
    return (word(luck, i) >> 11) * 1.1102230246251565e-16  # 2 ** -53


# Python's integers have no width, the compiler's have; these two say which is meant.


def _unsigned(i: int) -> int:
    return int(i) & _MASK


@overload(_unsigned)
def _unsigned_compiled(i):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return lambda i: np.uint64(i)


def signed(i: int) -> int:
    """Return an integer of any width as a signed one of 64 bits."""
    return int(i)


@overload(signed)
def _signed_compiled(i):  # type: ignore[no-untyped-def]  # as above
    return lambda i: np.int64(i)
