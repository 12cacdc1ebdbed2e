"""A store that forgets when its process ends: for tests, and to try things out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..events import MACHINE, OPERATED, Machine, Row, machine_of
from .protocol import Snapshot, StoreError
from .retention import superfluous

__all__ = ["MemoryStore"]


class MemoryStore:
    """Rows in a dictionary."""

    is_held = True

    def __init__(self) -> None:
        self._rows: dict[int, Row] = {}  # by seq, in order
        self._snapshots: dict[int, Snapshot] = {}  # by seq

    def append(self, rows: Sequence[Row]) -> None:
        """Keep rows that follow the last one."""
        for place, row in enumerate(rows, start=next(reversed(self._rows), 0) + 1):
            if row.seq != place:
                raise StoreError(f"event {row.seq} must be event {place}")
        self._rows.update((row.seq, row) for row in rows)

    def read(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
        """Yield rows in order."""
        last = next(reversed(self._rows), 0) if until is None else until
        # Those of a long log that are wanted are mostly the last few.
        found = (self._rows.get(seq) for seq in range(after + 1, last + 1))
        yield from [row for row in found if row is not None]

    def find(self, name: str) -> list[Row]:
        """Return all rows about one decision, in order."""
        return [row for row in self._rows.values() if row.id == name]

    def decisions(self, seqs: list[int]) -> dict[int, tuple[str, bytes]]:
        """Return id and bytes of decisions by their seq."""
        rows = {seq: self._rows[seq] for seq in seqs}
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
        for row in reversed(self._rows.values()):
            if row.kind == MACHINE:
                return machine_of(row)
        return None

    def now(self) -> None:
        """Return nothing: the machine's clock is as good."""

    def operations(self) -> list[Row]:
        """Return the rows of operations, in order."""
        return [row for row in self._rows.values() if row.kind >= OPERATED]

    def overwrite(self, rows: Sequence[Row], snapshot: Snapshot) -> None:
        """Put rows in the place of others, and a snapshot in that of all before it."""
        self._rows.update({row.seq: row for row in rows})
        after = {seq: each for seq, each in self._snapshots.items() if seq > snapshot.seq}
        self._snapshots = {snapshot.seq: snapshot} | after

    def drop(self, until: int, kept: Sequence[int]) -> None:
        """Take rows out."""
        stay = {1, *kept}
        self._rows = {seq: row for seq, row in self._rows.items() if seq > until or seq in stay}

    def restore(self, rows: Sequence[Row]) -> None:
        """Put rows back."""
        self._rows = dict(sorted(({row.seq: row for row in rows} | self._rows).items()))

    def size(self) -> int:
        """Return how many bytes the log takes."""
        return sum(len(row.body) for row in self._rows.values())

    def close(self) -> None:
        """Let go of nothing."""
