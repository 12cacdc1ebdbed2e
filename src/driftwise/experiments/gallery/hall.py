"""One world of a gallery: who played there, and how it went."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ...core.base.card import summary_of
from ..analysis.curves import Curve, curves_of
from .playing import Plan, Played

__all__ = ["Hall", "hall_of"]


class Hall(NamedTuple):
    """One world of a gallery."""

    world: str
    summary: str
    facts: str
    replications: int  # that were finished
    curves: list[Curve]  # the best first
    refused: dict[str, str]  # policies that do not play here, and why


def hall_of(plan: Plan, played: Played, name: str) -> Hall:
    """Return what a world that was played has to show."""
    world = plan.world(name)
    curves = curves_of(played.numbers, name, world.horizon, seed=plan.seed)
    n = played.numbers.filter(pl.col("world") == name)["replication"].n_unique()
    holds = "holds" if world.satisfies_assumption_one(plan.own_seed(name, 0)) else "fails"
    band = "no interval" if n == 1 else "bands and bars: 95% bootstrap intervals of the mean"
    return Hall(
        world=name,
        summary=summary_of(plan.worlds[name]),
        facts=f"{world.horizon:,} rounds, {n} replication{'s' * (n != 1)}; Assumption 1 {holds}; {band}",
        replications=n,
        curves=sorted(curves, key=lambda curve: curve.mean[-1]),
        refused=played.line_ups[name].refused,
    )
