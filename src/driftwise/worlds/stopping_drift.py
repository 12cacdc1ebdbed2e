"""Drift that stops: all of the variation at the start, and then none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.validation import require_fraction
from .linear import LinearWorld
from .parts.rewards import RewardKind
from .sinusoid import Sinusoid

__all__ = ["StoppingDrift"]


class StoppingDrift(LinearWorld):
    r"""Two arms that take turns along a sine in the first rounds, then stand still.

    .. math:: \theta_t = \begin{pmatrix}
                0.5 + 0.3 \sin(f B_T \pi s / n) \\
                0.5 - 0.3 \sin(f B_T \pi s / n) \end{pmatrix},
                \qquad s = \min\{t, n\},

    that is `Sinusoid` with all of its variation in the first n rounds.

    Parameters
    ----------
    horizon
        The number of rounds T.
    variation
        The nominal variation :math:`B_T`; see `Sinusoid` for what it amounts to.
    moving
        The share n / T of the rounds in which the parameter moves; n is rounded, and at least 1.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.
    factor
        f. The default 5/3 lets the largest move of an arm add up to :math:`B_T`; 5 is what
        `Sinusoid` has.

    Notes
    -----
    A budget does not say when it is spent: tuned to the same variation, a policy meets the same
    window here as on the sinusoid, too long while all moves and too short afterwards. The default
    of a third, and the idea, follow an experiment of Besbes, Gur and Zeevi that is known to us by
    description only.

    References
    ----------
    Besbes, Gur, Zeevi: Optimal Exploration-Exploitation in a Multi-armed Bandit Problem with
    Non-stationary Rewards. Stochastic Systems 2019.

    Examples
    --------
    >>> world = StoppingDrift(horizon=30_000, variation=3.0)
    >>> world.number_of_changes(), round(world.realised_variation().arms, 3)
    (9999, 3.0)
    """

    card: ClassVar[Card] = Card(
        source="after Besbes, Gur, Zeevi (Stochastic Systems 2019)",
        knows="",
        guarantee="Assumption 1 holds: the actions are two basis vectors",
    )

    def __init__(
        self,
        *,
        horizon: int,
        variation: float = 1.0,
        moving: float = 1 / 3,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
        factor: float = 5 / 3,
    ) -> None:
        super().__init__(horizon=horizon, decision_set=np.eye(2), noise=noise, rewards=rewards)
        self._moving = require_fraction("moving", moving, inclusive=True)
        n = max(1, round(self._moving * self.horizon))
        self._drift = Sinusoid(horizon=n, variation=variation, factor=factor)

    @property
    def variation(self) -> float:
        """The nominal variation B_T that the formula is given."""
        return self._drift.variation

    @property
    def moving(self) -> float:
        """The share of the rounds in which the parameter moves."""
        return self._moving

    @property
    def factor(self) -> float:
        """The factor f of the angle."""
        return self._drift.factor

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        done = 0
        for block in self._drift.path(seed, size):
            yield block
            done += len(block)
            last = block[-1].copy()
        while done < self.horizon:
            n = min(size, self.horizon - done)
            yield np.broadcast_to(last, (n, 2))
            done += n
