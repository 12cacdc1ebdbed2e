"""Delays: how many rounds late the rewards of a run come. Written in NumPy, as worlds are.

Each is given to `driftwise.simulate`, or to a world by ``with_delay``. One of your own is an object
with a method ``draw``, see `driftwise.core.contract.delay.Delay`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .core.base.validation import require_between, require_integer, require_number
from .core.contract.delay import NEVER, Constant, Delay, Recorded, require_delay

__all__ = [
    "NEVER",
    "Batches",
    "Constant",
    "Delay",
    "Geometric",
    "HeavyTailed",
    "Missing",
    "Recorded",
]

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Geometric:
    r"""Every reward that is not here yet comes in the next round with the same probability.

    :math:`P(D \ge n) = (m / (1 + m))^n` for n = 0, 1, 2, ... with mean m.

    Parameters
    ----------
    mean
        The mean delay m in rounds; 0 or more, not necessarily an integer.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Sinusoid(horizon=1000, variation=1.0)
    >>> run = dw.simulate(dw.UCB1(), world, delay=dw.delays.Geometric(mean=20))
    >>> run.rounds[-1]
    np.int64(1000)
    """

    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", require_number("mean", self.mean, at_least=0.0))

    def draw(self, rounds: Integers, random: np.random.Generator) -> Integers:
        """Return the delays of some rounds."""
        return random.geometric(1.0 / (1.0 + self.mean), len(rounds)) - 1


@dataclass(frozen=True)
class HeavyTailed:
    r"""Most rewards come soon, and some extremely late: a Pareto law, rounded down.

    :math:`P(D \ge n) = (1 + n / s)^{-a}` for n = 0, 1, 2, ... with exponent a and the scale s with
    which half of all delays reach the median. There is no mean if a is at most 1.

    Parameters
    ----------
    median
        The number of rounds, above 0, that a delay reaches with probability one half.
    exponent
        The a above, at least 0.1; the smaller, the heavier the tail.

    Examples
    --------
    >>> delay = HeavyTailed(median=10)
    >>> delay.draw(np.arange(8), np.random.default_rng(0))
    array([ 9, 17,  0,  0,  7, 41,  9, 11])
    """

    median: float
    exponent: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "median", require_number("median", self.median, above=0.0))
        exponent = require_number("exponent", self.exponent, at_least=0.1)
        object.__setattr__(self, "exponent", exponent)

    def draw(self, rounds: Integers, random: np.random.Generator) -> Integers:
        """Return the delays of some rounds."""
        scale = self.median / math.expm1(math.log(2.0) / self.exponent)
        draws = np.minimum(random.pareto(self.exponent, len(rounds)), NEVER)  # some are infinite
        return np.minimum(scale * draws, NEVER).astype(np.int64)


class _Around:
    """What delays share that add something to another one."""

    delay: int | Delay

    @property
    def horizon(self) -> int | None:
        """The number of rounds, if it is limited."""
        return getattr(self.delay, "horizon", None)

    def _inner(self, rounds: Integers, random: np.random.Generator) -> Integers:
        return np.minimum(require_delay(self.delay).draw(rounds, random), NEVER)


@dataclass(frozen=True)
class Batches(_Around):
    """Rewards come together, at the end of every period.

    Parameters
    ----------
    period
        The rewards of rounds 1 to ``period`` are learnt after the choice of round ``period``, and
        so on.
    delay
        How many rounds late a reward is there for the next batch to take, or a law of it.

    Examples
    --------
    >>> Batches(period=4).draw(np.arange(8), np.random.default_rng(0))
    array([3, 2, 1, 0, 3, 2, 1, 0])
    >>> Batches(period=4, delay=2).draw(np.arange(8), np.random.default_rng(0))
    array([3, 2, 5, 4, 3, 2, 5, 4])
    """

    period: int
    delay: int | Delay = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", require_integer("period", self.period, at_most=NEVER))
        object.__setattr__(self, "delay", require_delay(self.delay))

    def draw(self, rounds: Integers, random: np.random.Generator) -> Integers:
        """Return the delays of some rounds."""
        ready = self._inner(rounds, random)
        return ready + (self.period - 1 - (rounds + ready) % self.period)


@dataclass(frozen=True)
class Missing(_Around):
    """Some rewards never come.

    Parameters
    ----------
    probability
        With which a reward never comes, in [0, 1]; each by itself.
    delay
        How many rounds late the others come, or a law of it.

    Examples
    --------
    >>> delay = Missing(probability=0.5, delay=3)
    >>> delay.draw(np.arange(6), np.random.default_rng(0)) == NEVER
    array([False,  True,  True,  True, False, False])
    """

    probability: float
    delay: int | Delay = 0

    def __post_init__(self) -> None:
        probability = require_between("probability", self.probability, 0.0, 1.0)
        object.__setattr__(self, "probability", probability)
        object.__setattr__(self, "delay", require_delay(self.delay))

    def draw(self, rounds: Integers, random: np.random.Generator) -> Integers:
        """Return the delays of some rounds."""
        is_missing = random.random(len(rounds)) < self.probability
        return np.where(is_missing, NEVER, self._inner(rounds, random))
