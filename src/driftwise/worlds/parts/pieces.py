"""Paths that stand still between jumps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.base.errors import RuleTypeError, RuleValueError
from ...core.base.validation import require_integer

__all__ = ["piecewise", "require_times"]


def piecewise(
    pieces: Iterable[NDArray[np.int64]], draw: Callable[[int], NDArray[np.float64]]
) -> Iterator[NDArray[np.float64]]:
    """Yield the parameters of blocks of rounds, given the number of the piece of each round.

    Pieces are numbered 0, 1, ... in the order of rounds. ``draw(n)`` returns the (n, d) parameters
    of the next n pieces: each is asked for once, and only the last is kept from block to block.

    Examples
    --------
    >>> numbers = iter([0.5, 0.7])
    >>> blocks = piecewise(
    ...     [np.array([0, 0]), np.array([0, 1])],
    ...     lambda n: np.array([[next(numbers)] for _ in range(n)]).reshape(n, 1),
    ... )
    >>> [block.tolist() for block in blocks]
    [[[0.5], [0.5]], [[0.5], [0.7]]]
    """
    known = draw(0)  # one row per piece; the last is of piece drawn - 1
    drawn = 0
    for piece in pieces:
        fresh = int(piece[-1]) + 1 - drawn
        known = np.concatenate([known[-1:], draw(fresh)])
        drawn += fresh
        yield known[piece - drawn + len(known)]


def require_times(name: str, times: Sequence[Any]) -> tuple[int, ...]:
    """Return the rounds in which a new piece begins, or say what is wrong with them.

    Examples
    --------
    >>> require_times("times", [10, 10])
    Traceback (most recent call last):
    driftwise...ValueError: times must be rounds from 2 on, each after the one before, got 10 after 10
    """
    if isinstance(times, str | bytes) or not isinstance(times, Sequence | np.ndarray):
        raise RuleTypeError(name, "be a sequence of rounds", times)
    last = 1
    checked: list[int] = []
    for index, each in enumerate(times):
        time = require_integer(f"{name}[{index}]", each, at_least=-(2**62))
        if time <= last:
            raise RuleValueError(
                name,
                "be rounds from 2 on, each after the one before",
                time,
                f"{time}{f' after {last}' if checked else ''}",
            )
        checked.append(time)
        last = time
    return tuple(checked)
