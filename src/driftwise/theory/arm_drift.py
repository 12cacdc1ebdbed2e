"""How long to remember rewards of arms whose means drift, by V in total.

V is the sum over rounds of the largest change of an arm's mean. Unknown, it counts as 1; without
variation all rounds count.
"""

from __future__ import annotations

import math

from ..core.base.validation import require_integer, require_number
from .rounding import ceiling, floor

__all__ = ["batch_length", "drift_window", "rerun_length"]


def batch_length(*, horizon: int, n_arms: int, variation: float | None) -> int:
    r"""Return the batch length of Rexp3 (Besbes, Gur and Zeevi, 2014).

    .. math:: \Delta = \left\lceil (K \ln K)^{1/3} (T / V_T)^{2/3} \right\rceil,

    clipped to [1, T]. With a single arm all rounds are one batch.

    Examples
    --------
    >>> batch_length(horizon=30_000, n_arms=2, variation=1.0)
    1077
    >>> batch_length(horizon=30_000, n_arms=2, variation=0.0)
    30000
    """
    horizon, n_arms, budget = _checked(horizon, n_arms, variation)
    if budget == 0.0 or n_arms == 1:
        return horizon
    ideal = (n_arms * math.log(n_arms)) ** (1 / 3) * (horizon / budget) ** (2 / 3)
    # Clipped before the ceiling: a tiny budget makes the ideal infinite, and that has no ceiling.
    return max(1, ceiling(min(ideal, horizon)))


def drift_window(*, horizon: int, n_arms: int, variation: float | None) -> int:
    r"""Return the window of "Hedging the Drift" for K arms (Cheung, Simchi-Levi and Zhu, 2022).

    .. math:: w = \left\lfloor K^{1/3} (T / B_T)^{2/3} \right\rfloor,

    clipped to [1, T]; it balances w B_T in drift against :math:`T \sqrt{K / w}` in noise.

    Examples
    --------
    >>> drift_window(horizon=30_000, n_arms=2, variation=1.0)
    1216
    """
    horizon, n_arms, budget = _checked(horizon, n_arms, variation)
    if budget == 0.0:
        return horizon
    ideal = n_arms ** (1 / 3) * (horizon / budget) ** (2 / 3)
    return max(1, floor(min(ideal, horizon)))


def rerun_length(*, horizon: int, n_arms: int, noise: float, variation: float | None) -> int:
    r"""Return the batch length that balances what noise and drift cost Rerun-UCB-V.

    With the total variance :math:`\Lambda = \sum_t \sum_k \sigma_{t,k}^2 = T K \sigma^2`, batches of
    B rounds cost, up to logarithms, :math:`\sqrt{K \Lambda T / B} + K T / B` in noise and
    :math:`B V` in drift. The larger of the two noise terms and the drift are equal at

    .. math:: B = \begin{cases} (K \Lambda T / V^2)^{1/3} & \text{if } K T V \le \Lambda^2, \\
       \sqrt{K T / V} & \text{otherwise}, \end{cases}

    rounded up and clipped to [1, T]. The terms are quoted from memory of Wei, Hong and Lu (2016), the
    balance is derived here.

    Examples
    --------
    >>> rerun_length(horizon=30_000, n_arms=2, noise=0.1, variation=1.0)
    331
    >>> rerun_length(horizon=30_000, n_arms=2, noise=0.0, variation=1.0)
    245
    """
    horizon, n_arms, budget = _checked(horizon, n_arms, variation)
    noise = require_number("noise", noise, at_least=0.0)
    if budget == 0.0:
        return horizon
    from_range = math.sqrt(n_arms * horizon / budget)
    total_variance = horizon * n_arms * noise * noise
    # In thirds, because the square of a tiny budget is zero.
    from_noise = (n_arms * total_variance * horizon) ** (1 / 3) / budget ** (2 / 3)
    # Each is the larger one exactly where its case applies.
    return max(1, ceiling(min(max(from_noise, from_range), horizon)))


def _checked(horizon: int, n_arms: int, variation: float | None) -> tuple[int, int, float]:
    horizon = require_integer("horizon", horizon, unit="round")
    n_arms = require_integer("n_arms", n_arms)
    budget = 1.0 if variation is None else require_number("variation", variation, at_least=0.0)
    return horizon, n_arms, budget
