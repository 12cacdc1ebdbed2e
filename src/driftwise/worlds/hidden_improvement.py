"""A change that shows only in an arm that nobody plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_integer, require_number
from .linear import LinearWorld
from .parts.rewards import RewardKind

__all__ = ["HiddenImprovement"]


class HiddenImprovement(LinearWorld):
    r"""A change that only an unplayed arm shows: the last arm, long poor, becomes the best.

    Of K arms the first always brings ``usual`` in expectation, the others ``poor``; from round
    ``time`` on the last one brings ``improved``. Who plays the first arm, the best until then, sees
    nothing of it.

    Parameters
    ----------
    horizon
        The number of rounds T.
    n_arms
        K, at least 2.
    time
        The first round of the improvement, from 2 on; just after half of the rounds by default.
        One after the horizon never comes.
    usual, poor, improved
        Expected rewards, with ``poor`` less than ``usual`` and that less than ``improved``.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.

    Notes
    -----
    No test for changes in what is played can find this change; only exploration that never ends
    does, and that is what it costs in all the rounds in which nothing changes.

    Examples
    --------
    >>> world = HiddenImprovement(horizon=1000, n_arms=3)
    >>> [chunk.means[0].tolist() for chunk in world.rounds(seed=0, size=500)]
    [[0.5, 0.3, 0.3], [0.5, 0.3, 0.8]]
    >>> world.number_of_changes(), world.realised_variation().arms
    (1, 0.5)
    """

    card: ClassVar[Card] = Card(
        source="the worst case of policies that detect changes",
        knows="",
        guarantee="Assumption 1 holds: the actions are basis vectors",
    )

    def __init__(
        self,
        *,
        horizon: int,
        n_arms: int = 2,
        time: int | None = None,
        usual: float = 0.5,
        poor: float = 0.3,
        improved: float = 0.8,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
    ) -> None:
        n_arms = require_integer("n_arms", n_arms, at_least=2)
        super().__init__(horizon=horizon, decision_set=np.eye(n_arms), noise=noise, rewards=rewards)
        self._time = 1 + self.horizon // 2
        if time is not None:
            self._time = require_integer("time", time, at_least=2, unit="rounds")
        self._usual = require_number("usual", usual)
        self._poor = require_number("poor", poor)
        self._improved = require_number("improved", improved)
        if not self._poor < self._usual < self._improved:
            raise RuleValueError(
                "poor",
                "be less than usual, and usual less than improved",
                self._poor,
                f"{self._poor}, {self._usual} and {self._improved}",
            )
        self._law.check(np.array([[self._poor, self._usual, self._improved]]), first=1)

    @property
    def time(self) -> int:
        """The first round of the improvement."""
        return self._time

    @property
    def usual(self) -> float:
        """What the first arm brings in expectation."""
        return self._usual

    @property
    def poor(self) -> float:
        """What the other arms bring in expectation, before the improvement."""
        return self._poor

    @property
    def improved(self) -> float:
        """What the last arm brings in expectation, from the improvement on."""
        return self._improved

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        for t in self.round_numbers(size):
            parameters = np.full((len(t), self.dimension), self._poor)
            parameters[:, 0] = self._usual
            parameters[t >= self._time, -1] = self._improved
            yield parameters
