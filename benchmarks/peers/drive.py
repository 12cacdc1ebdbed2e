"""Play one package's loop and print what a round costs; runs in the environment of that package."""

import importlib.util
import json
import os
import sys
import time
from importlib import metadata
from pathlib import Path

import numpy as np

_ROUNDS = 300
_SECONDS = 6.0  # at most, after the first block


def main() -> None:
    """Print the microseconds of a round, the best of many blocks of rounds, and the version."""
    path = Path(sys.argv[1])
    spec = importlib.util.spec_from_file_location(f"loop_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    loop = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loop)
    n_arms, dimension = 10, 10
    rng = np.random.default_rng(0)
    actions = rng.standard_normal((_ROUNDS, n_arms, dimension)) / np.sqrt(dimension)
    rewards = actions @ rng.standard_normal(dimension) / np.sqrt(dimension)
    rewards = (rewards + 0.1 * rng.standard_normal(rewards.shape)).tolist()
    play = loop.start(n_arms, dimension)
    for t in range(20):
        play(actions[t], rewards[t])
    best, deadline = float("inf"), time.monotonic() + _SECONDS
    while best == float("inf") or time.monotonic() < deadline:
        start = time.process_time()  # a package may work in threads of its own
        for t in range(_ROUNDS):
            play(actions[t], rewards[t])
        best = min(best, (time.process_time() - start) / _ROUNDS)
    version = metadata.version(loop.PACKAGE)
    print(json.dumps({"microseconds": 1e6 * best, "version": version, "remark": loop.REMARK}))


if __name__ == "__main__":
    # Threads for a product of ten numbers are a loss, and one core is what everyone gets.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    main()
