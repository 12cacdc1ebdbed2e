"""The other policies against sliding-window UCB, on the same rounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import driftwise as dw
from driftwise.core.contract.rounds import Rounds

from .measurement import Measurement, of_ratio
from .timing import compare
from .workloads import NOISE, changing_sets, fixed_set, loop, window_policy

__all__ = ["measure", "policies"]

TOLD = dw.AdaptiveUCB(parameter_norm=1.0, action_norm=1.0)  # a bound: the policy of 0.1.0
_MOST_FILTERED = 10  # dimensions: many filters side by side are not meant for more


def policies(
    n_rounds: int, n_arms: int, dimension: int, window: int, *, is_fixed: bool
) -> dict[str, Any]:
    """Return the policies to compare, by the name in their key.

    Bandit-over-Bandit plays eight blocks or more, and restarts come once a window, so that what they
    cost is paid for.
    """
    bandit = dw.BanditOverBandit.tuned(horizon=n_rounds, dimension=dimension, noise=NOISE)
    chosen: dict[str, Any] = {
        "bob": bandit._replace(block_length=min(bandit.block_length, n_rounds // 8)),
        "discounted": dw.DiscountedLinUCB(discount=0.998, noise=NOISE),
        "thompson": dw.DiscountedLinTS(discount=0.998, noise=NOISE),
        "restart": dw.RestartUCB(restart_every=window, noise=NOISE),
    }
    if dimension <= _MOST_FILTERED:
        chosen["adaptive"] = TOLD
    if is_fixed:  # it plays arms, so there must be arms
        chosen["exp3s"] = dw.Exp3S.tuned(horizon=n_rounds, n_arms=n_arms, variation=1.0)
    return chosen


def measure() -> Iterator[Measurement]:
    """Yield the cost of a round over that of sliding-window UCB, for each policy and size."""
    rng = np.random.default_rng(0)
    # With a window, so that most rounds have a full one.
    sizes = (
        ("two_arms", "2 arms", fixed_set(50_000, np.eye(2)), 500),
        ("d10_k10", "d = 10, K = 10, changing sets", changing_sets(5_000, 10, 10), 500),
        ("d5_k20", "d = 5, K = 20, changing sets", changing_sets(5_000, 20, 5), 500),
        ("d50_k100", "d = 50, K = 100, changing sets", changing_sets(450, 100, 50), 50),
        ("d100_k1000", "d = 100, K = 1000, changing sets", changing_sets(27, 1000, 100), 3),
        ("fixed", "d = 10, K = 10, fixed set", _one_set(rng, 5_000, 10, 10), 500),
        ("fixed_d50_k1000", "d = 50, K = 1000, fixed set", _one_set(rng, 450, 1000, 50), 50),
    )
    for size, where, rounds, window in sizes:
        n_rounds, n_arms = rounds.means.shape
        is_fixed = len(rounds.actions) == 1
        yardstick = loop(window_policy(window), rounds)
        others = policies(n_rounds, n_arms, rounds.actions.shape[2], window, is_fixed=is_fixed)
        for name, policy in others.items():
            ratio = compare(loop(policy, rounds), yardstick, seconds=1.5)
            told = " told a bound" if policy is TOLD else ""
            work = f"compiled loop, {where}: {type(policy).__name__}{told} over SlidingWindowUCB"
            yield of_ratio(f"{name}_{size}", work, ratio, rounds=n_rounds)
            if name == "adaptive":
                yield from _told_nothing(size, where, rounds)


def _told_nothing(size: str, where: str, rounds: Rounds) -> Iterator[Measurement]:
    """Yield what it costs that units and bounds are learnt, too."""
    n_rounds = len(rounds.means)
    ratio = compare(loop(dw.AdaptiveUCB(), rounds), loop(TOLD, rounds), seconds=1.5)
    work = f"compiled loop, {where}: AdaptiveUCB() over AdaptiveUCB told a bound"
    yield of_ratio(f"told_nothing_{size}", work, ratio, rounds=n_rounds)
    if size == "two_arms":
        # Two arms are next to nothing for SW-UCB, so the limit is one in microseconds.
        cost = 1e6 * ratio.seconds / n_rounds
        yield Measurement(
            "adaptive_microseconds", f"compiled loop, {where}: AdaptiveUCB()", cost, "µs"
        )


def _one_set(rng: np.random.Generator, n_rounds: int, n_arms: int, dimension: int) -> Rounds:
    return fixed_set(n_rounds, rng.standard_normal((n_arms, dimension)) / np.sqrt(dimension))
