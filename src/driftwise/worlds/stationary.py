"""A world that stands still: what a policy for drift pays when there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.validation import require_array
from .linear import LinearWorld
from .parts.basis import actions_or_basis
from .parts.means import expected_rewards
from .parts.rewards import RewardKind

__all__ = ["Stationary"]


class Stationary(LinearWorld):
    r"""A world that stands still: the same parameter in every round.

    Parameters
    ----------
    horizon
        The number of rounds T.
    parameter
        The (d,) parameter :math:`\theta`.
    decision_set
        The (K, d) actions; the d basis vectors, that is a d-armed bandit, by default.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.

    Examples
    --------
    >>> world = Stationary(horizon=1000, parameter=[0.2, 0.9], rewards="bernoulli")
    >>> world.realised_variation()
    Variation(l2=0.0, arms=0.0)
    >>> next(world.rounds(seed=0, size=1)).means
    array([[0.2, 0.9]])
    """

    card: ClassVar[Card] = Card(
        source="the textbook case",
        knows="",
        guarantee="Assumption 1 holds unless decision_set breaks it; without drift it is not needed",
    )

    def __init__(
        self,
        *,
        horizon: int,
        parameter: ArrayLike,
        decision_set: ArrayLike | None = None,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
    ) -> None:
        self._parameter = require_array("parameter", parameter, shape=(None,)).copy()
        actions = actions_or_basis(decision_set, len(self._parameter))
        super().__init__(horizon=horizon, decision_set=actions, noise=noise, rewards=rewards)
        self._law.check(expected_rewards(actions[None], self._parameter[None]), first=1)

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        for t in self.round_numbers(size):
            yield np.broadcast_to(self._parameter, (len(t), self.dimension))
