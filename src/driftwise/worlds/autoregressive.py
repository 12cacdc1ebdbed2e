"""A parameter that is pulled back to its centre: a stationary AR(1) process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_array, require_integer, require_number
from ..core.randomness.many_normals import many_normals
from ..core.randomness.seeds import generator
from .linear import LinearWorld
from .parts.basis import actions_or_basis

__all__ = ["Autoregressive"]


class Autoregressive(LinearWorld):
    r"""A parameter that is pulled back to its centre while shocks drive it away.

    .. math:: \theta_{t+1} = c + \varrho (\theta_t - c) + \sqrt{1 - \varrho^2} \, s \, \xi_t,
              \qquad \xi_t \sim N(0, I_d),

    begun in its stationary law :math:`N(c, s^2 I_d)`, which it therefore has in every round.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        d; 2 if neither it, ``centre`` nor ``decision_set`` is given.
    persistence
        :math:`\varrho` in [0, 1): how much of the distance to the centre is left a round later. It
        is halved in about :math:`0.7 / (1 - \varrho)` rounds.
    spread
        The standard deviation s of a coordinate in any one round.
    centre
        The (d,) mean c; the origin by default.
    decision_set
        The (K, d) actions; the d basis vectors, that is a d-armed bandit, by default.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.

    Notes
    -----
    The length of the parameter has no bound that always holds: a coordinate is further than
    4 s from its centre in one round of 16,000.

    References
    ----------
    Liu, Kuang, Van Roy: Nonstationary Bandit Learning via Predictive Sampling. 2022; arms that
    follow AR(1) processes.

    Examples
    --------
    >>> world = Autoregressive(horizon=20_000, persistence=0.9, spread=0.3)
    >>> path = np.concatenate(list(world.path(seed=0, size=4096)))
    >>> path.std(axis=0).round(2).tolist()
    [0.3, 0.3]
    """

    card: ClassVar[Card] = Card(
        source="AR(1) arms, as in Liu, Kuang, Van Roy (2022)",
        knows="",
        guarantee="Assumption 1 holds unless decision_set breaks it; the parameter is not bounded",
    )

    def __init__(
        self,
        *,
        horizon: int,
        dimension: int | None = None,
        persistence: float = 0.999,
        spread: float = 0.3,
        centre: ArrayLike | None = None,
        decision_set: ArrayLike | None = None,
        noise: float | None = None,
    ) -> None:
        if dimension is not None:
            dimension = require_integer("dimension", dimension)
        if centre is not None:
            centre = require_array("centre", centre, shape=(dimension,))
            dimension = len(centre)
        actions = actions_or_basis(decision_set, dimension)
        super().__init__(horizon=horizon, decision_set=actions, noise=noise)
        self._persistence = require_number("persistence", persistence, at_least=0.0)
        if self._persistence >= 1.0:
            raise RuleValueError("persistence", "be less than 1", self._persistence)
        self._spread = require_number("spread", spread, at_least=0.0)
        self._centre = np.zeros(self.dimension) if centre is None else np.array(centre)

    @property
    def persistence(self) -> float:
        """How much of the distance to the centre is left a round later."""
        return self._persistence

    @property
    def spread(self) -> float:
        """The standard deviation of a coordinate in any one round."""
        return self._spread

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds."""
        random = generator(seed, "parameters")
        persistence = self._persistence
        shock = math.sqrt(1.0 - persistence * persistence) * self._spread
        last = np.zeros(self.dimension)

        def follow(distance: float, push: float) -> float:
            return persistence * distance + push

        for t in self.round_numbers(size):
            normals = many_normals(random, (len(t), self.dimension))
            pushes = shock * normals
            if t[0] == 1:
                pushes[0] = self._spread * normals[0]  # the stationary law
            distances = np.empty((len(t), self.dimension))
            for i in range(self.dimension):
                steps = accumulate(pushes[:, i].tolist(), follow, initial=float(last[i]))
                distances[:, i] = np.fromiter(islice(steps, 1, None), np.float64, len(t))
            last = distances[-1]
            yield self._centre + distances
