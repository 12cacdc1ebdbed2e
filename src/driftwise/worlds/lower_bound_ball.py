"""The hard instance of the paper's lower bound as the theorem states it: on the unit ball."""

from __future__ import annotations

from typing import ClassVar

from ..core.base.card import Card
from .ball_world import BallWorld
from .parts.hard_blocks import HardBlocks

__all__ = ["LowerBoundBall"]


class LowerBoundBall(HardBlocks, BallWorld):
    r"""The hard instance of the paper's lower bound on the unit ball: unrelated blocks.

    Each block of :math:`H = \lceil (dT / B_T)^{2/3} \rceil` rounds draws its own parameter,
    uniformly and independently, from

    .. math:: \theta \in \{\pm\sqrt{d / (4H)}\}^d,

    and any point of the unit ball may be played, not only the corners of a cube. No policy can have a
    regret of smaller order than :math:`d^{2/3} B_T^{1/3} T^{2/3}` on all such paths.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        d.
    variation
        The variation budget :math:`B_T`, which no path exceeds.
    noise
        The standard deviation of Gaussian noise; 1, as in the proof, by default.

    Notes
    -----
    Parameters and noise are, seed by seed, those of `LowerBound`, whose page says what a run shows of the
    worst path.

    References
    ----------
    Cheung, Simchi-Levi, Zhu: Learning to Optimize under Non-Stationarity. AISTATS 2019, Theorem 1.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = LowerBoundBall(horizon=2_000, dimension=2, variation=4.0)
    >>> world.block_length
    100
    >>> run = dw.simulate(dw.LinUCB(noise=1.0), world, seed=0)
    >>> 0.0 < run.total_regret < 2 * 2_000 * world.parameter_norm
    True
    """

    card: ClassVar[Card] = Card(
        source="Cheung, Simchi-Levi, Zhu (AISTATS 2019), Theorem 1",
        knows="",
        guarantee="Assumption 1 holds in dimension 1 and fails from 2 on, "
        "where a ball has points between any two axes",
    )

    def __init__(
        self, *, horizon: int, dimension: int, variation: float, noise: float | None = None
    ) -> None:
        self._set_blocks(horizon, dimension, variation)
        super().__init__(
            horizon=horizon, dimension=dimension, noise=1.0 if noise is None else noise
        )
