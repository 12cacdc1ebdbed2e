"""The findings of a run as one table, for files and for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from .bootstrap import Estimate
from .standings import Standings

__all__ = ["as_plain", "summarise"]


def summarise(
    standings: Iterable[Standings], best: Mapping[tuple[str, int], Mapping[str, str]] | None = None
) -> pl.DataFrame:
    """Return one row per world, horizon and policy, intervals in columns of their own.

    ``best`` tells, for each world and horizon, which policy was best behind each comparator.
    """
    best = best or {}
    rows = [
        {
            "world": each.world,
            "horizon": each.horizon,
            "round": each.round,
            "policy": row.policy,
            "replications": each.replications,
            **_spread("regret", row.regret),
            **_spread("behind_best", row.difference),
            **_spread("rank", row.rank),
            **_spread("chance_best", row.chance_best),
            **{
                name: value
                for label, ratio in row.ratios.items()
                for name, value in _spread(f"over {label}", ratio).items()
            },
            **{f"{label}, in hindsight": text for label, text in best.get(each.key, {}).items()},
        }
        for each in standings
        for row in each.standings
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def as_plain(estimate: Estimate | None) -> dict[str, float | None]:
    """Return a number and its interval, ready for JSON, which has no word for one that is missing."""
    if estimate is None:
        return {"value": None, "low": None, "high": None}
    return estimate._asdict()


def _spread(name: str, estimate: Estimate) -> dict[str, Any]:
    return {
        name: None if math.isnan(estimate.value) else estimate.value,
        f"{name} (low 95%)": estimate.low,
        f"{name} (high 95%)": estimate.high,
    }
