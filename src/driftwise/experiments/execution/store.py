"""Finished cells on disk: each is complete or absent."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import polars as pl

from ...core.base.files import write

__all__ = ["CELLS", "Store"]

CELLS = "cells"  # the folder of finished cells, inside a folder of results
_DIGEST = hashlib.sha256().digest_size


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
                stream = content[:-_DIGEST]
                if content != _sealed(stream):
                    return None
                self._known[name] = pl.read_ipc_stream(io.BytesIO(stream))
            except (OSError, pl.exceptions.PolarsError):
                return None
        return self._known[name]

    def save(self, name: str, frame: pl.DataFrame) -> None:
        """Keep a finished cell."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # There are hundreds of them, and a stream of Arrow takes a tenth of the time of Parquet.
        stream = io.BytesIO()
        frame.write_ipc_stream(stream, compression="zstd")
        write(path, _sealed(stream.getvalue()))
        self._known[name] = frame


def _sealed(stream: bytes) -> bytes:
    """Return a stream and its digest: neither Arrow nor Parquet notices a bit that has flipped.

    Who reads a stream of Arrow stops at its end, so the file is still one.
    """
    return stream + hashlib.sha256(stream).digest()
