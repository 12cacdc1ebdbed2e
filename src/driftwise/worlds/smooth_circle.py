"""A parameter that walks a quarter of the unit circle, then stops: an experiment of Russac et al."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_integer, require_number
from .circle import Circle
from .parts.waves import Wave

__all__ = ["SmoothCircle"]


class SmoothCircle(Circle):
    r"""A parameter that walks on the unit circle, then stops, while every round brings fresh arms.

    .. math:: \theta_t = (\cos \varphi_t, \sin \varphi_t), \qquad
              \varphi_t = \varphi \, \min\{1, (t - 1) / n\}.

    Every round draws new actions, uniformly in :math:`[-1, 1]^2`, scaled to norm 1 if longer.

    Parameters
    ----------
    horizon
        The number of rounds T; 6000 in the paper.
    n_arms
        How many actions each round offers; 50 in the paper.
    noise
        The standard deviation of Gaussian noise; 1, as in the paper, by default.
    angle
        The total angle :math:`\varphi`; a quarter of a turn in the paper.
    moving_rounds
        How many steps n the angle takes; 3000 in the paper. A path cut short by the horizon does
        not reach the total angle.

    Notes
    -----
    The authors' code counts rounds from 0, moves while t <= 3000, and leaves the last of the 3000
    steps out of its variation of 1.5703; with it, the variation is 1.5708.

    References
    ----------
    Russac, Vernade, Cappé: Weighted Linear Bandits for Non-Stationary Environments. NeurIPS 2019,
    Section 5, and the authors' code.

    Examples
    --------
    >>> world = SmoothCircle(horizon=6000)
    >>> round(world.realised_variation().l2, 4), world.number_of_changes()
    (1.5708, 3000)
    >>> world.n_arms, world.noise, world.satisfies_assumption_one()
    (50, 1.0, False)
    """

    card = Circle.card._replace(source=f"{Circle.card.source}, slowly varying experiment")

    def __init__(
        self,
        *,
        horizon: int = 6000,
        n_arms: int = 50,
        noise: float | None = None,
        angle: float = math.pi / 2,
        moving_rounds: int = 3000,
    ) -> None:
        super().__init__(horizon=horizon, n_arms=n_arms, noise=noise)
        self._angle = require_number("angle", angle)
        self._moving_rounds = require_integer("moving_rounds", moving_rounds, unit="round")

    @property
    def angle(self) -> float:
        """The total angle."""
        return self._angle

    @property
    def moving_rounds(self) -> int:
        """The number of steps that the angle takes."""
        return self._moving_rounds

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        n = self._moving_rounds
        wave = Wave(self._angle / n)
        for t in self.round_numbers(size):
            steps = t - 1
            parameters = np.empty((len(t), 2))
            parameters[:] = math.cos(self._angle), math.sin(self._angle)
            moving = steps[steps < n]
            parameters[: len(moving), 0] = wave.cosines(moving)
            parameters[: len(moving), 1] = wave.sines(moving)
            yield parameters
