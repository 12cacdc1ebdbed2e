"""Rewards that came by themselves, joined to their decisions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["joined", "with_arrivals"]

_COLUMNS = ("event_id", "reward", "reward_time")


def joined(frames: Iterable[pl.DataFrame]) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Return the rewards to join, those that cannot be, and how many decisions there are.

    Of the decisions it keeps a hash of each id until it is done, 8 bytes an event.
    """
    import polars as pl

    rewards = [pl.DataFrame(schema=_schema())]
    known = [pl.DataFrame(schema={"key": pl.UInt64, "has_reward": pl.Boolean})]
    for frame in frames:
        is_decision = pl.col("action").is_not_null()
        rewards.append(frame.filter(~is_decision).select(_COLUMNS))
        known.append(
            frame.filter(is_decision).select(
                pl.col("event_id").hash().alias("key"),
                pl.col("reward").is_not_null().alias("has_reward"),
            )
        )
    decisions = pl.concat(known)
    arrivals = pl.concat(rewards).with_columns(pl.col("event_id").hash().alias("key"))
    if not len(arrivals):
        empty = arrivals.drop("key")
        return empty, empty.with_columns(pl.lit("", pl.String).alias("kind")), len(decisions)
    by_key = decisions.group_by("key").agg(pl.col("has_reward").all())
    told = arrivals.join(by_key, on="key", how="left", maintain_order="left").with_columns(
        pl.when(pl.col("has_reward").is_null())
        .then(pl.lit("unknown"))
        .when(pl.col("has_reward") | ~pl.col("event_id").is_first_distinct())
        .then(pl.lit("again"))
        .otherwise(pl.lit("joined"))
        .alias("kind")
    )
    is_joined = pl.col("kind") == "joined"
    strays = told.filter(~is_joined).select(*_COLUMNS, "kind")
    return told.filter(is_joined).select(_COLUMNS), strays, len(decisions)


def with_arrivals(decisions: pl.DataFrame, arrivals: pl.DataFrame) -> pl.DataFrame:
    """Return decisions with the rewards that came for them later."""
    import polars as pl

    if not len(arrivals):
        return decisions
    both = decisions.join(
        arrivals, on="event_id", how="left", suffix="_late", maintain_order="left"
    )
    return both.with_columns(
        pl.coalesce("reward", "reward_late"), pl.coalesce("reward_time", "reward_time_late")
    ).select(decisions.columns)


def _schema() -> dict[str, pl.DataType]:
    from .fields import schema

    types = schema()
    return {name: types[name] for name in _COLUMNS}
