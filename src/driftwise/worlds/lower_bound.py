"""The hard instance of the paper's lower bound: blocks that have nothing to do with each other."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_integer
from .linear import LinearWorld
from .parts.hard_blocks import HardBlocks

__all__ = ["LowerBound"]

_LARGEST_DIMENSION = 12


class LowerBound(HardBlocks, LinearWorld):
    r"""The hard instance of the paper's lower bound: unrelated blocks of equal length.

    Each block of :math:`H = \lceil (dT / B_T)^{2/3} \rceil` rounds draws its own parameter,
    uniformly and independently, from

    .. math:: \theta \in \{\pm\sqrt{d / (4H)}\}^d,

    which keeps the variation within :math:`B_T`. No policy can have a regret of smaller order than
    :math:`d^{2/3} B_T^{1/3} T^{2/3}` on all such paths.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        d, at most 12.
    variation
        The variation budget :math:`B_T`, which no path exceeds.
    noise
        The standard deviation of Gaussian noise; 1, as in the proof, by default. Less noise makes
        an easier world than the theorem's.

    Notes
    -----
    The paper's decision set is the unit ball, see `LowerBoundBall`. Here it is represented by its
    :math:`2^d` corner directions :math:`\{\pm 1/\sqrt d\}^d`, among which any policy can choose.

    What this keeps: for every parameter of the construction the best action of the ball,
    :math:`\theta / \|\theta\|`, is a corner, so the regret is measured against the ball's best; and
    as a policy on the corners is a policy on the ball, the theorem's bound applies to it.

    What it does not do: a policy cannot play the rest of the ball, such as a basis vector to learn
    one coordinate alone. And the parameters are drawn, not chosen against the policy: the theorem
    speaks of the worst path, a run shows one path, and a mean over seeds shows the average path.

    References
    ----------
    Cheung, Simchi-Levi, Zhu: Learning to Optimize under Non-Stationarity. AISTATS 2019, Theorem 1.

    Examples
    --------
    >>> world = LowerBound(horizon=10_000, dimension=2, variation=20.0)
    >>> world.block_length
    100
    >>> world.realised_variation(seed=1).l2 <= 20.0
    True
    >>> next(world.path(seed=1, size=1)).round(4)  # +-sqrt(2 / 400)
    array([[0.0707, 0.0707]])
    """

    card: ClassVar[Card] = Card(
        source="Cheung, Simchi-Levi, Zhu (AISTATS 2019), Theorem 1",
        knows="",
        guarantee="Assumption 1 holds in dimension 1 and 2 and fails from 3 on, "
        "where corners are neither parallel nor orthogonal",
    )

    def __init__(
        self, *, horizon: int, dimension: int, variation: float, noise: float | None = None
    ) -> None:
        dimension = require_integer("dimension", dimension)
        if dimension > _LARGEST_DIMENSION:
            raise RuleValueError(
                "dimension",
                f"be at most {_LARGEST_DIMENSION}, as the decision set has 2**dimension corners",
                dimension,
            )
        self._set_blocks(horizon, dimension, variation)
        super().__init__(
            horizon=horizon,
            decision_set=_corners(dimension),
            noise=1.0 if noise is None else noise,
        )


def _corners(dimension: int) -> NDArray[np.float64]:
    """Return the 2**d directions {+-1/sqrt(d)}^d, one per row: row k has the signs of k's bits."""
    bits = np.arange(2**dimension)[:, None] >> np.arange(dimension) & 1
    return np.where(bits, -1.0, 1.0) / math.sqrt(dimension)
