"""A log in PostgreSQL, for several nodes: only the owner of a problem appends to it.

Two fences keep everybody else out. The epoch of the lease is checked inside of the appending statement: its row
is locked, so that an append and a take-over have an order. Either the append is first, and the new owner reads it, or
it sees the new epoch and inserts nothing. And two writers of the same seq cannot both win: it is the primary key.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import Any

import psycopg

from ..events import DECIDED, MACHINE, Machine, Row, machine_of
from .leases import Leases
from .protocol import Snapshot, StoreError
from .retention import superfluous
from .sessions import asked, connect

__all__ = ["PostgreSQLLog", "PostgreSQLStore"]

_APPEND = """
with owner as (
  select 1 from driftwise.problems where problem = %(problem)s and epoch = %(epoch)s for share)
insert into driftwise.events
select %(problem)s, seq, %(epoch)s, kind, id, t, crc, body from owner, unnest(
  %(seq)b::bigint[], %(kind)b::smallint[], %(id)b::text[], %(t)b::bigint[], %(crc)b::bigint[], %(body)b::bytea[]
) as rows(seq, kind, id, t, crc, body)
"""
_SAVE = """
with owner as (
  select 1 from driftwise.problems where problem = %(problem)s and epoch = %(epoch)s for share)
insert into driftwise.snapshots select %(problem)s, %(seq)s, %(t)s, %(crc)s, %(body)b from owner
on conflict(problem, seq) do update set t = excluded.t, crc = excluded.crc, body = excluded.body
"""
_FENCE = "select 1 from driftwise.problems where problem = %s and epoch = %s for share"
_OVERWRITE = (
    "update driftwise.events set id = %s, crc = %s, body = %b where problem = %s and seq = %s"
)
_DROP = """
delete from driftwise.events where problem = %s and seq > 1 and seq <= %s and not seq = any(%s::bigint[])
"""
_RESTORE = """
insert into driftwise.events values(%s, %s, %s, %s, %s, %s, %s, %b) on conflict do nothing
"""
_ROWS = "select seq, kind, id, t, crc, body from driftwise.events where problem = %s"
_PAGE = 1_000  # rows that are read at once


class PostgreSQLLog:
    """What anybody may read of a log, whoever owns it.

    Parameters
    ----------
    url
        The database.
    name
        The problem.
    patience
        Seconds to wait for an answer of the database.
    """

    def __init__(self, url: str, name: str, patience: float = 10.0) -> None:
        self.url, self.name, self._patience = url, name, patience
        self._session = connect(url, patience)
        found = self._all("select problem from driftwise.problems where name = %s", name)
        self.problem: int = found[0][0] if found else -1  # nobody has served it yet

    def read(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
        """Yield rows in order, in a session of its own; the owner may append meanwhile."""
        last = 2**62 if until is None else until
        query = f"{_ROWS} and seq > %s and seq <= %s order by seq limit {_PAGE}"
        session = connect(self.url, self._patience)
        try:
            while page := asked(session, query, (self.problem, after, last)):
                for row in page:
                    yield Row(*row)
                after = page[-1][0]
        finally:
            session.close()

    def find(self, name: str) -> list[Row]:
        """Return all rows about one decision, in order."""
        return [
            Row(*row) for row in self._all(f"{_ROWS} and id = %s order by seq", self.problem, name)
        ]

    def decisions(self, seqs: list[int]) -> dict[int, tuple[str, bytes]]:
        """Return id and bytes of decisions by their seq."""
        query = "select seq, id, body from driftwise.events where problem = %s and seq = any(%s) and kind = %s"
        return {
            seq: (name, body)
            for start in range(0, len(seqs), _PAGE)
            for seq, name, body in self._all(
                query, self.problem, seqs[start : start + _PAGE], DECIDED
            )
        }

    def last_machine(self) -> Machine | None:
        """Return what ran last, as the log tells."""
        rows = self._all(f"{_ROWS} and kind = %s order by seq desc limit 1", self.problem, MACHINE)
        return machine_of(Row(*rows[0])) if rows else None

    def operations(self) -> list[Row]:
        """Return the rows of operations, in order."""
        query = f"{_ROWS} and kind >= 10 order by seq"  # as the index spells it
        return [Row(*row) for row in self._all(query, self.problem)]

    def snapshots(self) -> Iterator[Snapshot]:
        """Yield snapshots that are undamaged, the newest first."""
        every = "select seq from driftwise.snapshots where problem = %s order by seq desc"
        one = "select t, crc, body from driftwise.snapshots where problem = %s and seq = %s"
        for (seq,) in self._all(every, self.problem):
            for t, crc, body in self._all(one, self.problem, seq):
                if zlib.crc32(body) == crc:
                    yield Snapshot(seq, t, body)

    def epochs(self) -> Iterator[tuple[int, int]]:
        """Yield the epoch of every owner that wrote, and the seq of the first event it wrote."""
        query = "select epoch, min(seq) from driftwise.events where problem = %s group by epoch order by min(seq)"
        yield from ((epoch, seq) for epoch, seq in self._all(query, self.problem))

    def now(self) -> int | None:
        """Return the database's time in microseconds: that of all nodes."""
        ((t,),) = self._all("select (extract(epoch from clock_timestamp()) * 1000000)::bigint")
        return int(t)

    def size(self) -> int:
        """Return how many bytes the logs of all problems in this database take."""
        ((size,),) = self._all("select pg_total_relation_size('driftwise.events')")
        return int(size)

    def close(self) -> None:
        """End the session."""
        self._session.close()

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return asked(self._session, query, values)


class PostgreSQLStore(PostgreSQLLog):
    """The log of a problem that this node owns: it holds a lease from the beginning to `close`.

    Parameters
    ----------
    leases
        Those of this node.
    name
        The problem.

    Raises
    ------
    NotOwnerError
        If another node owns it.
    """

    def __init__(self, leases: Leases, name: str) -> None:
        self.lease = leases.take(name)
        self._sessions = ExitStack()
        self._sessions.callback(leases.release, self.lease)
        with ExitStack() as undo:
            undo.callback(self.close)
            super().__init__(leases.url, name, leases.seconds)
            self._sessions.callback(self._session.close)
            self._writer = connect(leases.url, leases.seconds)
            self._sessions.callback(self._writer.close)
            self._size = super().size()
            undo.pop_all()

    @property
    def is_held(self) -> bool:
        """Whether nobody else can own the log by now."""
        return self.lease.is_held

    def append(self, rows: Sequence[Row]) -> None:
        """Write rows in one statement; they are durable on return."""
        if rows:
            columns = zip(Row._fields, map(list, zip(*rows, strict=True)), strict=True)
            self._write(_APPEND, dict(columns), len(rows))

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; most of the older ones go."""
        seq, t, content = snapshot
        facts = {"seq": seq, "t": t, "crc": zlib.crc32(content), "body": content}
        self._write(_SAVE, facts, 1)
        every = "select seq, t from driftwise.snapshots where problem = %s order by seq desc"
        old = superfluous(self._all(every, self.problem), t)
        query = "delete from driftwise.snapshots where problem = %s and seq = any(%s)"
        with suppress(psycopg.Error):  # they may go another time
            self._writer.execute(query, (self.problem, old))
        self._size = super().size()

    def overwrite(self, rows: Sequence[Row], snapshot: Snapshot) -> None:
        """Put rows in the place of others, and a snapshot in that of all before it; then vacuum."""
        seq, t, content = snapshot

        def change(cursor: Any) -> None:
            changes = [(row.id, row.crc, row.body, self.problem, row.seq) for row in rows]
            cursor.executemany(_OVERWRITE, changes)
            gone = "delete from driftwise.snapshots where problem = %s and seq <= %s"
            cursor.execute(gone, (self.problem, seq))
            facts = {"seq": seq, "t": t, "crc": zlib.crc32(content), "body": content}
            cursor.execute(_SAVE, facts | {"problem": self.problem, "epoch": self.lease.epoch})

        self._change(change)
        with suppress(psycopg.Error):  # the database does it by itself some time
            self._writer.execute("vacuum driftwise.events, driftwise.snapshots")

    def drop(self, until: int, kept: Sequence[int]) -> None:
        """Take rows out."""
        self._change(lambda cursor: cursor.execute(_DROP, (self.problem, until, list(kept))))

    def restore(self, rows: Sequence[Row]) -> None:
        """Put rows back that were taken out."""
        back = [
            (self.problem, row.seq, self.lease.epoch, row.kind, row.id, row.t, row.crc, row.body)
            for row in rows
        ]
        self._change(lambda cursor: cursor.executemany(_RESTORE, back))

    def _change(self, call: Callable[[Any], Any]) -> None:
        """Change what was written before, in one transaction that only the owner can commit."""
        try:
            with self._writer.transaction(), self._writer.cursor() as cursor:
                if not cursor.execute(_FENCE, (self.problem, self.lease.epoch)).fetchall():
                    raise StoreError(f"epoch {self.lease.epoch} of {self.name} is over")
                call(cursor)
        except psycopg.Error as error:
            raise StoreError(f"{type(error).__name__}: {error}") from error

    def size(self) -> int:
        """Return how many bytes the logs of all problems took at the last snapshot."""
        return self._size

    def close(self) -> None:
        """End the sessions and release the lease."""
        self._sessions.close()

    def _write(self, query: str, facts: dict[str, Any], n_rows: int) -> None:
        facts |= {"problem": self.problem, "epoch": self.lease.epoch}
        try:
            n_written = self._writer.execute(query, facts, prepare=True).rowcount
        except psycopg.Error as error:
            # It may be durable all the same: only the log can say.
            raise StoreError(f"{type(error).__name__}: {error}") from error
        if n_written != n_rows:
            raise StoreError(
                f"epoch {self.lease.epoch} of {self.name} is over: another node owns it"
            )
