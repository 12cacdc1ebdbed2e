"""Finished cells on disk: each is there as a whole, or not at all."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from ...core.files import write

__all__ = ["CELLS", "Store", "as_parquet"]

CELLS = "cells"  # the folder of finished cells, inside of a folder of results
_MAGIC = b"PAR1"  # how a Parquet file begins and ends


class Store:
    """A folder of finished cells.

    A cell that was cut off while being written does not exist, and one that was damaged later is
    played again by the next run. Within a run each is read once and kept: a few kilobytes each, all
    of which are put together at the end in any case.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, pl.DataFrame] = {}  # what was read or written, to read it once

    def load(self, name: str) -> pl.DataFrame | None:
        """Return a finished cell, or None if there is none that can be read."""
        if name not in self._known:
            try:
                content = (self._folder / name).read_bytes()
                if not (content.startswith(_MAGIC) and content.endswith(_MAGIC)):
                    return None
                self._known[name] = pl.read_parquet(io.BytesIO(content))
            except (OSError, pl.exceptions.PolarsError):
                return None
        return self._known[name]

    def save(self, name: str, frame: pl.DataFrame) -> None:
        """Keep a finished cell."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, as_parquet(frame, {}))
        self._known[name] = frame


def as_parquet(frame: pl.DataFrame, metadata: Mapping[str, str]) -> bytes:
    """Return a frame as Parquet, with texts to go with it; the same bytes for the same content."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=dict(metadata), statistics=False)
    return buffer.getvalue()
