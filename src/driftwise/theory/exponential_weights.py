"""How much EXP3 and EXP3.S explore and share."""

from __future__ import annotations

import math

from ..core.base.validation import require_integer, require_number

__all__ = ["exp3_mixing", "exp3s_mixing", "exp3s_sharing"]


def exp3_mixing(*, n_arms: int, horizon: int) -> float:
    r"""Return the share of uniform exploration in EXP3.

    .. math:: \gamma = \min\left\{1, \sqrt{\frac{K \ln K}{(e - 1) T}}\right\} .

    It gives regret :math:`2 \sqrt{e - 1} \sqrt{T K \ln K}` against the best fixed arm for rewards
    in [0, 1]. With one arm the formula gives 0; every distribution over one arm is uniform, so the
    answer is then 1, which keeps it in (0, 1].

    References
    ----------
    Auer, Cesa-Bianchi, Freund and Schapire, "The Nonstochastic Multiarmed Bandit Problem", SIAM
    Journal on Computing 32, 2002, Corollary 3.2.

    Examples
    --------
    >>> round(exp3_mixing(n_arms=7, horizon=110), 4)
    0.2685
    >>> exp3_mixing(n_arms=1, horizon=110)
    1.0
    """
    n_arms = require_integer("n_arms", n_arms)
    horizon = require_integer("horizon", horizon, unit="round")
    if n_arms == 1:
        return 1.0
    return min(1.0, math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1.0) * horizon)))


def exp3s_mixing(*, n_arms: int, horizon: int, variation: float | None = None) -> float:
    r"""Return the share of uniform exploration in EXP3.S.

    With a known variation budget :math:`V_T`,

    .. math:: \gamma = \min\left\{1, \left(\frac{4 V_T K \ln(K T)}{(e-1)^2 T}\right)^{1/3}\right\} ;

    with an unknown number of changes, :math:`\gamma = \min\{1, \sqrt{K \ln(K T) / T}\}`. Both go
    with the sharing :math:`\alpha = 1/T` and rewards in [0, 1].

    Parameters
    ----------
    n_arms
        The number of arms, :math:`K`. With one arm the answer is 1, as for :func:`exp3_mixing`.
    horizon
        The number of rounds, :math:`T`.
    variation
        The budget :math:`V_T = \sum_t \max_k |\mu_{t+1}^k - \mu_t^k|`, at least :math:`1/K` in the
        analysis; ``None`` if unknown. Zero, where the formula would not explore at all, means one
        stationary piece, :math:`\gamma = \min\{1, \sqrt{K (\ln(K T) + e) / ((e-1) T)}\}`.

    References
    ----------
    Besbes, Gur and Zeevi, "Optimal Exploration-Exploitation in a Multi-Armed-Bandit Problem with
    Non-Stationary Rewards", Stochastic Systems 2019 (known budget). Auer, Cesa-Bianchi, Freund and
    Schapire 2002, Section 8 (unknown number of changes; one piece).

    Examples
    --------
    >>> round(exp3s_mixing(n_arms=2, horizon=30_000, variation=1.0), 5)
    0.09979
    >>> round(exp3s_mixing(n_arms=2, horizon=30_000), 5)
    0.02708
    """
    n_arms = require_integer("n_arms", n_arms)
    horizon = require_integer("horizon", horizon, unit="round")
    if variation is not None:
        variation = require_number("variation", variation, at_least=0.0)
    if n_arms == 1:
        return 1.0
    logarithm = math.log(n_arms * horizon)
    if variation is None:
        mixing = math.sqrt(n_arms * logarithm / horizon)
    elif variation == 0.0:
        mixing = math.sqrt(n_arms * (logarithm + math.e) / ((math.e - 1.0) * horizon))
    else:
        mixing = (4.0 * variation * n_arms * logarithm / ((math.e - 1.0) ** 2 * horizon)) ** (1 / 3)
    return min(1.0, mixing)


def exp3s_sharing(*, horizon: int) -> float:
    r"""Return the share of all weight that EXP3.S spreads over the arms each round.

    :math:`\alpha = 1/T`, the choice of Auer, Cesa-Bianchi, Freund and Schapire 2002 (Section 8) and
    of Besbes, Gur and Zeevi 2019.

    Examples
    --------
    >>> exp3s_sharing(horizon=1_000)
    0.001
    """
    return 1.0 / require_integer("horizon", horizon, unit="round")
