"""The raw results: one row for each policy, horizon and replication of each figure."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from .analysis import Analysis

__all__ = ["Row", "as_csv", "as_parquet", "summarise", "tabulate"]


class Row(NamedTuple):
    """The regret of one policy in one replication."""

    figure: str
    policy: str
    horizon: int
    variation_nominal: float  # B_T, which policies may be told
    variation_realised: float  # the l2 length of the path that the parameter took
    replication: int
    seed: int
    regret: float


_COLUMNS = {
    "figure": pl.String,
    "policy": pl.String,
    "horizon": pl.Int64,
    "variation_nominal": pl.Float64,
    "variation_realised": pl.Float64,
    "replication": pl.Int64,
    "seed": pl.Int64,
    "regret": pl.Float64,
}


def tabulate(rows: Iterable[Row]) -> pl.DataFrame:
    """Return the rows as a frame, in an order that does not depend on who finished first.

    Examples
    --------
    >>> late, early = (Row("figure-1", "BOB", 9, 1.0, 4.2, i, 7, 0.5) for i in (1, 0))
    >>> tabulate([late, early])["replication"].to_list()
    [0, 1]
    """
    frame = pl.DataFrame(list(rows), schema=_COLUMNS, orient="row")
    return frame.sort("figure", "policy", "horizon", "replication")


def summarise(analyses: Iterable[Analysis]) -> pl.DataFrame:
    """Return the mean regret of every policy at every horizon, with its interval."""
    return pl.DataFrame(
        [
            (analysis.figure, policy, horizon, n, mean.value, mean.low, mean.high)
            for analysis in analyses
            for policy, means in analysis.means.items()
            for horizon, n, mean in zip(
                analysis.horizons, analysis.replications, means, strict=True
            )
        ],
        schema={
            "figure": pl.String,
            "policy": pl.String,
            "horizon": pl.Int64,
            "replications": pl.Int64,
            "regret_mean": pl.Float64,
            "regret_low_95": pl.Float64,
            "regret_high_95": pl.Float64,
        },
        orient="row",
    )


def as_csv(frame: pl.DataFrame) -> bytes:
    """Return a frame as CSV; an interval that does not exist is an empty field."""
    return frame.write_csv().encode()


def as_parquet(frame: pl.DataFrame) -> bytes:
    """Return a frame as Parquet."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
