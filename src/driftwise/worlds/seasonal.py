"""A world with seasons: arms that take turns, again and again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.validation import require_integer, require_number
from .linear import LinearWorld
from .parts.basis import actions_or_basis
from .parts.rewards import RewardKind
from .parts.waves import Wave

__all__ = ["Seasonal"]


class Seasonal(LinearWorld):
    r"""A parameter that comes back after every period, its coordinates one after the other.

    .. math:: \theta_{t,i} = c + a \sin(2 \pi (t / P + i / d)), \qquad i = 0, \dots, d - 1.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        d; 3 if neither it nor ``decision_set`` is given.
    period
        The number of rounds P after which all is as before.
    centre
        The mean c of a coordinate over a period.
    amplitude
        The most a that a coordinate is away from its mean.
    decision_set
        The (K, d) actions; the d basis vectors, that is a d-armed bandit, by default.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.

    Notes
    -----
    A coordinate moves by 4 a in each period, so the variation grows with the number of seasons. A
    policy that knew the period could learn across seasons; those that forget cannot.

    Examples
    --------
    >>> world = Seasonal(horizon=10_000, period=500)
    >>> path = np.concatenate(list(world.path(seed=0, size=4096)))
    >>> bool(np.array_equal(path[:-500], path[500:]))
    True
    >>> round(world.realised_variation().arms, 1)  # 20 seasons
    36.0
    """

    card: ClassVar[Card] = Card(
        source="the standard model of a season",
        knows="",
        guarantee="Assumption 1 holds unless decision_set breaks it",
    )

    def __init__(
        self,
        *,
        horizon: int,
        dimension: int | None = None,
        period: int = 1000,
        centre: float = 0.5,
        amplitude: float = 0.3,
        decision_set: ArrayLike | None = None,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
    ) -> None:
        actions = actions_or_basis(decision_set, dimension, default=3)
        super().__init__(horizon=horizon, decision_set=actions, noise=noise, rewards=rewards)
        self._period = require_integer("period", period, unit="round")
        self._centre = require_number("centre", centre)
        self._amplitude = require_number("amplitude", amplitude, at_least=0.0)

    @property
    def period(self) -> int:
        """The number of rounds after which all is as before."""
        return self._period

    @property
    def centre(self) -> float:
        """The mean of a coordinate over a period."""
        return self._centre

    @property
    def amplitude(self) -> float:
        """The most that a coordinate is away from its mean."""
        return self._amplitude

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        wave = Wave(2.0 * math.pi / self._period)
        shifts = [2.0 * math.pi * i / self.dimension for i in range(self.dimension)]
        for t in self.round_numbers(size):
            parameters = np.empty((len(t), self.dimension))
            done = 0
            while done < len(t):
                # Season by season: the same rounds of two seasons have the same bits.
                first = int(t[done]) % self._period
                n = min(self._period - first, len(t) - done)
                moments = np.arange(first, first + n)
                sines, cosines = wave.sines(moments), wave.cosines(moments)
                for i, shift in enumerate(shifts):
                    swing = sines * math.cos(shift) + cosines * math.sin(shift)
                    parameters[done : done + n, i] = self._centre + self._amplitude * swing
                done += n
            yield parameters
