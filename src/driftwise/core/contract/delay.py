"""How many rounds late rewards come: what a delay must offer, and the simplest one."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..base.validation import require_integer

__all__ = ["NEVER", "Constant", "Delay", "require_delay"]

NEVER = 2**62  # a delay that no run is long enough for, and that added to a round is still an int64


class Delay(Protocol):
    """A law of how many rounds late rewards come, which looks neither at policy nor at world.

    A delay that is known for some rounds only says for how many in an attribute ``horizon``, which
    then must be that of the world.
    """

    def draw(self, rounds: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
        """Return the delays of some consecutive rounds, counted from 0; `NEVER` for no reward.

        Rounds come in order and in blocks that do not depend on how a run is cut, so any numbers
        may be drawn, in any order, and nothing else.
        """


@dataclass(frozen=True)
class Constant:
    """All rewards come the same number of rounds late.

    ``delay=100`` means ``delay=Constant(100)``.

    Parameters
    ----------
    rounds
        The reward of round t is learnt after the choice of round t + ``rounds``.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Stationary(horizon=5000, parameter=[0.5, 0.6])
    >>> at_once, late = dw.simulate(dw.UCB1(), world), dw.simulate(dw.UCB1(), world, delay=500)
    >>> at_once.total_regret < late.total_regret
    True
    """

    rounds: int

    def __post_init__(self) -> None:
        rounds = require_integer("rounds", self.rounds, at_least=0, at_most=NEVER)
        object.__setattr__(self, "rounds", rounds)

    def draw(self, rounds: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
        """Return the delays of some rounds; draws nothing."""
        return np.full(len(rounds), self.rounds, dtype=np.int64)


def require_delay(delay: Any) -> Delay:
    """Return a delay, or a number of rounds as one, or say that it is neither.

    Examples
    --------
    >>> require_delay(100)
    Constant(rounds=100)
    >>> require_delay(0.5)
    Traceback (most recent call last):
    TypeError: delay must be a number of rounds or a delay, such as delays.Geometric(100), got 0.5
    """
    if callable(getattr(delay, "draw", None)) and not isinstance(delay, type):
        return delay  # type: ignore[no-any-return]  # it is one, as far as one can tell
    try:
        operator.index(delay)
    except TypeError:
        raise TypeError(
            "delay must be a number of rounds or a delay, such as delays.Geometric(100), "
            f"got {delay!r}"
        ) from None
    return Constant(require_integer("delay", delay, at_least=0, at_most=NEVER))
