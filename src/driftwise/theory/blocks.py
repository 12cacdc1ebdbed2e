"""How Bandit-over-Bandit cuts the horizon into blocks, and which windows it tries in them."""

from __future__ import annotations

import math
from typing import Literal

from ..core.base.errors import RuleValueError
from ..core.base.validation import require_integer, require_known, require_number
from .exponential_weights import exp3_mixing
from .geometry import GEOMETRIES, Geometry
from .rounding import ceiling, floor

__all__ = ["BlockRule", "block_length", "block_mixing", "block_reward_scale", "window_grid"]


# Which length blocks have: that of the paper, or "hedging", that of "Hedging the Drift".
BlockRule = Literal["paper", "hedging"]


def block_length(
    *,
    horizon: int,
    dimension: int,
    geometry: Geometry = "orthogonal",
    rule: BlockRule = "paper",
) -> int:
    r"""Return the number of rounds after which BOB restarts.

    :math:`H = \lfloor d^{2/3} T^{1/2} \rfloor` for orthogonal decision sets (Assumption 1) and
    :math:`H = \lceil d^{1/4} T^{1/2} \rceil` for general ones, clipped to :math:`[1, T]`: as long
    as the window for an unknown variation of order one, so that it is among those tried. The rule
    of "Hedging the Drift" is :math:`H = \lfloor d T^{1/2} \rfloor` for both.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, eq. (bob_parameters) and Theorem 4. General decision
    sets: the length with which the rate of Zhao and Zhang, arXiv 2103.05324, follows. "Hedging":
    Cheung, Simchi-Levi and Zhu, Hedging the Drift, the journal version.

    Examples
    --------
    >>> block_length(horizon=30_000, dimension=2)
    274
    >>> block_length(horizon=30_000, dimension=2, geometry="general")
    206
    >>> block_length(horizon=30_000, dimension=2, rule="hedging")
    346
    """
    horizon = require_integer("horizon", horizon, unit="round")
    dimension = require_integer("dimension", dimension)
    require_known("geometry", geometry, GEOMETRIES)
    if require_known("rule", rule, ["paper", "hedging"]) == "hedging":
        length = floor(dimension * math.sqrt(horizon))
    elif geometry == "orthogonal":
        length = floor(dimension ** (2 / 3) * math.sqrt(horizon))
    else:
        length = ceiling(dimension**0.25 * math.sqrt(horizon))
    return max(1, min(length, horizon))


def window_grid(block_length: int) -> tuple[int, ...]:
    r"""Return the windows that BOB chooses from, in increasing order.

    .. math:: J = \{\lfloor H^{j/\Delta} \rfloor : j = 0, \ldots, \Delta\},
              \qquad \Delta = \lceil \ln H \rceil .

    The powers are a factor of at most :math:`e` apart. A block of one round has the one window 1.
    :math:`J` is a set: in a block of 3 rounds two of the powers have the floor 1, and it is listed
    once; no other length repeats itself.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, eq. (bob_parameters).

    Examples
    --------
    >>> window_grid(274)
    (1, 2, 6, 16, 42, 107, 274)
    >>> window_grid(8)
    (1, 2, 4, 8)
    >>> window_grid(1)
    (1,)
    """
    block_length = require_integer("block_length", block_length, unit="round")
    if block_length == 1:
        return (1,)
    steps = math.ceil(math.log(block_length))
    windows = {floor(block_length ** (step / steps)) for step in range(steps + 1)}
    return tuple(sorted(windows))


def block_mixing(*, horizon: int, block_length: int) -> float:
    r"""Return the share of uniform exploration over windows in BOB.

    .. math:: \gamma = \min\left\{1,
              \sqrt{\frac{(\Delta + 1) \ln(\Delta + 1)}{(e - 1) \lceil T / H \rceil}}\right\},

    EXP3's own tuning with :math:`\Delta + 1 = |J|` arms and a round for each block. With a single
    window there is nothing to explore and the answer is 1.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, eq. (bob_parameters1).

    Examples
    --------
    >>> round(block_mixing(horizon=30_000, block_length=274), 4)
    0.2685
    """
    horizon, block_length = _require_blocks(horizon, block_length)
    return exp3_mixing(n_arms=len(window_grid(block_length)), horizon=-(-horizon // block_length))


def block_reward_scale(*, horizon: int, block_length: int, noise: float) -> float:
    r"""Return the number by which BOB divides the total reward of a block.

    .. math:: 2 H + 4 R \sqrt{H \ln (T / \sqrt{H})} .

    The total then lies in [-1/2, 1/2] in every block, with probability at least :math:`1 - 2/T`,
    if expected rewards lie in [-1, 1] and the noise is :math:`R`-sub-Gaussian.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, Lemma 3 and eq. (s_j_i). The union over
    :math:`\lceil T / H \rceil` blocks counts the last one as if it were full; being shorter, it
    fails less often, so that the lemma is right as it is stated whenever :math:`3 \le T`.

    Examples
    --------
    >>> round(block_reward_scale(horizon=30_000, block_length=274, noise=0.1), 1)
    566.1
    """
    horizon, block_length = _require_blocks(horizon, block_length)
    noise = require_number("noise", noise, at_least=0.0)
    spread = math.sqrt(block_length * (math.log(horizon) - 0.5 * math.log(block_length)))
    return 2.0 * block_length + 4.0 * noise * spread


def _require_blocks(horizon: int, block_length: int) -> tuple[int, int]:
    horizon = require_integer("horizon", horizon, unit="round")
    block_length = require_integer("block_length", block_length, unit="round")
    if block_length > horizon:
        raise RuleValueError(
            "block_length",
            f"be at most the horizon of {horizon} rounds",
            block_length,
        )
    return horizon, block_length
