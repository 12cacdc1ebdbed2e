"""Replications on two cores against one: the engines of experiments, by the wall clock."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

import driftwise as dw
from driftwise.core.contract.rounds import Rounds
from driftwise.core.engine.simulate import CHUNK_ROUNDS
from driftwise.workers.engines import engine

from .child import run_child
from .floor import compiler, floor_on
from .measurement import Measurement, not_measured, of_ratio
from .timing import Ratio, ratio_of, seconds
from .workloads import LUCK, fixed_set

__all__ = ["measure", "replicate"]

# With two policies about as long as the shorter pieces that experiments hand out.
_HORIZON = 1_000_000
_REPLICATIONS = 32  # the paper has 100; of a few, the last to finish would count for much
_PAIRS = 9  # by the wall clock: whoever else is on the machine shows in most of them
_FLOOR_TIMES = 50  # as often as takes C about as long as a replication


def measure(cores: set[int]) -> Iterator[Measurement]:
    """Yield the gain from a second core, with threads and with processes."""
    for backend in ("threading", "loky"):
        key, work = (
            f"two_cores_{backend}",
            f"{_REPLICATIONS} replications, 1 core over 2, {backend}",
        )
        if len(cores) < 2:
            yield not_measured(key, work, "there is only one core")
            continue
        load = os.getloadavg()[0]
        answer, _ = run_child("-m", __spec__.name, backend, cores=set(sorted(cores)[-2:]))
        note = f"wall time; before it, {load:.1f} processes wanted to run on {len(cores)} cores"
        if backend == "threading":
            note += f"; a replication holds Python's lock for {100 * answer['locked']:.0f} % of its time"
        if answer["ceiling"] is not None:
            note += f"; two threads of C, by turns with it, gain {answer['ceiling']:.2f} x"
        yield of_ratio(key, work, Ratio(*answer["ratio"]), note=note)


def replicate(seed: int, chunk: int | None = None) -> float:
    """Play the paper's two policies once."""
    world = dw.worlds.Sinusoid(horizon=_HORIZON, variation=1.0, noise=0.1)
    window = dw.SlidingWindowUCB.tuned(horizon=_HORIZON, dimension=2, noise=0.1)
    bandit = dw.BanditOverBandit.tuned(horizon=_HORIZON, dimension=2, noise=0.1)
    policies: list[Any] = [window, bandit]
    runs = dw.simulate_all(policies, world, seed=seed, chunk=chunk)
    return sum((run.total_regret for run in runs), 0.0)


def _compare_cores(backend: str) -> tuple[Ratio, float | None]:
    """Return the gain, and that of C, by turns with it, which waits for no lock.

    Two cores may share caches, a clock, or even one core's arithmetic: then C gains less than 2, too.
    """
    has_floor = compiler() is not None
    times, floor_times = [], []
    for _ in range(_PAIRS + 1):
        times.append(_wall_times(backend, replicate))
        if has_floor:
            floor_times.append(_wall_times("threading", _play_floor))
    return ratio_of(times[1:]), ratio_of(floor_times[1:]).best if has_floor else None


def _wall_times(backend: str, play: Callable[[int], float]) -> tuple[float, float]:
    """Return how long all replications take on one core, and on two."""
    times = []
    for jobs in (1, 2):
        with engine(backend, jobs) as play_all:
            list(play_all(play, range(jobs)))  # workers are there, code is loaded
            start = time.perf_counter()
            list(play_all(play, range(_REPLICATIONS)))
            times.append(time.perf_counter() - start)
    return times[0], times[1]


def _play_floor(_: int) -> float:
    work = floor_on(_floor_rounds(), window=500, radius=1.0, luck=LUCK)
    return sum(work().regret for _ in range(_FLOOR_TIMES))


@cache
def _floor_rounds() -> Rounds:
    return fixed_set(100_000, np.eye(2))


def _locked_share() -> float:
    """Return the share of a replication that only one thread can be in at a time.

    The loop and NumPy's work on arrays leave Python's lock alone; what holds it is done once for
    each chunk of rounds, so its cost is the slope of CPU time over the number of chunks.
    """
    sizes = (1024, CHUNK_ROUNDS)
    short, normal = (seconds(lambda size=size: replicate(0, size), budget=2.0) for size in sizes)  # type: ignore[misc]  # bound on purpose
    n_short, n_normal = (_HORIZON / size for size in sizes)
    return (short - normal) / (n_short - n_normal) * n_normal / normal


if __name__ == "__main__":
    import sys

    # One job must not spread over two cores by other means.
    os.environ["NUMBA_NUM_THREADS"] = "1"
    ratio, ceiling = _compare_cores(sys.argv[1])
    print(json.dumps({"ratio": ratio, "ceiling": ceiling, "locked": _locked_share()}))
