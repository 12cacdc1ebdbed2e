"""Dynamic pricing: a price to set in every round, while demand drifts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_array, require_number
from .linear import LinearWorld
from .parts.price_grid import price_grid
from .parts.rewards import ScaledGaussianRewards

__all__ = ["Pricing"]

_SMALLEST_DEMAND = -1e-12  # that much below zero is rounding


class Pricing(LinearWorld):
    r"""A price to set in every round: demand falls with the price, and drifts.

    At price p the demand and the revenue, which is the reward, are

    .. math:: D_t = a_t - b_t p + \eta_t, \qquad
              Y_t = p D_t = \langle x_p, \theta_t \rangle + p \, \eta_t, \qquad
              x_p = (p, -p^2), \quad \theta_t = (a_t, b_t),

    with normal noise :math:`\eta_t` in the demand, so that the noise in the revenue grows with the
    price. The best price is :math:`a_t / (2 b_t)`, as far as the grid has it. The parameter moves
    at constant speed on the line from ``start`` to ``end``, and back, and so on.

    Parameters
    ----------
    horizon
        The number of rounds T.
    variation
        The variation :math:`B_T`: the length of the way that the parameter goes.
    start, end
        The demand (a, b) at both ends of that way.
    prices
        The price grid; 15 prices from 0.05 to 0.75, at equal distances, by default.
    demand_noise
        The standard deviation of :math:`\eta_t`.

    Notes
    -----
    `noise` is the sub-Gaussian proxy R of the revenue: ``demand_noise`` times the largest price.
    With the default grid no action is longer than 1, and with the default demand no parameter
    is; the best price then moves between 0.375 and 0.667.

    Where a step passes an end and turns back, the parameter moves by less than the way it goes:
    the realised variation falls short of ``variation`` by up to one step at each turn.

    References
    ----------
    Keskin, Zeevi: Chasing Demand: Learning and Earning in a Changing Environment. Mathematics of
    Operations Research 2017; see `keskin_zeevi`.

    Examples
    --------
    >>> world = Pricing(horizon=10_000)
    >>> round(world.realised_variation().l2, 3), world.satisfies_assumption_one()
    (1.0, False)
    >>> best = [chunk.means[-1].argmax() for chunk in world.rounds(seed=0, size=2500)]
    >>> [round(world.prices[arm], 2) for arm in best]
    [0.6, 0.45, 0.55, 0.5]
    """

    card: ClassVar[Card] = Card(
        source="linear demand, as in Keskin, Zeevi (Mathematics of Operations Research 2017)",
        knows="",
        guarantee="Assumption 1 fails: the actions lie on a curve",
    )

    def __init__(
        self,
        *,
        horizon: int,
        variation: float = 1.0,
        start: Sequence[float] = (0.6, 0.8),
        end: Sequence[float] = (0.8, 0.6),
        prices: ArrayLike | None = None,
        demand_noise: float = 0.1,
    ) -> None:
        self._prices = grid = price_grid(prices, np.linspace(0.05, 0.75, 15))
        self._start, self._end = _demand("start", start, grid), _demand("end", end, grid)
        self._demand_noise = require_number("demand_noise", demand_noise, at_least=0.0)
        self._variation = require_number("variation", variation, at_least=0.0)
        scales = self._demand_noise * grid
        super().__init__(
            horizon=horizon,
            decision_set=np.stack([grid, -grid * grid], axis=1),
            noise=float(scales.max()),
        )
        self._law = ScaledGaussianRewards(float(scales.max()), scales)
        if self._variation and not self._way:
            raise RuleValueError(
                "variation",
                "be 0 when start and end are equal",
                self._variation,
            )

    @classmethod
    def keskin_zeevi(
        cls,
        *,
        horizon: int,
        quadratic_variation: float = 0.32,
        start: Sequence[float] = (0.6, 0.8),
        end: Sequence[float] = (0.8, 0.6),
        prices: ArrayLike | None = None,
        demand_noise: float = 0.1,
    ) -> Pricing:
        r"""Return the world with a given budget in the sense of Keskin and Zeevi.

        Their budget is on a quadratic variation, the largest sum of squared moves between chosen
        rounds,

        .. math:: \sup_{t_0 < t_1 < \dots} \; \sum_k \|\theta_{t_k} - \theta_{t_{k-1}}\|^2,

        which is no path length: a way of length l that never turns costs :math:`l^2`, however many
        rounds it takes, so a budget V buys :math:`V / l^2` ways from one end to the other, and a
        path length of :math:`V / l`. The best regret is of order :math:`V^{1/3} T^{2/3}`.

        Parameters
        ----------
        quadratic_variation
            V.
        horizon, start, end, prices, demand_noise
            As for the class. Their demand is :math:`a + b p` with a negative b; here it is
            :math:`a - b p`.

        Notes
        -----
        That the metric is a quadratic variation is said in the abstract of talks on the paper; its
        exact form, as above, was not compared with the text.

        Examples
        --------
        >>> world = Pricing.keskin_zeevi(horizon=10_000, quadratic_variation=0.32)
        >>> round(world.variation, 4), round(world.quadratic_variation, 4)
        (1.1314, 0.32)
        """
        budget = require_number("quadratic_variation", quadratic_variation, at_least=0.0)
        still = cls(
            horizon=horizon,
            variation=0.0,
            start=start,
            end=end,
            prices=prices,
            demand_noise=demand_noise,
        )
        if budget and not still._way:
            raise RuleValueError("quadratic_variation", "be 0 when start and end are equal", budget)
        # Whole ways cost l^2 each; the rest of the budget, as the square of a part of one.
        whole, rest = divmod(budget, still._way**2) if budget else (0.0, 0.0)
        return cls(
            horizon=horizon,
            variation=whole * still._way + math.sqrt(rest),
            start=start,
            end=end,
            prices=prices,
            demand_noise=demand_noise,
        )

    @property
    def variation(self) -> float:
        """The length of the way that the parameter goes."""
        return self._variation

    @property
    def quadratic_variation(self) -> float:
        """The budget of Keskin and Zeevi that this way takes, but for what turns cut off."""
        whole, rest = divmod(self._variation, self._way) if self._way else (0.0, 0.0)
        return whole * self._way**2 + rest**2

    @property
    def prices(self) -> tuple[float, ...]:
        """The price grid, in the order of the arms."""
        return tuple(self._prices.tolist())

    @property
    def start(self) -> tuple[float, float]:
        """The demand (a, b) at the start."""
        return self._start

    @property
    def end(self) -> tuple[float, float]:
        """The demand (a, b) at the other end."""
        return self._end

    @property
    def demand_noise(self) -> float:
        """The standard deviation of the noise in the demand."""
        return self._demand_noise

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        start, end = np.array(self._start), np.array(self._end)
        ways = self._variation / self._way if self._way else 0.0
        for t in self.round_numbers(size):
            gone = ways * ((t - 1) / max(1, self.horizon - 1)) % 2.0
            part = np.minimum(gone, 2.0 - gone)
            yield start + part[:, None] * (end - start)

    @property
    def _way(self) -> float:
        """The distance between both ends."""
        return math.dist(self._start, self._end)


def _demand(name: str, demand: Sequence[float], prices: NDArray[np.float64]) -> tuple[float, float]:
    """Return intercept and slope, or say at which price nobody buys."""
    intercept, slope = require_array(name, demand, shape=(2,)).tolist()
    if intercept <= 0.0 or slope <= 0.0:
        raise RuleValueError(name, "be two numbers above 0", intercept, f"{intercept} and {slope}")
    sold = intercept - slope * float(prices.max())
    if sold < _SMALLEST_DEMAND:
        raise RuleValueError(
            name,
            f"leave a demand of at least 0 at the largest price {float(prices.max()):g}",
            sold,
            f"{sold:g}",
        )
    return intercept, slope
