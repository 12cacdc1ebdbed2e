"""SW-UCB's regret as theory bounds it, beside the regret that was measured."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ...policies import SlidingWindowUCB
from ...theory import regret_bound
from ..analysis.findings import Findings
from ..execution.cells import Cell, task_of
from .page import paragraph, table

__all__ = ["Bound", "bound_regret", "list_bounds"]

_SIZE = 4096


class Bound(NamedTuple):
    """The regret that theory allows, beside the regret that was measured."""

    horizon: int
    measured: float
    allowed: float
    worst: float  # the regret of playing the worst arm in every round


def list_bounds(findings: Findings) -> Iterator[str]:
    """Yield, for each policy and world that the bound is about, what it says.

    It is about a SlidingWindowUCB that is told the variation, in a world in which Assumption 1
    holds.
    """
    for entry in findings.experiment.policies:
        if entry.comparator is not None or not entry.is_variation_known:
            continue
        for world in findings.growth:
            bounds = bound_regret(findings, world, entry.label)
            if bounds:
                yield _shown(f"{entry.label} in {world}", entry.label, bounds)


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


def _shown(title: str, policy: str, bounds: list[Bound]) -> str:
    factors = [bound.allowed / bound.measured for bound in bounds]
    rows = [
        (
            f"{bound.horizon:,}",
            f"{bound.measured:,.1f}",
            f"{bound.allowed:,.0f}",
            f"{factor:,.0f}",
            f"{bound.worst:,.0f}",
        )
        for bound, factor in zip(bounds, factors, strict=True)
    ]
    ends = dict.fromkeys(f"{end(factors):,.0f}" for end in (min, max))  # once if written the same
    text = (
        f"The proof of Theorem 3 of Cheung, Simchi-Levi and Zhu (2019) ends in an explicit bound on"
        f" the expected regret of {policy}. It is put beside what was measured, for the variation"
        " that the world really has. The measured regret is"
        f" {'below' if min(factors) >= 1.0 else 'not always below'} the bound: the bound is"
        f" {' to '.join(ends)} times as large."
    )
    if all(bound.allowed >= bound.worst for bound in bounds):
        text += (
            " At these horizons it is still above the regret of playing the worst arm in every"
            " round, so here it says nothing about any policy; its growth is what counts."
        )
    head = ("T", "measured", "bound", "bound / measured", "always the worst arm")
    return f"<h3>{escape(title)}</h3>\n{paragraph(text)}\n{table(title, head, rows)}"
