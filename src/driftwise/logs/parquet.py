"""Parquet: the columns of a log as they are, with objects as JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .fields import ALIASES, COST, FIELDS, JSON_FIELDS, TIME_FIELDS, schema
from .frames import BATCH, Clock, checked_frames, completed, is_sound

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ParquetFile", "write_parquet"]


class ParquetFile:
    """A Parquet file with the fields of a log as columns.

    ``context``, ``actions`` and ``choice`` may be JSON text, as driftwise writes them, or structs.
    """

    def __init__(self, path: Path) -> None:
        import polars as pl

        self.path = path
        try:
            self._columns = pl.scan_parquet(path).collect_schema().names()
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"{path} must be a Parquet file that can be read: {error}") from None
        if not {"action", "_labelIndex"} & set(self._columns):
            raise ValueError(f"{path} must have a column action, got {', '.join(self._columns)}")

    @property
    def unread(self) -> list[str]:
        """Columns that a log has no use for."""
        return [name for name in self._columns if name not in (*FIELDS, *ALIASES, COST)]

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all events in order, checked."""
        import polars as pl

        clock, start = Clock(), 0
        kept = _under_our_names(self._columns)
        lazy = pl.scan_parquet(self.path).select(kept)
        while len(raw := lazy.slice(start, BATCH).collect()):
            raw = _with_seconds(raw)
            frame = _by_columns(raw, clock)
            if frame is not None:
                yield frame
            else:
                yield from checked_frames(self._rows(raw, start), clock)
            start += BATCH

    def _rows(self, raw: pl.DataFrame, start: int) -> Iterator[tuple[str, dict[str, Any]]]:
        for number, row in enumerate(raw.iter_rows(named=True), start + 1):
            where = f"{self.path}, row {number}"
            for name in JSON_FIELDS:
                if isinstance(row.get(name), str):
                    row[name] = _parsed(where, name, row[name])
            yield where, row


def write_parquet(path: Path, folder: Path, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames to one file, a part at a time.

    Parameters
    ----------
    folder
        An empty folder for the parts, on the same disk.
    """
    import polars as pl

    parts: list[Path] = []
    for frame in frames:
        parts.append(folder / f"{len(parts):06}.parquet")
        frame.select(FIELDS).write_parquet(parts[-1])
    if parts:
        # Read in the same parts, or each of them would mean to unpack many.
        pl.scan_parquet(parts).sink_parquet(path, maintain_order=True, row_group_size=BATCH)
    else:
        pl.DataFrame(schema=schema()).write_parquet(path)


def _under_our_names(columns: Sequence[str]) -> list[pl.Expr]:
    """Return what a log reads of a file: one column for each field that there is."""
    import polars as pl

    known = {name: pl.col(name) for name in FIELDS if name in columns}
    for alias, name in ALIASES.items():
        if alias in columns:
            known.setdefault(name, pl.col(alias).alias(name))
    if COST in columns:
        known.setdefault("reward", (0.0 - pl.col(COST)).alias("reward"))
    return list(known.values())


def _with_seconds(raw: pl.DataFrame) -> pl.DataFrame:
    """Return a frame in which times that are dates are the seconds since 1970."""
    import polars as pl

    dates = [name for name in TIME_FIELDS if name in raw.columns and raw[name].dtype.is_temporal()]
    moments = (pl.col(name).cast(pl.Datetime("us")).dt.timestamp("us") for name in dates)
    seconds = (moment.cast(pl.Float64) / 1e6 for moment in moments)
    return raw.with_columns(each.alias(name) for name, each in zip(dates, seconds, strict=True))


def _by_columns(raw: pl.DataFrame, clock: Clock) -> pl.DataFrame | None:
    """Return the events of a frame, or None if it must be read row by row."""
    import polars as pl

    wanted = schema()
    if any(raw[name].dtype not in (wanted[name], pl.Null) for name in raw.columns):
        return None
    try:
        absent = [pl.lit(None).alias(name) for name in FIELDS if name not in raw.columns]
        frame = completed(raw.with_columns(absent).select(FIELDS).cast(wanted))  # type: ignore[arg-type]  # a dict is a schema
        for name in ("context", "choice"):
            frame[name].str.json_decode(pl.Struct([]))  # an error if some of it is no object
        return frame if is_sound(frame, clock) else None
    except (pl.exceptions.PolarsError, ValueError, TypeError):
        return None  # reading by rows finds the reason, and names its row


def _parsed(where: str, name: str, text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        raise ValueError(f"{where}: {name} must be JSON, got {text[:60]!r}") from None
