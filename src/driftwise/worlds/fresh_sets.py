"""Fresh actions in every round, in any dimension; a parameter that turns, jumps or walks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_array, require_integer, require_known, require_number
from ..core.randomness.seeds import generator
from .linear import LinearWorld
from .parts.blocks import Offer
from .parts.fresh_arms import fresh_arms
from .parts.norms import lengths
from .parts.pieces import piecewise
from .parts.turning import turn_per_round, turning
from .random_walk import RandomWalk

__all__ = ["FreshSets"]

Motion: TypeAlias = Literal["rotation", "jumps", "walk"]


class FreshSets(LinearWorld):
    r"""Fresh actions in every round, and a parameter in d dimensions that turns, jumps or walks.

    Every round draws new actions, uniformly in :math:`[-1, 1]^d`, scaled to norm 1 if longer.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension, n_arms
        The length d of an action, and how many each round offers.
    motion
        ``"rotation"``: around the origin at constant speed; ``"jumps"``: to a new random
        direction, at even distances; ``"walk"``: a random walk inside the unit ball.
    variation
        How far a rotation moves in total; what a walk moves by in total, on average, if no step is
        folded back; for jumps twice the number of pieces less one, each jump being at most 2.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    scales
        (d,): what each feature is multiplied by, and each coordinate of the parameter divided by: the
        same rewards with features in other units; 1 by default. ``variation`` is that before.

    Examples
    --------
    >>> world = FreshSets(horizon=1000, dimension=5, variation=4.0)
    >>> round(world.realised_variation().l2, 9)
    4.0
    >>> FreshSets(horizon=1000, motion="jumps", variation=4.0).number_of_changes()
    2
    """

    card: ClassVar[Card] = Card(
        source="driftwise; after Russac, Vernade, Cappé (NeurIPS 2019) in more dimensions",
        knows="",
        guarantee="Assumption 1 fails: the arms are redrawn in every round",
    )

    def __init__(
        self,
        *,
        horizon: int,
        dimension: int = 3,
        n_arms: int = 10,
        motion: Motion = "rotation",
        variation: float = 2.0,
        noise: float | None = None,
        scales: ArrayLike | None = None,
    ) -> None:
        dimension = require_integer("dimension", dimension, at_least=2)
        super().__init__(horizon=horizon, n_arms=n_arms, dimension=dimension, noise=noise)
        self._motion = require_known("motion", motion, get_args(Motion))
        self._budget = require_number("variation", variation, at_least=0.0)
        self._turn = turn_per_round(horizon=self.horizon, variation=self._budget, radius=1.0)
        self._scales: NDArray[np.float64] | None = None
        if scales is not None:
            self._scales = require_array("scales", scales, shape=(dimension,)).copy()
            if self._scales.min() <= 0.0:
                raise RuleValueError("scales", "be above 0", self._scales.min())

    @property
    def motion(self) -> str:
        """How the parameter moves."""
        return self._motion

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; those of a rotation do not depend on ``seed``."""
        if self._motion == "rotation":
            path = turning(
                self.round_numbers(size), dimension=self.dimension, turn=self._turn, radius=1.0
            )
        else:
            path = self._jumps(seed, size) if self._motion == "jumps" else self._walk(seed, size)
        return path if self._scales is None else (block / self._scales for block in path)

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield fresh arms for every round."""
        offers = fresh_arms(
            self.round_numbers(size), seed=seed, n_arms=self.n_arms, dimension=self.dimension
        )
        if self._scales is None:
            return offers
        return ((actions * self._scales, sizes) for actions, sizes in offers)

    def _jumps(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        random = generator(seed, "parameters")
        n_pieces = 1 + round(self._budget / 2.0)

        def draw(n: int) -> NDArray[np.float64]:
            directions = random.standard_normal((n, self.dimension))
            return directions / lengths(directions)[:, None]

        pieces = ((t - 1) * n_pieces // self.horizon for t in self.round_numbers(size))
        return piecewise(pieces, draw)

    def _walk(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        # A normal step of deviation s in d dimensions is about s sqrt(d) long.
        step = self._budget / (max(1, self.horizon - 1) * np.sqrt(self.dimension))
        start = np.full(self.dimension, 0.5 / np.sqrt(self.dimension))
        walk = RandomWalk(
            horizon=self.horizon, dimension=self.dimension, step=float(step), start=start
        )
        return walk.path(seed, size)
