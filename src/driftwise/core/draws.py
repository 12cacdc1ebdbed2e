"""Numbers from luck: stateless, and the same bits interpreted, compiled, and on any machine.

Luck is an integer in [0, 2**63): it fits a signed column of any database, and a Python int of that
range always has one compiled type. The i-th word of a luck is the i-th output of SplitMix64
(Steele, Lea and Flood, 2014) started from it. Only +, -, *, / and sqrt touch a float, each of which
IEEE 754 rounds in one way, so no result depends on a library of functions.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import overload

from .compiled import inlined

__all__ = ["fork", "normal", "uniform", "word"]

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
    """Return another luck: of one round, or for a policy inside a policy."""
    return _signed(word(_unsigned(luck) ^ _FORK, i) >> 1)


@inlined
def uniform(luck: int, i: int) -> float:
    """Return the i-th uniform number of a luck, in [0, 1)."""
    return (word(luck, i) >> 11) * 1.1102230246251565e-16  # 2 ** -53


@inlined
def normal(luck: int, i: int) -> float:
    """Return the i-th standard normal number of a luck: the inverse CDF of its i-th uniform.

    Algorithm AS 241 (Wichura, 1988), exact to about 1e-16.
    """
    # The middle of a cell of width 2**-52, so that neither 0 nor 1 comes out.
    q = ((word(luck, i) >> 12) + 0.5) * 2.220446049250313e-16 - 0.5
    if abs(q) <= 0.425:
        return q * _centre(0.180625 - q * q)
    r = math.sqrt(-_log(0.5 - abs(q)))
    value = _near_tail(r - 1.6) if r <= 5.0 else _far_tail(r - 5.0)
    return value if q > 0.0 else -value


@inlined
def _log(x: float) -> float:
    """Return the natural logarithm of x in (0, 1), by the series of atanh; error below 4e-16."""
    fraction, exponent = math.frexp(x)
    if fraction < 0.7071067811865476:
        fraction *= 2.0
        exponent -= 1
    s = (fraction - 1.0) / (fraction + 1.0)
    z = s * s
    # In pairs, which do not wait for each other as the steps of Horner's rule do.
    y = z * z
    low = (1.0 / 3.0 + z * 0.2) + y * (1.0 / 7.0 + z * (1.0 / 9.0))
    middle = (1.0 / 11.0 + z * (1.0 / 13.0)) + y * (1.0 / 15.0 + z * (1.0 / 17.0))
    series = low + (y * y) * (middle + (y * y) * (1.0 / 19.0 + z * (1.0 / 21.0)))
    return exponent * 0.6931471805599453 + (2.0 * s + 2.0 * s * (z * series))


# The rational functions of AS 241, by Horner's rule.


@inlined
def _centre(r: float) -> float:
    top = 2.5090809287301226727e3 * r + 3.3430575583588128105e4
    top = top * r + 6.7265770927008700853e4
    top = top * r + 4.5921953931549871457e4
    top = top * r + 1.3731693765509461125e4
    top = top * r + 1.9715909503065514427e3
    top = top * r + 1.3314166789178437745e2
    top = top * r + 3.3871328727963666080e0
    low = 5.2264952788528545610e3 * r + 2.8729085735721942674e4
    low = low * r + 3.9307895800092710610e4
    low = low * r + 2.1213794301586595867e4
    low = low * r + 5.3941960214247511077e3
    low = low * r + 6.8718700749205790830e2
    low = low * r + 4.2313330701600911252e1
    return top / (low * r + 1.0)


@inlined
def _near_tail(r: float) -> float:
    top = 7.74545014278341407640e-4 * r + 2.27238449892691845833e-2
    top = top * r + 2.41780725177450611770e-1
    top = top * r + 1.27045825245236838258e0
    top = top * r + 3.64784832476320460504e0
    top = top * r + 5.76949722146069140550e0
    top = top * r + 4.63033784615654529590e0
    top = top * r + 1.42343711074968357734e0
    low = 1.05075007164441684324e-9 * r + 5.47593808499534494600e-4
    low = low * r + 1.51986665636164571966e-2
    low = low * r + 1.48103976427480074590e-1
    low = low * r + 6.89767334985100004550e-1
    low = low * r + 1.67638483018380384940e0
    low = low * r + 2.05319162663775882187e0
    return top / (low * r + 1.0)


@inlined
def _far_tail(r: float) -> float:
    top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
    top = top * r + 1.24266094738807843860e-3
    top = top * r + 2.65321895265761230930e-2
    top = top * r + 2.96560571828504891230e-1
    top = top * r + 1.78482653991729133580e0
    top = top * r + 5.46378491116411436990e0
    top = top * r + 6.65790464350110377720e0
    low = 2.04426310338993978564e-15 * r + 1.42151175831644588870e-7
    low = low * r + 1.84631831751005468180e-5
    low = low * r + 7.86869131145613259100e-4
    low = low * r + 1.48753612908506148525e-2
    low = low * r + 1.36929880922735805310e-1
    low = low * r + 5.99832206555887937690e-1
    return top / (low * r + 1.0)


# Python's integers have no width, the compiler's have; these two say which is meant.


def _unsigned(i: int) -> int:
    return int(i) & _MASK


@overload(_unsigned)
def _unsigned_compiled(i):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    return lambda i: np.uint64(i)


def _signed(i: int) -> int:
    return int(i)


@overload(_signed)
def _signed_compiled(i):  # type: ignore[no-untyped-def]  # as above
    return lambda i: np.int64(i)
