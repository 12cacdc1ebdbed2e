"""A world made of a person's own arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.validation import LARGEST_PARAMETER, require_array
from .linear import LinearWorld
from .parts.blocks import Offer
from .parts.collecting import collected
from .parts.rewards import RewardKind

__all__ = ["World"]


class World(LinearWorld):
    r"""A world made of your own arrays.

    Parameters
    ----------
    parameters
        (T, d): row t is :math:`\theta_t`.
    decision_sets
        (K, d) if all rounds have the same actions; otherwise (T, K, d), or a sequence of T
        arrays (K_t, d) whose number of rows may differ.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.

    Notes
    -----
    Coordinates of actions may not exceed 1e30 in magnitude, parameters and noise 1e60: what an agent takes.

    The arrays are copied: later edits change nothing. If all rounds have equal decision sets, the
    world counts as one with a fixed `decision_set`: the numbers are the same, and policies can use
    the faster layouts that they have for actions known in advance.

    Examples
    --------
    >>> parameters = [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]
    >>> two, three = [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    >>> world = World(parameters=parameters, decision_sets=[two, three, two])
    >>> world.n_arms, world.decision_set
    (3, None)
    >>> chunk = next(world.rounds(seed=0, size=3))
    >>> chunk.sizes
    array([2, 3, 2])
    >>> chunk.means[1]
    array([0.2, 0.8, 0.5])
    """

    card: ClassVar[Card] = Card(
        source="your own arrays",
        knows="",
        guarantee="Assumption 1 holds if every action is a multiple of one vector of a fixed "
        "orthonormal basis",
    )

    def __init__(
        self,
        *,
        parameters: ArrayLike,
        decision_sets: ArrayLike | Sequence[ArrayLike],
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
    ) -> None:
        self._parameters = require_array(
            "parameters", parameters, shape=(None, None), largest=LARGEST_PARAMETER
        ).copy()
        horizon, dimension = self._parameters.shape
        self._actions, self._sizes = collected(decision_sets, horizon, dimension, "parameters")
        if len(self._actions) == 1:
            super().__init__(
                horizon=horizon, decision_set=self._actions[0], noise=noise, rewards=rewards
            )
        else:
            super().__init__(
                horizon=horizon,
                n_arms=self._actions.shape[1],
                dimension=dimension,
                noise=noise,
                rewards=rewards,
            )
        if rewards == "bernoulli":
            # All is known now, so a wrong probability is refused now.
            for _ in self._expectations(seed=0, size=max(1, 2**18 // self._actions[0].size)):
                pass

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        for first in range(0, self.horizon, size):
            yield self._parameters[first : first + size]

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield the decision sets of all rounds; they do not depend on ``seed``."""
        for first in range(0, self.horizon, size):
            yield self._actions[first : first + size], self._sizes[first : first + size]
