"""Memory must not grow with the horizon."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from .child import run_child
from .measurement import Measurement

__all__ = ["measure"]

_SHORT = 1_000_000


def measure(horizon: int) -> Iterator[Measurement]:
    """Yield the largest resident memory over a horizon, in MB.

    The policy is the same over a short horizon: a window holds its rounds, however many there are.
    """
    tuned_for = str(horizon)
    # The compiler needs memory, too, if it has to run.
    run_child("-m", __spec__.name, str(_SHORT), tuned_for)
    short, _ = run_child("-m", __spec__.name, str(_SHORT), tuned_for)
    peak, spent = run_child("-m", __spec__.name, str(horizon), tuned_for, limit=3600.0)
    yield Measurement(
        "memory_peak",
        f"largest resident memory over {horizon:.0e} rounds of 2 arms, Python and all",
        peak,
        "MB",
        note=f"{short:.0f} MB over {_SHORT:.0e} rounds; {spent:.0f} s of CPU",
    )
    yield Measurement(
        "memory_growth",
        f"the same over that of {_SHORT:.0e} rounds",
        peak / short,
    )


def _peak(horizon: int, tuned_for: int) -> float:
    import driftwise as dw

    world = dw.worlds.Sinusoid(horizon=horizon, variation=1.0, noise=0.1)
    policy = dw.SlidingWindowUCB.tuned(horizon=tuned_for, dimension=2, variation=1.0, noise=0.1)
    dw.simulate(policy, world)
    # Not `getrusage`: its peak is handed down from the process that started this one.
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024.0


if __name__ == "__main__":
    print(json.dumps(_peak(*map(int, sys.argv[1:]))))
