"""A log in PostgreSQL, for several nodes: only the owner of a problem appends to it.

Two fences keep everybody else out. The epoch of the lease is checked inside of the appending statement: its row
is locked, so that an append and a take-over have an order. Either the append is first, and the new owner reads it, or
it sees the new epoch and inserts nothing. And two writers of the same seq cannot both win: it is the primary key.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from typing import Any

import psycopg

from ..events import DECIDED, MACHINE, Machine, Row, machine_of
from .leases import Leases
from .protocol import FencedError, Snapshot, StoreError
from .retention import superfluous
from .sessions import Line, Session, asked, connect

__all__ = ["PostgreSQLLog", "PostgreSQLStore"]

_OWNER = """
with owner as (
  select 1 from driftwise.problems where problem = %(problem)s and epoch = %(epoch)s for share)
"""
_UNNESTED = """unnest(
  %(seq)b::bigint[], %(kind)b::smallint[], %(id)b::text[], %(t)b::bigint[], %(crc)b::bigint[], %(body)b::bytea[]
) as new(seq, kind, id, t, crc, body)
"""
_APPEND = f"""{_OWNER}
insert into driftwise.events
select %(problem)s, seq, %(epoch)s, kind, id, t, crc, body from owner, {_UNNESTED}
"""
_SAVE = f"""{_OWNER}
insert into driftwise.snapshots select %(problem)s, %(seq)s, %(t)s, %(crc)s, %(body)b from owner
on conflict(problem, seq) do update set t = excluded.t, crc = excluded.crc, body = excluded.body
"""
_FENCE = (
    "select 1 from driftwise.problems where problem = %(problem)s and epoch = %(epoch)s for share"
)
_OVERWRITE = f"""
update driftwise.events as old set id = new.id, crc = new.crc, body = new.body from {_UNNESTED}
where old.problem = %(problem)s and old.seq = new.seq
"""
_DROP_SNAPSHOTS = "delete from driftwise.snapshots where problem = %(problem)s and seq <= %(until)s"
_DROP = """
delete from driftwise.events
where problem = %(problem)s and seq > %(first)s and seq <= %(last)s and not seq = any(%(kept)s::bigint[])
"""
_RESTORE = f"""
insert into driftwise.events
select %(problem)s, seq, %(epoch)s, kind, id, t, crc, body from {_UNNESTED} on conflict do nothing
"""
_ROWS = "select seq, kind, id, t, crc, body from driftwise.events where problem = %s"
_PAGE = 1_000  # rows that are read at once
_PIECE = 10_000  # rows that are taken out or put back at once
_LONG = 60.0  # seconds to wait for a change of what was written before


class PostgreSQLLog:
    """What anybody may read of a log, whoever owns it.

    Parameters
    ----------
    url
        The database.
    name
        The problem.
    line
        What is asked; a session of its own by default.
    """

    def __init__(self, url: str, name: str, line: Line | None = None) -> None:
        self.name, self._is_own = name, line is None
        self._line = Line(url) if line is None else line
        found = self._all("select problem from driftwise.problems where name = %s", name)
        self.problem: int = found[0][0] if found else -1  # nobody has served it yet

    def read(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
        """Yield rows in order; the owner may append meanwhile."""
        last = 2**62 if until is None else until
        query = f"{_ROWS} and seq > %s and seq <= %s order by seq limit {_PAGE}"
        while page := self._all(query, self.problem, after, last):
            for row in page:
                yield Row(*row)
            if len(page) < _PAGE:
                return
            after = page[-1][0]

    def find(self, name: str) -> list[Row]:
        """Return all rows about one decision, in order."""
        return [
            Row(*row) for row in self._all(f"{_ROWS} and id = %s order by seq", self.problem, name)
        ]

    def decisions(self, seqs: list[int]) -> dict[int, tuple[str, bytes]]:
        """Return id and bytes of decisions by their seq."""
        # A join: for "seq = any(...)" the planner may read everything.
        query = """
        select seq, id, body from unnest(%s::bigint[]) as wanted(seq)
        join driftwise.events using(seq) where problem = %s and kind = %s
        """
        return {
            seq: (name, body)
            for start in range(0, len(seqs), _PAGE)
            for seq, name, body in self._all(
                query, seqs[start : start + _PAGE], self.problem, DECIDED
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
        """End the session, if it is its own."""
        if self._is_own:
            self._line.close()

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return asked(self._line.session, query, values)


class PostgreSQLStore(PostgreSQLLog):
    """The log of a problem that this node owns: it holds a lease from the beginning to `close`.

    Parameters
    ----------
    leases
        Those of this node.
    name
        The problem.
    line
        What is asked and written by; two of its own by default.

    Raises
    ------
    NotOwnerError
        If another node owns it.
    """

    def __init__(self, leases: Leases, name: str, line: Line | None = None) -> None:
        self.lease, self._url = leases.take(name), leases.url
        self._ending = ExitStack()
        self._ending.callback(leases.release, self.lease)
        lines = [Line(leases.url, leases.seconds) for _ in range(2)] if line is None else [line]
        if line is None:
            for each in lines:
                self._ending.callback(each.close)
        with ExitStack() as undo:
            undo.callback(self.close)
            # So that nobody who reads makes a commit wait.
            super().__init__(leases.url, name, lines[0])
            self._writer = lines[-1].session
            self._size = super().size()
            undo.pop_all()

    @property
    def is_held(self) -> bool:
        """Whether nobody else can own the log by now."""
        return self.lease.is_held

    def append(self, rows: Sequence[Row]) -> None:
        """Write rows in one statement; they are durable on return."""
        if rows:
            self._write(_APPEND, _columns(rows), len(rows))

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; most of the older ones go."""
        self._write(_SAVE, _facts(snapshot), 1)
        every = "select seq, t from driftwise.snapshots where problem = %s order by seq desc"
        old = superfluous(self._all(every, self.problem), snapshot.t)
        query = "delete from driftwise.snapshots where problem = %s and seq = any(%s)"
        with suppress(psycopg.Error):  # they may go another time
            if old:
                self._writer.execute(query, (self.problem, old))
        self._size = super().size()

    def overwrite(self, rows: Sequence[Row], snapshot: Snapshot) -> None:
        """Put rows in the place of others, and a snapshot in that of all before it; then vacuum."""
        with closing(connect(self._url, _LONG)) as session:
            old = (_OVERWRITE, _columns(rows)), (_DROP_SNAPSHOTS, {"until": snapshot.seq})
            self._change(session, *old, (_SAVE, _facts(snapshot)))
            with suppress(psycopg.Error):  # the database does it by itself some time
                session.execute("vacuum driftwise.events, driftwise.snapshots")

    def drop(self, until: int, kept: Sequence[int]) -> None:
        """Take rows out, so many at a time that the lease can be renewed in between."""
        with closing(connect(self._url, _LONG)) as session:
            for first in range(0, until, _PIECE):
                last = min(first + _PIECE, until)
                facts = {"first": max(1, first), "last": last, "kept": list(kept)}
                self._change(session, (_DROP, facts))

    def restore(self, rows: Sequence[Row]) -> None:
        """Put rows back that were taken out, likewise."""
        with closing(connect(self._url, _LONG)) as session:
            for first in range(0, len(rows), _PIECE):
                self._change(session, (_RESTORE, _columns(rows[first : first + _PIECE])))

    def _change(self, session: Session, *statements: tuple[str, dict[str, Any]]) -> None:
        """Change what was written before, in one transaction that only the owner can commit."""
        own = {"problem": self.problem, "epoch": self.lease.epoch}
        try:
            with session.transaction():
                if not session.execute(_FENCE, own).fetchall():
                    raise FencedError(f"epoch {self.lease.epoch} of {self.name} is over")
                for query, facts in statements:
                    session.execute(query, facts | own)
        except psycopg.Error as error:
            raise StoreError(f"{type(error).__name__}: {error}") from error

    def size(self) -> int:
        """Return how many bytes the logs of all problems took at the last snapshot."""
        return self._size

    def close(self) -> None:
        """End its sessions and release the lease."""
        self._ending.close()

    def _write(self, query: str, facts: dict[str, Any], n_rows: int) -> None:
        facts |= {"problem": self.problem, "epoch": self.lease.epoch}
        try:
            n_written = self._writer.execute(query, facts, prepare=True).rowcount
        except psycopg.Error as error:
            # It may be durable all the same: only the log can say.
            self._writer.close()
            raise StoreError(f"{type(error).__name__}: {error}") from error
        if n_written != n_rows:
            raise FencedError(
                f"epoch {self.lease.epoch} of {self.name} is over: another node owns it"
            )


def _columns(rows: Sequence[Row]) -> dict[str, Any]:
    return dict(zip(Row._fields, map(list, zip(*rows, strict=True)), strict=True))


def _facts(snapshot: Snapshot) -> dict[str, Any]:
    seq, t, content = snapshot
    return {"seq": seq, "t": t, "crc": zlib.crc32(content), "body": content}
