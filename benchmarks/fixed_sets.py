"""A decision set that never changes: scores kept up to date against scores recomputed."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from driftwise.core.contract.rounds import Rounds

from .measurement import Measurement, of_ratio
from .timing import compare, seconds
from .workloads import fixed_set, loop, window_policy

__all__ = ["measure", "rows_of"]

# Eight windows and more, so that a rebuild, which comes once in eight windows, is paid for.
_ROUNDS = 450
_WINDOW = 50


def rows_of(n_arms: int, dimension: int) -> Rounds:
    """Return rounds with one decision set that lies on no axes."""
    rng = np.random.default_rng(n_arms + dimension)
    rows = rng.standard_normal((n_arms, dimension)) / math.sqrt(dimension)
    return fixed_set(_ROUNDS, rows)


def measure() -> Iterator[Measurement]:
    """Yield the gain at one size, and how the cost grows in d and K."""
    policy = window_policy(window=_WINDOW)
    rounds = rows_of(1000, 50)
    ratio = compare(loop(policy, rounds, is_fixed=False), loop(policy, rounds), seconds=6.0)
    yield of_ratio(
        "fixed_set_gain",
        "fixed set, d = 50, K = 1000: scores recomputed over scores kept up to date",
        ratio,
        rounds=_ROUNDS,
    )
    for name, sizes in (("d", ((2000, 16), (2000, 64))), ("k", ((1000, 20), (8000, 20)))):
        cost = [seconds(loop(policy, rows_of(*size))) for size in sizes]
        steps = sizes[1][0] / sizes[0][0] * sizes[1][1] / sizes[0][1]
        yield Measurement(
            f"fixed_set_exponent_{name}",
            f"fixed set: exponent of {name.upper() if name == 'k' else name} in the cost of a round",
            math.log(cost[1] / cost[0]) / math.log(steps),
            "",
            note="; ".join(
                f"d = {d}, K = {k}: {1e6 * s / _ROUNDS:.3g} µs"
                for (k, d), s in zip(sizes, cost, strict=True)
            ),
        )
