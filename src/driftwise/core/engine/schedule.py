"""When rewards that come late are learnt: the same for all policies of a run, so worked out once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contract.delay import NEVER, Delay
from ..randomness.seeds import generator

__all__ = ["Arrivals", "Schedule"]

Integers = NDArray[np.int64]

_BLOCK = 4096  # rounds whose delays are drawn at once, whatever the chunk; another changes results


class Arrivals(NamedTuple):
    """What arrives in the rounds of one chunk.

    Decisions that may still be learnt have rows: first those that were waiting before, then one for
    each round of the chunk.
    """

    staying: Integers  # (m,): which rows of the chunk before wait on, and are rows 0 to m - 1 now
    order: Integers  # (a,): the rows whose rewards arrive, in the order in which they are learnt
    decided: Integers  # (a,): the round, from 0, in which each of them was decided
    ends: Integers  # (n,): how many of them have arrived after the choice of each round
    n_followed: int  # how many rounds of the chunk, n or n - 1, have another one after them


class Schedule:
    """The arrivals of a run, chunk by chunk.

    The reward of round t with delay D is learnt after the choice of round t + D; of rewards that
    arrive together the one that was decided first comes first. What would arrive after the horizon
    is forgotten at the end of its chunk, so that memory grows with what is in flight only.
    """

    def __init__(self, delay: Delay, horizon: int, seed: int) -> None:
        length = getattr(delay, "horizon", None)
        if length not in (None, horizon):
            raise ValueError(f"delay must have {horizon} rounds, as the world has, got {length}")
        self._delay, self._horizon = delay, horizon
        self._random = generator(seed, "delay")
        self._first = 0  # of the next chunk
        self._drawn: Integers = np.empty(0, np.int64)  # delays of the rounds from there on
        self._staying: Integers = np.empty(0, np.int64)
        self._decided: Integers = np.empty(0, np.int64)  # of what stays
        self._arriving: Integers = np.empty(0, np.int64)  # of what stays

    def next_chunk(self, n_rounds: int) -> Arrivals:
        """Return what arrives in the next rounds."""
        new = np.arange(self._first, self._first + n_rounds)
        decided = np.concatenate([self._decided, new])
        arriving = np.concatenate([self._arriving, new + self._delays(n_rounds)])
        self._first += n_rounds
        now = np.flatnonzero(arriving < self._first)
        # Rows are in the order of decisions, and a stable sort leaves those that arrive together so.
        order = now[np.argsort(arriving[now], kind="stable")]
        ends = np.searchsorted(arriving[order], new, side="right")
        n_followed = min(n_rounds, n_rounds + self._horizon - 1 - self._first)
        arrivals = Arrivals(self._staying, order, decided[order], ends, n_followed)
        self._staying = np.flatnonzero((arriving >= self._first) & (arriving < self._horizon))
        self._decided, self._arriving = decided[self._staying], arriving[self._staying]
        return arrivals

    def _delays(self, n_rounds: int) -> Integers:
        while len(self._drawn) < n_rounds:
            first = self._first + len(self._drawn)
            rounds = np.arange(first, min(first + _BLOCK, self._horizon))
            drawn = _checked(self._delay.draw(rounds, self._random), len(rounds))
            self._drawn = np.concatenate([self._drawn, drawn])
        delays, self._drawn = self._drawn[:n_rounds], self._drawn[n_rounds:]
        return delays


def _checked(delays: Any, n_rounds: int) -> Integers:
    array: Integers = np.asarray(delays)
    if array.dtype.kind not in "iu" or array.shape != (n_rounds,):
        raise TypeError(
            f"delay must draw integers of shape ({n_rounds},), got {array.dtype} of {array.shape}"
        )
    if array.min() < 0:
        raise ValueError(f"delay must draw integers of at least 0, got {array.min()}")
    return np.minimum(array, NEVER).astype(np.int64)
