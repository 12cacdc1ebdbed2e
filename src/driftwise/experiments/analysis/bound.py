"""SW-UCB's regret as theory bounds it, and the regret that was measured."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...policies import SlidingWindowUCB
from ...theory import regret_bound
from ..execution.cells import Cell, task_of
from .findings import Findings

__all__ = ["Bound", "bound_regret"]

_SIZE = 4096


class Bound(NamedTuple):
    """The regret that theory allows, beside the regret that was measured."""

    horizon: int
    measured: float
    allowed: float
    worst: float  # the regret of playing the worst arm in every round


def bound_regret(findings: Findings, world: str, policy: str) -> list[Bound]:
    """Return SW-UCB's bound at each horizon, for the variation that the world really has.

    It is the explicit one, constants and all, at the end of the proof of Theorem 3. Empty where
    the theorem does not apply.
    """
    bounds = []
    for standings in findings.standings:
        if standings.world != world:
            continue
        horizon = standings.horizon
        task = task_of(Cell(world, policy, horizon, 0, 0), findings.builder)
        settings, place, seed = task.policy, task.world, task.seeds[0]
        is_orthogonal = findings.builder.facts(world, horizon).get("geometry") == "orthogonal"
        moved = findings.variation(world, horizon).l2
        if not isinstance(settings, SlidingWindowUCB) or not is_orthogonal or not moved > 0.0:
            return []
        allowed = regret_bound(
            horizon=horizon,
            dimension=place.dimension,
            variation=moved,
            window=settings.window,
            noise=settings.noise,
            action_norm=settings.action_norm,
            parameter_norm=settings.parameter_norm,
            ridge=settings.ridge,
            confidence=settings.confidence,
        )
        measured = standings.of(policy).regret.value
        bounds.append(Bound(horizon, measured, allowed, _worst(place, seed)))
    return bounds


def _worst(world: Any, seed: int) -> float:
    """Return the regret of the worst arm of each round."""
    lost = 0.0
    for rounds in world.rounds(seed, _SIZE):
        # A row for each arm: over many rows of two arms, `max` takes tens of times as long.
        means = np.ascontiguousarray(rounds.means.T)
        is_real = np.arange(len(means))[:, None] < rounds.sizes
        best = np.where(is_real, means, -np.inf).max(axis=0)
        worst = np.where(is_real, means, np.inf).min(axis=0)
        lost += float((best - worst).sum())
    return lost
