"""A log in one SQLite file: a commit returns when it is on disk.

SQLite 3.7.0 to 3.51.2 may lose transactions when two connections write and checkpoint at once, as
ours do; so an affected library is refused. Checkpoints decide how long the slowest commits take:
SQLite's own stall one for 10 ms and more. A thread of its own copies the WAL back all the time, and the
writer starts it over when it has grown, which then takes a millisecond.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import apsw

from ..events import DECIDED, MACHINE, DamageError, Machine, Row, machine_of
from .protocol import Snapshot, StoreError
from .retention import superfluous
from .sqlite_file import BUSY, ROWS, LockedError, connection, lock

__all__ = [
    "TABLES",
    "LockedError",
    "SQLiteLog",
    "SQLiteStore",
]

TABLES = """
create table if not exists events(
  seq integer primary key, kind int not null, id text not null, t int not null, crc int not null,
  body blob not null);
create index if not exists events_id on events(id) where id <> '';
create index if not exists events_operations on events(kind) where kind >= 10;
create table if not exists snapshots(seq integer primary key, t int not null, crc int not null, body blob not null);
create table if not exists keys(
  id text primary key, hash blob not null, scopes text not null, made int not null, expires int,
  note text not null);
create table if not exists key_changes(
  number integer primary key, t int not null, who text not null, what text not null, why text not null);
"""
_LONGEST_WAL = 4_000  # pages, 16 MB
_PERIOD = 0.1  # seconds between two copies of the WAL
_PAGE = 500  # rows that are read at once


class SQLiteStore:
    """The log of one problem in a file; one writer, held by a lock on a file beside it.

    Parameters
    ----------
    path
        The database; made if it is not there.
    is_checkpointing
        Whether a thread copies the WAL back. Without, only the writer does.
    """

    is_held = True  # by the lock, as long as the process lives

    def __init__(self, path: str | os.PathLike[str], *, is_checkpointing: bool = True) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"there must be a folder {self.path.parent}, got none")
        self._lock = lock(self.path.with_name(self.path.name + ".lock"))
        try:
            self._writer = connection(self.path)
            # Also what is moved between pages is zeroed where it was: else an erased id stays there.
            self._writer.execute("pragma secure_delete = on").fetchall()
            with self._writer:
                self._writer.execute(TABLES)
            self._reader = connection(self.path)
        except BaseException:
            os.close(self._lock)
            raise
        self._reading = threading.Lock()  # a connection serves one thread at a time
        self._wal_pages = 0
        self._writer.wal_autocheckpoint(0)
        self._writer.set_wal_hook(self._grown)
        self._ends, self._checkpointing = threading.Event(), threading.Lock()
        self._checkpointer = threading.Thread(target=self._checkpoint, name="driftwise checkpoints")
        if is_checkpointing:
            self._checkpointer.start()

    def append(self, rows: Sequence[Row]) -> None:
        """Write rows in one transaction; they are on disk on return."""
        try:
            if len(rows) <= ROWS:  # one statement is a transaction by itself
                self._insert(rows)
            else:
                with self._writer:
                    for start in range(0, len(rows), ROWS):
                        self._insert(rows[start : start + ROWS])
        except (apsw.Error, OSError, MemoryError) as error:
            raise StoreError(f"{type(error).__name__}: {error}") from error
        if self._wal_pages > _LONGEST_WAL:
            self._writer.set_busy_timeout(0)  # whoever reads is not waited for
            with suppress(apsw.Error):  # busy is no failure of the commit before
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
            self._writer.set_busy_timeout(BUSY)

    def _insert(self, rows: Sequence[Row]) -> None:
        self._writer.execute(_insert(len(rows)), tuple(chain.from_iterable(rows)))

    def read(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
        """Yield rows in order, from a connection of its own; others may write meanwhile.

        Some at a time: as long as a statement reads, the WAL cannot start over.
        """
        reader = connection(self.path)
        last = 2**62 if until is None else until
        query = f"select * from events where seq > ? and seq <= ? order by seq limit {_PAGE}"
        try:
            while page := [Row(*row) for row in reader.execute(query, (after, last))]:
                yield from page
                after = page[-1].seq
        except apsw.Error as error:
            raise DamageError(f"{self.path} cannot be read: {error}") from error
        finally:
            reader.close()

    def find(self, name: str) -> list[Row]:
        """Return all rows about one decision, in order."""
        return [
            Row(*row) for row in self._all("select * from events where id = ? order by seq", name)
        ]

    def decisions(self, seqs: list[int]) -> dict[int, tuple[str, bytes]]:
        """Return id and bytes of decisions by their seq."""
        found = {}
        for start in range(0, len(seqs), 10_000):
            some = ",".join(map(str, seqs[start : start + 10_000]))
            query = f"select seq, id, body from events where seq in ({some}) and kind = ?"
            found.update({seq: (name, body) for seq, name, body in self._all(query, DECIDED)})
        return found

    def last_machine(self) -> Machine | None:
        """Return what ran last, as the log tells."""
        query = "select * from events where kind = ? order by seq desc limit 1"
        rows = self._all(query, MACHINE)
        return machine_of(Row(*rows[0])) if rows else None

    def operations(self) -> list[Row]:
        """Return the rows of operations, in order."""
        # The index knows its own condition only as it is spelled there.
        query = "select * from events where kind >= 10 order by seq"
        return [Row(*row) for row in self._all(query)]

    def overwrite(self, rows: Sequence[Row], snapshot: Snapshot) -> None:
        """Put rows in the place of others; what was there is overwritten by zeros."""
        seq, t, content = snapshot
        changes = [(row.id, row.crc, row.body, row.seq) for row in rows]

        def change() -> None:
            self._writer.executemany("update events set id=?, crc=?, body=? where seq=?", changes)
            self._writer.execute("delete from snapshots where seq <= ?", (seq,))
            values = (seq, t, zlib.crc32(content), content)
            self._writer.execute("insert into snapshots values(?,?,?,?)", values)

        self._change(change)

    def drop(self, until: int, kept: Sequence[int]) -> None:
        """Take rows out; the room is used again."""
        stay = ",".join(map(str, (1, *kept)))
        query = f"delete from events where seq <= ? and seq not in ({stay})"
        self._change(lambda: self._writer.execute(query, (until,)))

    def restore(self, rows: Sequence[Row]) -> None:
        """Put rows back that were taken out."""
        query = "insert or ignore into events values(?,?,?,?,?,?)"
        self._change(lambda: self._writer.executemany(query, rows))

    def _change(self, call: Callable[[], Any]) -> None:
        """Change what was written before, in one transaction; the WAL is then copied back and cut off."""
        try:
            with self._writer:
                call()
        except apsw.Error as error:
            raise StoreError(f"{type(error).__name__}: {error}") from error
        # Somebody who reads is waited for, another checkpoint is not: SQLite refuses two at once.
        with self._checkpointing, suppress(apsw.Error):
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def backup(self, target: Path) -> None:
        """Copy the log as it is now, keys among it, while others write."""
        source = connection(self.path)
        copy = apsw.Connection(str(target))
        try:
            with copy.backup("main", source, "main") as steps:
                steps.step(-1)  # all in one: in pieces it starts over whenever somebody has written
            copy.execute("pragma journal_mode = delete").fetchall()  # one file, nothing beside it
        except apsw.Error as error:
            raise StoreError(f"{type(error).__name__}: {error}") from error
        finally:
            copy.close()
            source.close()

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; most of the older ones go."""
        seq, t, content = snapshot
        try:
            with self._writer:
                values = (seq, t, zlib.crc32(content), content)
                self._writer.execute("insert or replace into snapshots values(?,?,?,?)", values)
                every: Any = self._writer.execute("select seq, t from snapshots order by seq desc")
                for old in superfluous(every.fetchall(), t):
                    self._writer.execute("delete from snapshots where seq = ?", (old,))
        except apsw.Error as error:
            raise StoreError(f"{type(error).__name__}: {error}") from error

    def snapshots(self) -> Iterator[Snapshot]:
        """Yield snapshots that are undamaged, the newest first."""
        for (seq,) in self._all("select seq from snapshots order by seq desc"):
            for t, crc, body in self._all("select t, crc, body from snapshots where seq = ?", seq):
                if zlib.crc32(body) == crc:
                    yield Snapshot(seq, t, body)

    def now(self) -> None:
        """Return nothing: the machine's clock is as good."""

    def size(self) -> int:
        """Return how many bytes the files take."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Let go of files and of the lock."""
        self._ends.set()
        if self._checkpointer.is_alive():
            self._checkpointer.join()
        with self._reading:
            for each in (self._reader, self._writer):
                with suppress(apsw.Error):
                    each.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            with self._reading:
                return self._reader.execute(query, values).fetchall()
        except apsw.Error as error:
            raise DamageError(f"{self.path} cannot be read: {error}") from error

    def _grown(self, writer: apsw.Connection, name: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _checkpoint(self) -> None:
        own = connection(self.path)
        while not self._ends.wait(_PERIOD):
            with self._checkpointing, suppress(apsw.Error):
                # A connection that has read nothing yet checkpoints nothing.
                own.execute("select 1 from events limit 1").fetchall()
                own.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        own.close()


class SQLiteLog(SQLiteStore):
    """What anybody may read of a log, also while a service writes to it.

    Parameters
    ----------
    path
        The database, which must be there.
    """

    is_held = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileNotFoundError(f"there must be a log in {self.path}, got no such file")
        self._reader = connection(self.path)
        self._reading = threading.Lock()

    def close(self) -> None:
        """Close the connection."""
        self._reader.close()


@cache
def _insert(n_rows: int) -> str:
    return f"insert into events values{','.join(n_rows * ['(?,?,?,?,?,?)'])}"
