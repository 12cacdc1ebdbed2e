"""Large decision sets against the one thing that cannot be avoided, done by BLAS."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftwise.core.contract.rounds import Rounds

from .measurement import Measurement, of_ratio
from .timing import Work, compare
from .workloads import changing_sets, loop, window_policy

__all__ = ["measure"]


def measure() -> Iterator[Measurement]:
    """Yield the cost of a round over that of a (K, d) by (d, d) product."""
    for dimension, n_arms, window in ((50, 100, 50), (100, 1000, 3)):
        n_rounds = 9 * window  # so that a rebuild, once in eight windows, is paid for
        rounds = changing_sets(n_rounds, n_arms, dimension)
        ratio = compare(loop(window_policy(window), rounds), _products(rounds), seconds=6.0)
        yield of_ratio(
            f"d{dimension}_k{n_arms}_over_product",
            f"compiled loop, d = {dimension}, K = {n_arms}, changing sets, SW-UCB, "
            "over one BLAS product of that size",
            ratio,
            rounds=n_rounds,
        )


def _products(rounds: Rounds) -> Work:
    rng = np.random.default_rng(0)
    n_arms, dimension = rounds.actions.shape[1:]
    inverse = rng.standard_normal((dimension, dimension))
    out = np.empty((n_arms, dimension))

    def work() -> None:
        for actions in rounds.actions:
            np.matmul(actions, inverse, out=out)

    return work
