"""What a store of events must offer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from ..events import Machine, Row

__all__ = ["FencedError", "Log", "NotOwnerError", "Snapshot", "Store", "StoreError"]


class StoreError(OSError):
    """A write that failed: nothing is known about what is durable, so memory must be rebuilt."""


class FencedError(StoreError):
    """Another node owns the log by now: nothing was written."""


class NotOwnerError(StoreError):
    """Another node owns the log.

    Parameters
    ----------
    address
        Where it is reached; empty if nobody knows.
    """

    def __init__(self, address: str) -> None:
        super().__init__(f"another node owns the log, at {address or 'an unknown address'}")
        self.address = address


class Snapshot(NamedTuple):
    """The state after an event, as `state_bytes` tells it."""

    seq: int
    t: int
    content: bytes


class Log(Protocol):
    """An ordered log, as anybody may read it."""

    def read(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
        """Yield rows in order: those with a seq above ``after``, up to ``until``."""

    def find(self, name: str) -> list[Row]:
        """Return all rows about one decision, in order."""

    def decisions(self, seqs: list[int]) -> dict[int, tuple[str, bytes]]:
        """Return id and bytes of decisions by their seq."""

    def snapshots(self) -> Iterator[Snapshot]:
        """Yield snapshots that are undamaged, the newest first."""

    def last_machine(self) -> Machine | None:
        """Return what ran last, as the log tells."""

    def now(self) -> int | None:
        """Return the time that all who may own the log agree on, in microseconds; None: the machine's own."""

    def operations(self) -> list[Row]:
        """Return the rows of operations, in order: those of a kind of at least ``OPERATED``."""

    def size(self) -> int:
        """Return how many bytes the log takes."""

    def close(self) -> None:
        """Let go of files and locks."""


class Store(Log, Protocol):
    """An ordered log, and snapshots of the state on the way, for the one who writes."""

    @property
    def is_held(self) -> bool:
        """Whether nobody else can be writing: what memory says is still true."""

    def append(self, rows: Sequence[Row]) -> None:
        """Write rows that follow the last one; they are durable on return, or `StoreError` is raised."""

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot."""

    def overwrite(self, rows: Sequence[Row], snapshot: Snapshot) -> None:
        """Put rows in the place of those with the same seqs, and a snapshot in that of all before it.

        Both at once, durable on return. In an SQLite file no byte is left of what was there before;
        PostgreSQL keeps its own WAL and dead rows for as long as it is told to.
        """

    def drop(self, until: int, kept: Sequence[int]) -> None:
        """Take out the rows from the second up to ``until``, but for those that are kept."""

    def restore(self, rows: Sequence[Row]) -> None:
        """Put rows back that were taken out; those that are there stay."""
