"""How many rounds late rewards come: what a delay must offer, and the simplest ones."""

from __future__ import annotations

import operator
import reprlib
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.validation import floats_in, require_integer

__all__ = ["NEVER", "Constant", "Delay", "Recorded", "require_delay"]

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


class Recorded:
    """Delays of your own records.

    ``delay=[2, 0, 1]`` means ``delay=Recorded([2, 0, 1])``.

    Parameters
    ----------
    rounds
        (T,): how many rounds late the reward of each round comes, an integer; infinite if never.

    Notes
    -----
    The array is copied: later edits change nothing.

    Examples
    --------
    >>> delay = Recorded([2, 0, np.inf])
    >>> delay
    Recorded(horizon=3)
    >>> delay.draw(np.arange(2), np.random.default_rng(0))
    array([2, 0])
    """

    def __init__(self, rounds: ArrayLike) -> None:
        try:
            array = floats_in(rounds)
            is_list = np.ndim(rounds) == 1 and array.size > 0
        except (TypeError, ValueError, OverflowError):
            is_list = False
        if not is_list:
            raise TypeError(f"rounds must be a list of integers, got {reprlib.repr(rounds)}")
        wrong = np.flatnonzero(~((array >= 0) & (array == np.floor(array))))
        if wrong.size:
            raise ValueError(
                f"rounds must be integers of at least 0, or infinite, got {array[wrong[0]]} "
                f"at index {wrong[0]}"
            )
        self._rounds: NDArray[np.int64] = np.minimum(array, NEVER).astype(np.int64)

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        return len(self._rounds)

    def draw(self, rounds: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
        """Return the delays of some rounds; draws nothing."""
        return self._rounds[rounds]

    def __repr__(self) -> str:
        return f"Recorded(horizon={self.horizon})"


def require_delay(delay: Any) -> Delay:
    """Return a delay, or a number of rounds or a list of them as one, or say that it is none.

    Examples
    --------
    >>> require_delay(100)
    Constant(rounds=100)
    >>> require_delay([3, 0, 1])
    Recorded(horizon=3)
    >>> require_delay(0.5)
    Traceback (most recent call last):
    TypeError: delay must be a number of rounds or a delay, such as delays.Geometric(100), got 0.5
    """
    if callable(getattr(delay, "draw", None)) and not isinstance(delay, type):
        return delay  # type: ignore[no-any-return]  # it is one, as far as one can tell
    if isinstance(delay, list | tuple) or getattr(delay, "ndim", 0) > 0:
        return Recorded(delay)
    try:
        operator.index(delay)
    except TypeError:
        raise TypeError(
            "delay must be a number of rounds or a delay, such as delays.Geometric(100), "
            f"got {delay!r}"
        ) from None
    return Constant(require_integer("delay", delay, at_least=0, at_most=NEVER))
