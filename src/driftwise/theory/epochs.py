"""What it costs not to know the horizon: epochs of doubling length."""

from __future__ import annotations

from ..core.base.errors import RuleValueError
from ..core.base.validation import require_integer, require_number

__all__ = ["doubling_constant", "epoch_lengths"]


def doubling_constant(exponent: float) -> float:
    r"""Return by what factor a bound grows if the horizon is not known.

    Let a policy that is tuned for n rounds lose at most :math:`c \, n^a` in them, with
    :math:`0 < a < 1`. Played afresh in epochs of L, 2L, 4L, ... rounds, each tuned for its own length,
    it loses at most :math:`K_a \, c \, T^a` in the first T rounds, for every T > L at once, where

    .. math:: K_a = \max\left(1 + 2^a, \frac{2^a}{2^a - 1}\right) .

    Proof: in epoch m ≥ 1 (the first is 0) at least :math:`L (2^m - 1)` rounds have passed, and what was
    lost is at most what all epochs to the end of this one may lose,

    .. math:: \sum_{i=0}^m c \, (L 2^i)^a = c L^a \, \frac{2^{a (m + 1)} - 1}{2^a - 1} .

    With :math:`x = 2^{-m}`, in (0, 1/2], the ratio to :math:`c (L (2^m - 1))^a` is

    .. math:: g(x) = \frac{2^a - x^a}{(2^a - 1) (1 - x)^a}, \quad
       \frac{g'(x)}{g(x)} = a \, \frac{2^a - x^{a-1}}{(2^a - x^a) (1 - x)} .

    So g falls, then rises: it is largest at an end, which are :math:`g(1/2) = 1 + 2^a` and
    :math:`g(0) = 2^a / (2^a - 1)`. The former is larger from :math:`2^a = (1 + \sqrt 5) / 2` on. No
    smaller constant holds for all L and T.

    In rates with logarithms, ln T becomes ln 2T, since no epoch that has begun is longer than 2T. A
    variation B enters them as a factor that grows with B, and no epoch has more variation than all.

    Parameters
    ----------
    exponent
        The power of the horizon in the rate (a), such as ``RATES["sliding-window"].horizon_exponent``.

    Examples
    --------
    >>> round(doubling_constant(2 / 3), 3), round(doubling_constant(3 / 4), 3)
    (2.702, 2.682)
    """
    power: float = 2.0 ** require_number("exponent", exponent, above=0.0)
    if power >= 2.0:
        raise RuleValueError("exponent", "be below 1", exponent)
    return max(1.0 + power, power / (power - 1.0))


def epoch_lengths(first: int, rounds: int) -> list[int]:
    """Return the lengths of epochs that double, until together they have at least ``rounds`` rounds.

    Examples
    --------
    >>> epoch_lengths(100, 1000)
    [100, 200, 400, 800]
    """
    lengths = [require_integer("first", first, unit="round")]
    require_integer("rounds", rounds, unit="round")
    while sum(lengths) < rounds:
        lengths.append(2 * lengths[-1])
    return lengths
