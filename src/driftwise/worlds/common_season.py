"""A season that all arms share: every reward moves, and the best arm stays the best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.validation import require_array, require_integer, require_number
from .linear import LinearWorld
from .parts.rewards import RewardKind
from .parts.waves import Wave

__all__ = ["CommonSeason"]


class CommonSeason(LinearWorld):
    r"""A season that all arms share: every reward moves, and the best arm stays the best.

    .. math:: \theta_{t,i} = l_i + a \sin(2 \pi t / P)

    Parameters
    ----------
    horizon
        The number of rounds T.
    levels
        (K,): what each arm brings in expectation, over a full season.
    amplitude
        The most a that the season adds or takes.
    period
        The number of rounds P of a season.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.

    Notes
    -----
    Days of the week and holidays move all sales at once. Nothing need be learnt anew, yet to every
    policy the rewards look as if something had changed.

    Examples
    --------
    >>> world = CommonSeason(horizon=1000, period=500)
    >>> sorted({int(arm) for chunk in world.rounds(0, 100) for arm in chunk.means.argmax(axis=1)})
    [2]
    """

    card: ClassVar[Card] = Card(
        source="a season in what all arms share",
        knows="",
        guarantee="Assumption 1 holds: the actions are basis vectors",
    )

    def __init__(
        self,
        *,
        horizon: int,
        levels: Sequence[float] = (0.4, 0.5, 0.6),
        amplitude: float = 0.3,
        period: int = 1000,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
    ) -> None:
        self._levels = require_array("levels", levels, shape=(None,)).copy()
        self._amplitude = require_number("amplitude", amplitude, at_least=0.0)
        self._period = require_integer("period", period, unit="round")
        super().__init__(
            horizon=horizon, decision_set=np.eye(len(self._levels)), noise=noise, rewards=rewards
        )
        ends = [self._levels - self._amplitude, self._levels + self._amplitude]
        self._law.check(np.array(ends), first=1)

    @property
    def amplitude(self) -> float:
        """The most that the season adds or takes."""
        return self._amplitude

    @property
    def period(self) -> int:
        """The number of rounds of a season."""
        return self._period

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        wave = Wave(2.0 * math.pi / self._period)
        for t in self.round_numbers(size):
            yield self._levels + self._amplitude * wave.sines(t)[:, None]
