"""CPU time as ratios: two pieces of work in turn, many times, best against best."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["Ratio", "Work", "compare", "pin", "ratio_of", "seconds"]

Work = Callable[[], object]

_PARTS = 5  # to take a ratio in, for its spread
_LEAST_SECONDS = 0.004  # shorter work is repeated: the clock of the processor has its own grain


class Ratio(NamedTuple):
    """How long one piece of work takes over another."""

    best: float  # the fastest of one over the fastest of the other: what the budget is held to
    lower: float  # the same within each fifth of the time: the least, and the largest
    upper: float
    seconds: float  # of the first, at its fastest
    other_seconds: float


def pin() -> int:
    """Keep this process, and those it starts, on one core; return which."""
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def compare(first: Work, second: Work, *, seconds: float = 4.0, pairs: int = 400) -> Ratio:
    """Run two pieces of work in turn, for so many seconds or pairs, whichever ends first.

    Others may use the machine at the same time. They can make work slower, never faster, so the
    fastest of many is near the truth; how far to trust it is told by what a fifth of the time
    would have said.
    """
    repeats = [_repeats(work) for work in (first, second)]
    times: list[tuple[float, float]] = []
    deadline = time.monotonic() + seconds
    while len(times) < _PARTS or (time.monotonic() < deadline and len(times) < pairs):
        one = seconds_of(first, repeats[0])
        times.append((one, seconds_of(second, repeats[1])))
    return ratio_of(times)


def ratio_of(times: list[tuple[float, float]]) -> Ratio:
    """Return the ratio of the best times, and the spread of what parts of the times say.

    The ratio lies within that spread: in the part with the best time of the one, the other is no
    better than at its best, and the other way round.
    """
    bests = [part.min(axis=0) for part in np.array_split(times, _PARTS) if len(part)]
    parts = [one / other for one, other in bests]
    one, other = np.min(bests, axis=0)
    return Ratio(*map(float, (one / other, min(parts), max(parts), one, other)))


def seconds(work: Work, *, budget: float = 1.0) -> float:
    """Return the CPU time of some work, at its fastest within so many seconds."""
    repeats = _repeats(work)
    deadline, best = time.monotonic() + budget, float("inf")
    while best == float("inf") or time.monotonic() < deadline:
        best = min(best, seconds_of(work, repeats))
    return best


def seconds_of(work: Work, repeats: int) -> float:
    """Return the mean CPU time of this thread over some repetitions."""
    start = time.thread_time()
    for _ in range(repeats):
        work()
    return (time.thread_time() - start) / repeats


def _repeats(work: Work) -> int:
    work()  # compiles, fills caches
    once = seconds_of(work, 1)
    return max(1, round(_LEAST_SECONDS / max(once, 1e-7)))
