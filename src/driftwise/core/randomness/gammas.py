"""Gamma and beta numbers from luck, by the method of Marsaglia and Tsang (2000).

Normal and uniform numbers of a luck, `log` and `exp` in plain arithmetic, and nothing else: the same
bits interpreted, compiled, and on any machine.
"""

from __future__ import annotations

import math

from ..compiler.compiled import called, inlined
from ..compiler.elementary import exp, log
from .draws import fork, uniform
from .normals import normal

__all__ = ["beta", "log_of_gamma"]


@inlined
def beta(luck: int, successes: float, failures: float) -> float:
    """Return the beta number of a luck, for shapes above 1e-6.

    It is G / (G + H) with gamma numbers G and H, by their logarithms: for small shapes both may be
    less than a float holds.

    Examples
    --------
    >>> round(beta(1234567, 3.0, 7.0), 9), round(beta(1234567, 1e-3, 1e-3), 9)
    (0.137689097, 0.0)
    """
    won = log_of_gamma(fork(luck), successes)
    lost = log_of_gamma(fork(luck, 1), failures)
    return 1.0 / (1.0 + exp(lost - won))


@called  # a loop, and long
def log_of_gamma(luck: int, shape: float) -> float:
    """Return the logarithm of the gamma number of a luck, of that shape and of scale 1.

    With a = shape, d = a - 1/3, X normal and V = (1 + X / √(9 d))³ it is ln(d V), if ln U < X² / 2 + d
    (1 - V + ln V) for a uniform U: 19 in 20 times. For a < 1 it is that of a + 1 plus ln(U) / a.
    """
    smaller = 0.0
    if shape < 1.0:
        smaller = log(1.0 - uniform(luck, 0)) / shape
        shape += 1.0
    d, i = shape - 1.0 / 3.0, 1
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(luck, i)
        root = 1.0 + c * x
        if root > 0.0:
            v = root * root * root
            log_v = log(v)
            if log(1.0 - uniform(luck, i + 1)) < 0.5 * x * x + d * (1.0 - v + log_v):
                return log(d) + log_v + smaller
        i += 2
