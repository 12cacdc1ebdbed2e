"""Decision sets for which the paper's assumption holds, and which are no K-armed bandit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.validation import require_integer, require_number
from ..core.randomness.seeds import generator
from .linear import LinearWorld
from .parts.blocks import Offer
from .parts.means import expected_rewards
from .parts.turning import turn_per_round, turning

__all__ = ["OrthogonalSets"]

_RADIUS = 1.0


class OrthogonalSets(LinearWorld):
    r"""Decision sets on the axes of a rotated basis, other ones in every round.

    The seed draws an orthonormal basis :math:`\psi_1, \dots, \psi_d`. Each round offers from 2
    to K actions :math:`z \psi_i`, each with its own :math:`i`, uniform in 1..d, and z, uniform in
    [0, 1]. The parameter turns on a circle of radius 1 that has a part along every axis:

    .. math:: \theta_t = \sum_i c_{t,i} \, \psi_i, \qquad
              c_{t,i} = \sqrt{2/d} \, \sin(\delta t + \pi (i - 1) / d).

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        d, at least 2.
    n_arms
        The largest number K of actions of a round, at least 2.
    variation
        The variation :math:`B_T`, which is met exactly; the speed :math:`\delta` follows from it.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.

    Notes
    -----
    Assumption 1 asks for actions on the axes of one orthonormal basis, which the policy need not
    know. It covers more than bandits with K arms: here neither the axes are those of the
    coordinates, nor do sets, their sizes or the lengths of actions stay the same.

    References
    ----------
    Cheung, Simchi-Levi, Zhu: Learning to Optimize under Non-Stationarity. AISTATS 2019,
    Assumption 1; after Faury, Russac, Abeille, Calauzènes, 2021.

    Examples
    --------
    >>> world = OrthogonalSets(horizon=1000, variation=2.0)
    >>> round(world.realised_variation().l2, 9), world.satisfies_assumption_one()
    (2.0, True)
    >>> np.unique(next(world.rounds(seed=0, size=100)).sizes).tolist()
    [2, 3, 4, 5]
    """

    card: ClassVar[Card] = Card(
        source="Cheung, Simchi-Levi, Zhu (AISTATS 2019), Assumption 1",
        knows="",
        guarantee="Assumption 1 holds, with axes that the policy is not told",
    )

    def __init__(
        self,
        *,
        horizon: int,
        dimension: int = 3,
        n_arms: int = 5,
        variation: float = 1.0,
        noise: float | None = None,
    ) -> None:
        super().__init__(
            horizon=horizon,
            n_arms=require_integer("n_arms", n_arms, at_least=2),
            dimension=require_integer("dimension", dimension, at_least=2),
            noise=noise,
        )
        self._variation = require_number("variation", variation, at_least=0.0)
        self._turn = turn_per_round(horizon=self.horizon, variation=self._variation, radius=_RADIUS)

    @property
    def variation(self) -> float:
        """The variation B_T."""
        return self._variation

    def satisfies_assumption_one(self, seed: int = 0, *, rounds: int = 1000) -> bool:
        """Return true: by construction, in every round."""
        return True

    def axes(self, seed: int) -> NDArray[np.float64]:
        """Return the orthonormal basis, one vector per row."""
        random = generator(seed, "axes")
        square = random.standard_normal((self.dimension, self.dimension))
        basis, triangle = np.linalg.qr(square)
        # The signs make it uniform among all rotations and reflections.
        return np.ascontiguousarray((basis * np.sign(np.diag(triangle))).T)

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; the seed decides the axes."""
        columns = self.axes(seed).T[None]
        for coefficients in turning(
            self.round_numbers(size), dimension=self.dimension, turn=self._turn, radius=_RADIUS
        ):
            # Coordinate j of theta is the inner product of c with column j of the axes.
            yield expected_rewards(columns, coefficients)

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield from 2 to K actions for every round."""
        axes = self.axes(seed)
        which, how_long = generator(seed, "which axes"), generator(seed, "lengths of actions")
        how_many = generator(seed, "sizes of decision sets")
        for t in self.round_numbers(size):
            shape = (len(t), self.n_arms)
            # Each uniform number is one step of its stream, so it does not matter how they are cut.
            row = (which.random(shape) * self.dimension).astype(np.int64)
            sizes = 2 + (how_many.random(len(t)) * (self.n_arms - 1)).astype(np.int64)
            yield how_long.random(shape)[:, :, None] * axes[row], sizes
