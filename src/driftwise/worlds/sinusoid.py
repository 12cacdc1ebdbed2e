"""Two arms that take turns at being the better one, along a sine: the paper's experiment."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.validation import require_number
from .linear import LinearWorld
from .parts.rewards import RewardKind
from .parts.waves import Wave

__all__ = ["Sinusoid"]


class Sinusoid(LinearWorld):
    r"""Two arms that take turns at being the better one, along a sine.

    .. math:: \theta_t = \begin{pmatrix}
                0.5 + 0.3 \sin(f B_T \pi t / T) \\
                0.5 + 0.3 \sin(\pi + f B_T \pi t / T) \end{pmatrix},
                \qquad t = 1, \dots, T,

    on the two basis vectors of the plane.

    Parameters
    ----------
    horizon
        The number of rounds T.
    variation
        The nominal variation :math:`B_T`; see Notes for what it amounts to.
    noise
        The standard deviation of Gaussian noise; 0.1, as in the paper, by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.
    factor
        f: 5 as printed in the paper; 5/3 as normalised by Besbes, Gur and Zeevi.

    Notes
    -----
    The paper says that the total variation is at most :math:`\sqrt 2 B_T`. With the factor 5 that
    it prints, the :math:`\ell_2` variation is :math:`3 \sqrt 2 B_T`, and the largest move of an
    arm adds up to :math:`3 B_T`; a factor of 5/3 gives :math:`\sqrt 2 B_T` and :math:`B_T`. This
    is exact in the limit of many rounds if :math:`f B_T` is an integer number of half turns, and
    otherwise off by less than 0.1. `realised_variation` measures it.

    References
    ----------
    Cheung, Simchi-Levi, Zhu: Learning to Optimize under Non-Stationarity. AISTATS 2019, Section 7.

    Examples
    --------
    >>> world = Sinusoid(horizon=30_000)
    >>> [round(total, 3) for total in world.realised_variation()]
    [4.242, 3.0]
    >>> chunk = next(world.rounds(seed=0, size=3_000))
    >>> chunk.means[-1].round(3)  # a quarter of a turn
    array([0.8, 0.2])
    """

    card: ClassVar[Card] = Card(
        source="Cheung, Simchi-Levi, Zhu (AISTATS 2019), experiments",
        knows="",
        guarantee="Assumption 1 holds: the actions are two basis vectors",
    )

    def __init__(
        self,
        *,
        horizon: int,
        variation: float = 1.0,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
        factor: float = 5.0,
    ) -> None:
        super().__init__(horizon=horizon, decision_set=np.eye(2), noise=noise, rewards=rewards)
        self._variation = require_number("variation", variation, at_least=0.0)
        self._factor = require_number("factor", factor, above=0.0)

    @property
    def variation(self) -> float:
        """The nominal variation B_T that the formula is given."""
        return self._variation

    @property
    def factor(self) -> float:
        """The factor f of the angle."""
        return self._factor

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        turn = self._factor * self._variation * math.pi / self._horizon
        is_kept = size <= _KEPT_SIZE and self._horizon <= _KEPT_BLOCKS * _KEPT_SIZE
        block = _kept_parameters if is_kept else _parameters
        for first in range(1, self._horizon + 1, size):
            yield block(turn, first, min(size, self._horizon + 1 - first))


# All replications have the same path. A short one is kept, 16 megabytes at most, where it comes in
# blocks as `simulate` asks for; the memory for a long one must not grow with it.
_KEPT_SIZE, _KEPT_BLOCKS = 2**16, 16


def _parameters(turn: float, first: int, count: int) -> NDArray[np.float64]:
    swing = 0.3 * _wave(turn).sines(np.arange(first, first + count))
    parameters = np.empty((count, 2))
    parameters[:, 0] = 0.5 + swing
    parameters[:, 1] = 0.5 - swing  # sin(pi + a) = -sin(a)
    parameters.flags.writeable = False
    return parameters


_kept_parameters = lru_cache(maxsize=_KEPT_BLOCKS)(_parameters)
_wave = lru_cache(maxsize=2)(Wave)
