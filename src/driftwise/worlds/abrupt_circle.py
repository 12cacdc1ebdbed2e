"""A parameter that jumps on the unit circle, and fresh arms: an experiment of Russac et al."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .circle import Circle
from .parts.pieces import require_times

__all__ = ["AbruptCircle"]

_PARAMETERS = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])


class AbruptCircle(Circle):
    r"""A parameter that jumps on the unit circle while every round brings fresh arms.

    .. math:: \theta_t = (1, 0), \; (-1, 0), \; (0, 1), \; (0, -1)

    in turn, each from its time on. Every round draws new actions, uniformly in
    :math:`[-1, 1]^2`, scaled to norm 1 if longer.

    Parameters
    ----------
    horizon
        The number of rounds T; 6000 in the paper.
    n_arms
        How many actions each round offers; 50 in the paper.
    noise
        The standard deviation of Gaussian noise; 1, as in the paper, by default.
    times
        The rounds in which the second, third, ... parameter first holds, from the first again
        after the fourth; one after the horizon never comes.

    Notes
    -----
    The authors' code counts rounds from 0 and changes at 1001, 2001 and 3001; these are the rounds
    1002, 2002 and 3002 here, where the first round is 1. The variation is
    :math:`4 + \sqrt 2`, whatever the seed.

    References
    ----------
    Russac, Vernade, Cappé: Weighted Linear Bandits for Non-Stationary Environments. NeurIPS 2019,
    Section 5, and the authors' code.

    Examples
    --------
    >>> world = AbruptCircle(horizon=6000)
    >>> round(world.realised_variation().l2, 4), world.number_of_changes()
    (5.4142, 3)
    >>> world.n_arms, world.noise, world.satisfies_assumption_one()
    (50, 1.0, False)
    """

    card = Circle.card._replace(source=f"{Circle.card.source}, abruptly changing experiment")

    def __init__(
        self,
        *,
        horizon: int = 6000,
        n_arms: int = 50,
        noise: float | None = None,
        times: Sequence[int] = (1002, 2002, 3002),
    ) -> None:
        super().__init__(horizon=horizon, n_arms=n_arms, noise=noise)
        self._times = require_times("times", times)

    @property
    def times(self) -> tuple[int, ...]:
        """The rounds of change."""
        return self._times

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        times = np.array(self._times, dtype=np.int64)
        for t in self.round_numbers(size):
            yield _PARAMETERS[np.searchsorted(times, t, side="right") % len(_PARAMETERS)]
