"""CPU time as ratios: two pieces of work in turn, many times, best against best."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["Ratio", "Work", "compare", "pin", "ratio_of", "seconds"]

Work = Callable[[], object]

_LEAST_SECONDS = 0.004  # shorter work is repeated: the clock of the processor has its own grain


class Ratio(NamedTuple):
    """How long one piece of work takes over another."""

    best: float  # the fastest of one over the fastest of the other: what the budget is held to
    lower: float  # quartiles of the ratios of neighbours in time
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
    fastest of many is near the truth; and what comes close together in time suffers alike, so the
    quartiles of the pairs' ratios say how far to trust it.
    """
    repeats = [_repeats(work) for work in (first, second)]
    times: list[tuple[float, float]] = []
    deadline = time.monotonic() + seconds
    while len(times) < 5 or (time.monotonic() < deadline and len(times) < pairs):
        one = seconds_of(first, repeats[0])
        times.append((one, seconds_of(second, repeats[1])))
    return ratio_of(times)


def ratio_of(times: list[tuple[float, float]]) -> Ratio:
    """Return the ratio of the best times, and the spread of the pairs' ratios."""
    one, other = np.array(times).T
    lower, upper = np.quantile(one / other, [0.25, 0.75])
    best = one.min(), other.min()
    return Ratio(best[0] / best[1], float(lower), float(upper), float(best[0]), float(best[1]))


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
