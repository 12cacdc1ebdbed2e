"""What the theorems promise: one explicit bound on the regret, and the rate of each theorem."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..core.base.validation import require_integer, require_known, require_number
from .radius import radius

__all__ = ["RATES", "Rate", "rate", "regret_bound", "slope"]


def regret_bound(
    *,
    horizon: int,
    dimension: int,
    variation: float,
    window: int,
    noise: float,
    action_norm: float = 1.0,
    parameter_norm: float = 1.0,
    ridge: float = 1.0,
    confidence: float | None = None,
    as_printed: bool = True,
) -> float:
    r"""Return the bound on the expected dynamic regret of SW-UCB, constants and all.

    .. math:: 2 L w B_T + \frac{2 \beta T}{\sqrt{w}}
              \sqrt{2 d \ln \frac{d \lambda + w L^2}{d \lambda}} + 2 T \delta

    with the :math:`\beta` of :func:`~driftwise.theory.radius`. It holds if the decision sets
    satisfy Assumption 1 and expected rewards lie in [-1, 1]. Regret never exceeds :math:`2 T`, so a
    larger bound says nothing.

    Parameters
    ----------
    horizon
        The number of rounds, :math:`T`.
    dimension
        The length of an action, :math:`d`.
    variation
        The variation budget, :math:`B_T`.
    window
        The number of rounds remembered, :math:`w`.
    noise, action_norm, parameter_norm, ridge
        :math:`R, L, S, \lambda`, as for :func:`~driftwise.theory.radius`.
    confidence
        The probability of failure in one round, :math:`\delta`; ``None`` means :math:`1/T`.

    as_printed
        False gives what the proof supports to the last detail, see Notes.

    Notes
    -----
    The proof counts :math:`\lceil T / w \rceil` windows, so where the window does not divide the
    horizon it gives :math:`\sqrt{T \lceil T / w \rceil}` for the :math:`T / \sqrt{w}` of its last
    line: more, by a factor of at most :math:`\sqrt{1 + w / T}`. It also asks for
    :math:`\beta \ge 1`, for instance through :math:`\lambda \ge 1/S^2`; with
    :math:`\max(\beta, 1)` it goes through for any, since a round costs at most 2, hence at most
    twice the drift and :math:`2 \max(\beta, 1) \min(\|X_t\|_{V_{t-1}^{-1}}, 1)`.
    ``as_printed=False`` takes both.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, end of the proof of Theorem 3.

    Examples
    --------
    >>> settings = dict(dimension=2, variation=1.0, noise=0.1)
    >>> round(regret_bound(horizon=10**7, window=10**5, **settings))
    925377
    """
    horizon = require_integer("horizon", horizon, unit="round")
    dimension = require_integer("dimension", dimension)
    variation = require_number("variation", variation, at_least=0.0)
    window = require_integer("window", window, unit="round")
    action_norm = require_number("action_norm", action_norm, above=0.0)
    ridge = require_number("ridge", ridge, above=0.0)
    failure = 1.0 / horizon if confidence is None else confidence
    beta = radius(
        window=window,
        dimension=dimension,
        noise=noise,
        action_norm=action_norm,
        parameter_norm=parameter_norm,
        ridge=ridge,
        confidence=failure,
    )
    drift = 2.0 * action_norm * window * variation
    n_windows: float = horizon / window
    if not as_printed:
        n_windows, beta = math.ceil(n_windows), max(beta, 1.0)
    # The elliptical potential of one window, Lemma 11 of Abbasi-Yadkori, Pal and Szepesvari 2011.
    potential = 2.0 * dimension * math.log1p(window * action_norm**2 / (dimension * ridge))
    estimation = 2.0 * beta * math.sqrt(horizon * n_windows * potential)
    return drift + estimation + 2.0 * horizon * failure


class Rate(NamedTuple):
    """How regret grows with dimension, variation and horizon, up to constants and logarithms."""

    dimension_exponent: float  # of d
    variation_exponent: float  # of B, or of B + 1
    horizon_exponent: float  # of T
    plus_one: bool  # whether the variation enters as B + 1
    statement: str
    conditions: str
    source: str


_PAPER = "Cheung, Simchi-Levi and Zhu, AISTATS 2019"
_GENERAL = "Zhao and Zhang, arXiv 2103.05324"
_ORTHOGONAL = "Assumption 1 (orthogonal decision sets)"

# What is known of how regret grows, by name; `rate` works one out.
RATES: Mapping[str, Rate] = MappingProxyType(
    {
        "lower-bound": Rate(
            2 / 3, 1 / 3, 2 / 3, False,
            statement="d^(2/3) B^(1/3) T^(2/3)",
            conditions="any policy, on the unit ball; T >= d and d/sqrt(T) < B <= 8 T/d^2",
            source=f"{_PAPER}, Theorem 1",
        ),
        "sliding-window": Rate(
            2 / 3, 1 / 3, 2 / 3, False,
            statement="d^(2/3) B^(1/3) T^(2/3)",
            conditions=f"{_ORTHOGONAL}; B known, at least d/sqrt(T); window (d T/B)^(2/3)",
            source=f"{_PAPER}, Theorem 3",
        ),
        "sliding-window-unknown": Rate(
            2 / 3, 1.0, 2 / 3, True,
            statement="d^(2/3) (B+1) T^(2/3)",
            conditions=f"{_ORTHOGONAL}; B unknown; window (d T)^(2/3)",
            source=f"{_PAPER}, Theorem 3",
        ),
        "sliding-window-stationary": Rate(
            1.0, 0.0, 1 / 2, False,
            statement="d T^(1/2)",
            conditions=(
                "B known, at most d/sqrt(T) under Assumption 1 and at most sqrt(d)/T without; "
                "window T"
            ),
            source=f"{_PAPER}, proof of Theorem 3 with w = T",
        ),
        "bandit-over-bandit": Rate(
            2 / 3, 1 / 4, 3 / 4, True,
            statement="d^(2/3) (B+1)^(1/4) T^(3/4)",
            conditions=f"{_ORTHOGONAL}; B unknown; blocks of d^(2/3) T^(1/2)",
            source=f"{_PAPER}, Theorem 4",
        ),
        "sliding-window-general": Rate(
            7 / 8, 1 / 4, 3 / 4, False,
            statement="d^(7/8) B^(1/4) T^(3/4)",
            conditions="any decision sets; B known, at least sqrt(d)/T; window d^(1/4) (T/B)^(1/2)",
            source=_GENERAL,
        ),
        "sliding-window-general-unknown": Rate(
            7 / 8, 1.0, 3 / 4, True,
            statement="d^(7/8) (B+1) T^(3/4)",
            conditions="any decision sets; B unknown; window d^(1/4) T^(1/2)",
            source=f"follows from the drift and noise terms of {_GENERAL}",
        ),
        "bandit-over-bandit-general": Rate(
            7 / 8, 1 / 4, 3 / 4, True,
            statement="d^(7/8) (B+1)^(1/4) T^(3/4)",
            conditions="any decision sets; B unknown; blocks of d^(1/4) T^(1/2)",
            source=_GENERAL,
        ),
    }
)  # fmt: skip


def rate(name: str, *, horizon: int, dimension: int, variation: float) -> float:
    """Return the value of a rate of ``RATES``, without constants and logarithms.

    Examples
    --------
    >>> round(rate("bandit-over-bandit", horizon=10_000, dimension=8, variation=15.0), 6)
    8000.0
    """
    chosen = RATES[require_known("name", name, RATES)]
    horizon = require_integer("horizon", horizon, unit="round")
    dimension = require_integer("dimension", dimension)
    variation = require_number("variation", variation, at_least=0.0) + chosen.plus_one
    return float(
        dimension**chosen.dimension_exponent
        * variation**chosen.variation_exponent
        * horizon**chosen.horizon_exponent
    )


def slope(name: str, *, variation_exponent: float = 0.0) -> float:
    r"""Return the power of the horizon at which a rate of ``RATES`` grows.

    With :math:`B_T = T^\rho` and :math:`\rho \ge 0` the variation adds :math:`\rho` times its own
    exponent. It is the slope to compare with a log-log plot of regret; from 1 on, the rate says
    no more than that regret is at most linear.

    Examples
    --------
    >>> round(slope("sliding-window"), 3), round(slope("bandit-over-bandit"), 3)
    (0.667, 0.75)
    >>> round(slope("bandit-over-bandit", variation_exponent=1 / 3), 3)
    0.833
    """
    chosen = RATES[require_known("name", name, RATES)]
    exponent = require_number("variation_exponent", variation_exponent, at_least=0.0)
    return chosen.horizon_exponent + exponent * chosen.variation_exponent
