"""Rounds to play, and the compiled loop on them: what the figures are about."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftwise import SlidingWindowUCB
from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.rounds import Rounds
from driftwise.core.engine.simulate import play
from driftwise.core.engine.starting import started

from .timing import Work

__all__ = ["LUCK", "NOISE", "changing_sets", "fixed_set", "loop", "radius_of", "window_policy"]

NOISE = 0.1
LUCK = 7


def changing_sets(n_rounds: int, n_arms: int, dimension: int, seed: int = 0) -> Rounds:
    """Return rounds with another decision set each, drawn from the normal distribution."""
    rng = np.random.default_rng(seed)
    actions = rng.standard_normal((n_rounds, n_arms, dimension)) / np.sqrt(dimension)
    return _rounds(actions, np.full(n_rounds, n_arms), n_rounds, rng)


def fixed_set(n_rounds: int, rows: Matrix, seed: int = 0) -> Rounds:
    """Return rounds with one decision set."""
    rng = np.random.default_rng(seed)
    return _rounds(rows[None], np.full(1, len(rows)), n_rounds, rng)


def _rounds(actions: Any, sizes: Any, n_rounds: int, rng: np.random.Generator) -> Rounds:
    # A slow drift, so that the best arm changes.
    angle = np.linspace(0.0, 2.0 * np.pi, n_rounds)[:, None]
    ends = rng.standard_normal((2, actions.shape[2])) / np.sqrt(actions.shape[2])
    parameters = np.cos(angle) * ends[0] + np.sin(angle) * ends[1]
    means = np.ascontiguousarray((actions @ parameters[:, :, None])[:, :, 0])
    return Rounds(actions, sizes, means, means + NOISE * rng.standard_normal(means.shape))


def window_policy(window: int = 500) -> SlidingWindowUCB:
    """Return the policy that the others are measured by."""
    return SlidingWindowUCB(window=window, noise=NOISE)


def radius_of(policy: SlidingWindowUCB, dimension: int) -> float:
    """Return the confidence radius that the policy works with."""
    memory = policy.start(1, dimension, None)
    policy.restart(memory, 0)
    return float(memory.radius[0])


def loop(policy: Any, rounds: Rounds, *, is_fixed: bool | None = None, n_times: int = 1) -> Work:
    """Return the work of playing all rounds from the start, in the compiled loop.

    ``is_fixed`` tells the policy whether the decision set stays, the truth by default. A long run
    is the same rounds ``n_times``: `simulate` also brings its rounds in pieces that the processor's
    cache holds.
    """
    if is_fixed is None:
        is_fixed = len(rounds.actions) == 1
    n_arms, dimension = rounds.actions.shape[1:]
    memory = started(policy, n_arms, dimension, rounds.actions[0] if is_fixed else None)
    no_marks, no_curve, totals = np.empty(0, np.int64), np.empty(0), np.zeros(2)

    def work() -> tuple[float, float]:
        totals[:] = 0.0
        for first in range(0, n_times * rounds.count_rounds(), rounds.count_rounds()):
            play(policy, memory, rounds, LUCK, first, no_marks, no_curve, totals)
        return float(totals[0]), float(totals[1])

    return work
