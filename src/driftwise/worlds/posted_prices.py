"""Prices to post: a buyer comes, and pays the price or nothing, while what they would pay drifts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.validation import require_integer, require_number
from .linear import LinearWorld
from .parts.price_grid import price_grid
from .parts.rewards import SaleRewards
from .parts.waves import Wave

__all__ = ["PostedPrices"]


class PostedPrices(LinearWorld):
    r"""A price to post to every buyer, who pays it or goes; what buyers would pay drifts.

    Price p is accepted, and is then the reward, with probability

    .. math:: q_t(p) = 1 / (1 + \exp((p - m_t) / s)), \qquad m_t = m + a \sin(2 \pi t / P),

    otherwise the reward is 0. Every price is an arm of its own: the shape of the demand is not told.

    Parameters
    ----------
    horizon
        The number of rounds T.
    prices
        (K,): the prices, in any currency; 12 from 10 to 120, at equal distances, by default.
    middle
        The price m that half of all buyers would pay, on average over a season.
    swing
        The most a that the middle is away from its mean.
    spread
        How much buyers differ, the s above.
    period
        The number of rounds P of a season.

    Notes
    -----
    All prices of a round meet the same buyer: whoever accepts a price accepts every lower one.
    `noise` is the sub-Gaussian proxy of Hoeffding's lemma, half of the largest price.

    References
    ----------
    Kleinberg, Leighton: The Value of Knowing a Demand Curve. FOCS 2003.

    Examples
    --------
    >>> world = PostedPrices(horizon=5000)
    >>> chunk = next(world.rounds(seed=0, size=5000))
    >>> np.unique(chunk.rewards[:, 5]).tolist(), world.noise
    ([0.0, 60.0], 60.0)
    >>> sorted({float(world.prices[arm]) for arm in chunk.means.argmax(axis=1)})
    [40.0, 50.0, 60.0]
    """

    card: ClassVar[Card] = Card(
        source="posted prices, as in Kleinberg, Leighton (FOCS 2003), with a season",
        knows="",
        guarantee="Assumption 1 holds: the actions are basis vectors",
    )

    def __init__(
        self,
        *,
        horizon: int,
        prices: ArrayLike | None = None,
        middle: float = 60.0,
        swing: float = 15.0,
        spread: float = 10.0,
        period: int = 4000,
    ) -> None:
        self._prices = grid = price_grid(prices, np.linspace(10.0, 120.0, 12))
        self._middle = require_number("middle", middle)
        self._swing = require_number("swing", swing, at_least=0.0)
        self._spread = require_number("spread", spread, above=0.0)
        self._period = require_integer("period", period, unit="round")
        super().__init__(horizon=horizon, decision_set=np.eye(len(grid)), rewards="bernoulli")
        self._law = SaleRewards(float(grid.max()) / 2.0, grid)

    @property
    def prices(self) -> NDArray[np.float64]:
        """The prices, one for each arm; a copy."""
        return self._prices.copy()

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the expected revenues of all prices; they do not depend on ``seed``."""
        wave = Wave(2.0 * math.pi / self._period)
        for t in self.round_numbers(size):
            middles = self._middle + self._swing * wave.sines(t)
            accepted = 0.5 + 0.5 * np.tanh((middles[:, None] - self._prices) / (2.0 * self._spread))
            yield self._prices * accepted
