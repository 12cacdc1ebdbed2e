"""Two actions that are nearly parallel: where the paper's first lemma fails without its assumption."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.validation import require_fraction, require_integer
from .linear import LinearWorld

__all__ = ["NearlyCollinear"]


class NearlyCollinear(LinearWorld):
    r"""Two actions that are nearly parallel, and a parameter that jumps along one of them.

    The actions are :math:`e_1` and :math:`x = (\sqrt{1 - \varepsilon^2}, \varepsilon)`. In turn

    .. math:: \theta_t = x / 2 \;\text{ for } n \text{ rounds,} \qquad
              \theta_t = -x / 2 \;\text{ for } m \text{ rounds.}

    The best action is x in the first phase and :math:`e_1` in the second.

    Parameters
    ----------
    horizon
        The number of rounds T.
    offset
        :math:`\varepsilon` in (0, 1).
    first_phase
        n; about :math:`1 / \varepsilon^2`, the worst case for a ridge of 1, by default.
    second_phase
        m; 100 times as many rounds as the first phase by default.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.

    Notes
    -----
    Lemma 1 of the paper bounds the bias of the windowed least squares by the drift in the window:
    :math:`\|V^{-1} A \, u\| \le \|u\|`, where A is the sum of :math:`X X^\top` before a jump
    by u, and V that of the whole window plus the ridge. This needs Assumption 1. Whoever plays the
    best action of every round here has, with the defaults and a ridge of 1, a bias of 4.975 for a
    jump of length 1 at the end of the second phase; as :math:`\varepsilon` shrinks, the factor
    grows like :math:`1 / (2 \varepsilon)`.

    What is wrong is the estimate, in the direction that is hardly ever seen. As the two actions
    hardly differ in it, little is lost by it here: at most :math:`\varepsilon^2 / 2` a round.

    References
    ----------
    Zhao, Zhang: Non-stationary Linear Bandits Revisited. 2021 (the gap); Touati, Vincent: Efficient
    Learning in Non-Stationary Linear Markov Decision Processes. 2020 (likewise). The example is ours.

    Examples
    --------
    >>> world = NearlyCollinear(horizon=30_000)
    >>> world.first_phase, world.second_phase, world.satisfies_assumption_one()
    (100, 10000, False)
    >>> world.number_of_changes(), round(world.realised_variation().l2, 9)
    (5, 5.0)
    """

    card: ClassVar[Card] = Card(
        source="a counterexample to Lemma 1 without Assumption 1; the gap: Zhao, Zhang (2021)",
        knows="",
        guarantee="Assumption 1 fails, and with it Lemma 1",
    )

    def __init__(
        self,
        *,
        horizon: int,
        offset: float = 0.1,
        first_phase: int | None = None,
        second_phase: int | None = None,
        noise: float | None = None,
    ) -> None:
        self._offset = require_fraction("offset", offset)
        if first_phase is None:
            first_phase = math.ceil(1.0 / (self._offset * self._offset) - 1e-9)
        self._first_phase = require_integer("first_phase", first_phase, unit="round")
        if second_phase is None:
            second_phase = 100 * self._first_phase
        self._second_phase = require_integer("second_phase", second_phase, unit="round")
        self._action = np.array([math.sqrt(1.0 - self._offset * self._offset), self._offset])
        super().__init__(
            horizon=horizon, decision_set=np.stack([[1.0, 0.0], self._action]), noise=noise
        )

    @property
    def offset(self) -> float:
        """The second coordinate of the action that is not on the axis."""
        return self._offset

    @property
    def first_phase(self) -> int:
        """The number of rounds in which the action off the axis is best."""
        return self._first_phase

    @property
    def second_phase(self) -> int:
        """The number of rounds in which the action on the axis is best."""
        return self._second_phase

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        cycle = self._first_phase + self._second_phase
        for t in self.round_numbers(size):
            is_first = (t - 1) % cycle < self._first_phase
            yield np.where(is_first, 0.5, -0.5)[:, None] * self._action
