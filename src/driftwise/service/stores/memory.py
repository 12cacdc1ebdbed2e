"""A store that forgets when its process ends: for tests, and to try things out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..events import MACHINE, Machine, Row, machine_of
from .protocol import Snapshot, StoreError
from .retention import superfluous

__all__ = ["MemoryStore"]


class MemoryStore:
    """Rows in a list."""

    is_held = True

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._ids: dict[str, list[Row]] = {}
        self._snapshots: dict[int, Snapshot] = {}  # by seq

    def append(self, rows: Sequence[Row]) -> None:
        """Keep rows that follow the last one."""
        for place, row in enumerate(rows, start=len(self._rows) + 1):
            if row.seq != place:
                raise StoreError(f"event {row.seq} must be event {place}")
        for row in rows:
            self._rows.append(row)
            if row.id:
                self._ids.setdefault(row.id, []).append(row)

    def read(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
        """Yield rows in order."""
        yield from self._rows[after:until]

    def find(self, name: str) -> list[Row]:
        """Return all rows about one decision, in order."""
        return list(self._ids.get(name, ()))

    def decisions(self, seqs: list[int]) -> dict[int, tuple[str, bytes]]:
        """Return id and bytes of decisions by their seq."""
        rows = {seq: self._rows[seq - 1] for seq in seqs}
        return {seq: (row.id, row.body) for seq, row in rows.items()}

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; most of the older ones go."""
        self._snapshots[snapshot.seq] = snapshot
        every = [(each.seq, each.t) for each in self.snapshots()]
        for seq in superfluous(every, snapshot.t):
            del self._snapshots[seq]

    def snapshots(self) -> Iterator[Snapshot]:
        """Yield snapshots, the newest first."""
        for seq in sorted(self._snapshots, reverse=True):
            yield self._snapshots[seq]

    def last_machine(self) -> Machine | None:
        """Return what ran last, as the log tells."""
        for row in reversed(self._rows):
            if row.kind == MACHINE:
                return machine_of(row)
        return None

    def now(self) -> None:
        """Return nothing: the machine's clock is as good."""

    def size(self) -> int:
        """Return how many bytes the log takes."""
        return sum(len(row.body) for row in self._rows)

    def close(self) -> None:
        """Let go of nothing."""
