"""Exponentials and logarithms in plain arithmetic: the same bits on every machine.

Those of the C library differ by its version and by the processor, which is enough to turn a close
decision after some thousand rounds. Here only +, -, *, / and shifts of exponents touch a float, and
each of them has one outcome in IEEE 754. No error reaches 1 ulp. One source serves a number,
interpreted and compiled, and numbers side by side (`driftwise.core.compiler.abreast`).
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numba.extending import overload

from ..base.arrays import Vector
from .abreast import Abreast, all_within, each, lane, with_lane
from .compiled import called, inlined
from .exponents import LEAST_FRACTION, SHIFT, power_of_two, split

__all__ = ["exp", "exponentials", "log", "log1p", "logarithms"]


def _constants() -> tuple[float, float, float]:
    """Return the first bits of ln 2, so few that times an exponent they are exact; the rest; 1 / ln 2."""
    with localcontext() as context:
        context.prec = 50
        whole = Decimal(2).ln()
        high = math.floor(whole * 2**42) * 2.0**-42
        return high, float(whole - Decimal(high)), float(1 / whole)


_LN2, _LN2_LEFT, _PER_LN2 = _constants()
# Between these the outcome is a normal number, whatever is rounded on the way.
_LOW, _HIGH = -708.0, 709.0
_LEAST, _MOST = 2.0**-1022, math.ldexp(1.0 - 2.0**-53, 1024)  # of the normal numbers

# The series of (exp(r) - 1 - r) / r^2, which is cut off below 2^-57 for 2 |r| <= ln 2, ...
_E2, _E3, _E4, _E5, _E6, _E7, _E8, _E9, _E10, _E11, _E12, _E13 = (
    1.0 / math.factorial(n) for n in range(2, 14)
)
# ... and of (ln(1 + s) - ln(1 - s) - 2 s) / s^3, for |s| <= 0.325 / 1.675.
_L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8, _L9, _L10 = (2.0 / (2 * n + 1) for n in range(1, 11))


@inlined
def exp(x: float) -> float:
    """Return e to the power of x: 0 or infinity where that is nearest, and nan for nan.

    Examples
    --------
    >>> exp(0.0), exp(1.0), exp(-1e9), exp(1e9)
    (1.0, 2.718281828459045, 0.0, inf)
    """
    x = float(x)  # NumPy's own would warn
    if _LOW <= x <= _HIGH:
        return _exp_inside(x)
    return _exp_outside(x)


@inlined
def log(x: float) -> float:
    """Return the natural logarithm of x: -infinity for 0, and nan for less.

    Examples
    --------
    >>> log(1.0), log(10.0), log(0.0), log(-1.0)
    (0.0, 2.302585092994046, -inf, nan)
    """
    x = float(x)
    if _LEAST <= x <= _MOST:
        return _log_inside(x)
    return _log_outside(x)


@inlined
def log1p(x: float) -> float:
    """Return ln(1 + x), with all its digits also where x is small.

    Examples
    --------
    >>> log1p(1e-20), log1p(1.0), log1p(-1.0), log1p(-2.0)
    (1e-20, 0.6931471805599453, -inf, nan)
    """
    x = float(x)
    if LEAST_FRACTION - 1.0 <= x < 2.0 * LEAST_FRACTION - 1.0:  # 1 + x is a fraction, times 2^0
        return _log_of(x, 0.0, 0.0)
    whole = 1.0 + x
    if not _LEAST <= whole <= _MOST:
        return log(whole)
    lost = x - (whole - 1.0) if x < 1.0 else 1.0 - (whole - x)
    fraction, exponent = split(whole)
    return _log_of(fraction - 1.0, exponent, lost / whole)


def exponentials(values: Vector) -> Vector:
    """Return `exp` of numbers side by side."""
    return np.array([exp(value) for value in values.tolist()])


def logarithms(values: Vector) -> Vector:
    """Return `log` of numbers side by side."""
    return np.array([log(value) for value in values.tolist()])


@inlined
def _exp_inside(x: float) -> float:
    factor, shifted = _factored(x)
    return factor * power_of_two(shifted)


@called  # such numbers are rare
def _exp_outside(x: float) -> float:
    if x != x:
        return x
    # In two steps, the first of which is exact. Farther out it is 0 or infinity as well.
    factor, shifted = _factored(min(max(x, -750.0), 710.0))
    if x < 0.0:
        return factor * power_of_two(shifted + 64.0) * 2.0**-64
    return factor * power_of_two(shifted - 64.0) * 2.0**64


@inlined
def _factored(x: float) -> tuple[float, float]:
    """Return exp(x - n ln 2) and n + SHIFT, where n is the integer nearest to x / ln 2."""
    shifted = x * _PER_LN2 + SHIFT
    n = shifted - SHIFT
    high, low = x - n * _LN2, n * _LN2_LEFT  # high is exact
    r = high - low
    nearly = 1.0 + high
    lost = (1.0 - nearly) + high  # exact: what rounding took
    # In pairs, most of which are worked out at the same time; in a chain each would wait for the last.
    r2 = r * r
    r4 = r2 * r2
    r6, r8 = r2 * r4, r4 * r4
    first = (_E2 + _E3 * r) * r2 + (_E4 + _E5 * r) * r4
    middle = (_E6 + _E7 * r) * r6 + (_E8 + _E9 * r) * r8
    last = ((_E10 + _E11 * r) + (_E12 + _E13 * r) * r2) * (r4 * r6)
    return nearly + ((first + (lost - low)) + (middle + last)), shifted


@inlined
def _log_inside(x: float) -> float:
    fraction, exponent = split(x)
    return _log_of(fraction - 1.0, exponent, 0.0)


@called  # such numbers are rare
def _log_outside(x: float) -> float:
    if x > 0.0 and x < 1.0:
        fraction, exponent = split(x * 2.0**54)
        return _log_of(fraction - 1.0, exponent - 54.0, 0.0)
    if x == 0.0:
        return -math.inf
    return math.nan if x < 0.0 else x


@inlined
def _log_of(f: float, exponent: float, more: float) -> float:
    """Return ln(1 + f) + exponent * ln 2 + more, where 1 + f is a fraction of `split`."""
    whole = exponent * _LN2
    nearly = whole + f
    lost = (whole - nearly) + f  # exact: what rounding took
    # With s = f / (2 + f), ln(1 + f) is 2 s + 2 s^3 / 3 + ..., and 2 s is f - f^2 / 2 + s f^2 / 2.
    s = f / (2.0 + f)
    half = 0.5 * f * f
    left = (lost + (exponent * _LN2_LEFT + more)) - half
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    z5 = z * z4
    first = (_L1 + _L2 * z) * z + (_L3 + _L4 * z) * (z * z2)
    middle = ((_L5 + _L6 * z) + (_L7 + _L8 * z) * z2) * z5
    last = (_L9 + _L10 * z) * (z4 * z5)
    return nearly + (s * ((half + first) + (middle + last)) + left)


# From here on: the same for the compiler, side by side. It has lambdas for the types of arguments.


@called  # some of them are outside, or nan
def _each_exp(values: Any) -> Any:
    for i in range(len(each(values))):
        values = with_lane(values, i, exp(lane(values, i)))
    return values


@called  # likewise
def _each_log(values: Any) -> Any:
    for i in range(len(each(values))):
        values = with_lane(values, i, log(lane(values, i)))
    return values


@inlined
def _exps(values: Any) -> Any:
    return _exp_inside(values) if all_within(values, _LOW, _HIGH) else _each_exp(values)


@inlined
def _logs(values: Any) -> Any:
    return _log_inside(values) if all_within(values, _LEAST, _MOST) else _each_log(values)


@overload(exponentials)
def _exponentials(values):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return (lambda values: _exps(values)) if isinstance(values, Abreast) else None


@overload(logarithms)
def _logarithms(values):  # type: ignore[no-untyped-def]  # likewise
    return (lambda values: _logs(values)) if isinstance(values, Abreast) else None
