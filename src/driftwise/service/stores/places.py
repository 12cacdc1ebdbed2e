"""Where the log and the keys of a problem are: in a file of SQLite, or in a database of PostgreSQL."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .homes import DatabaseHomes, FolderHomes, Homes, path_in
from .protocol import Log, Store
from .sqlite import TABLES, SQLiteLog, SQLiteStore
from .sqlite_file import connection

if TYPE_CHECKING:  # needs psycopg, which is asked for only where it is used
    from .leases import Leases
    from .sessions import Session

__all__ = ["KeyChange", "Place", "PostgreSQLPlace", "SQLitePlace", "is_shared", "place_of"]

KeyRow = tuple[Any, ...]  # id, hash, scopes, made, expires, note


class KeyChange(NamedTuple):
    """A key that came or went, for the log of whoever serves the problem."""

    number: int  # 1, 2, 3, ...; 0: not counted yet
    t: int  # seconds since 1970
    who: str
    what: str
    why: str


class Place(Protocol):
    """A place for one problem."""

    @property
    def source(self) -> str:
        """The place, as `place_of` takes it; a password may be in it."""

    def open(self) -> Store:
        """Open the log, to write to it."""

    def log(self) -> Log:
        """Open the log, to read it, also while somebody else writes."""

    def homes(self) -> Homes:
        """Return where the problems of a template are, if it is one."""

    def member(self, name: str) -> Place:
        """Return where one of these problems is."""

    def keys(self) -> list[KeyRow]:
        """Return all keys, the oldest first."""

    def add_key(self, row: KeyRow, change: KeyChange) -> None:
        """Keep a key."""

    def remove_key(self, name: str, change: KeyChange) -> bool:
        """Take a key away; return whether it was there."""

    def key_changes(self, after: int) -> list[KeyChange]:
        """Return what happened to keys after a change, in order."""

    def close(self) -> None:
        """End what is open for reading keys."""


_CHANGE = "insert into key_changes(t, who, what, why) values(?,?,?,?)"


class SQLitePlace:
    """A file, which only one process writes to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def source(self) -> str:
        """The file."""
        return str(self.path)

    def open(self) -> Store:
        """Open the log, to write to it."""
        return SQLiteStore(self.path)

    def log(self) -> Log:
        """Open the log, to read it."""
        return SQLiteLog(self.path)

    def homes(self) -> Homes:
        """Return the folder of the same name."""
        return FolderHomes(self.path.with_suffix(""))

    def member(self, name: str) -> Place:
        """Return where one of these problems is."""
        return SQLitePlace(path_in(self.path.with_suffix(""), name))

    def keys(self) -> list[KeyRow]:
        """Return all keys, the oldest first."""
        return self._all("keys", "select * from keys order by made, id")

    def add_key(self, row: KeyRow, change: KeyChange) -> None:
        """Keep a key."""
        with (database := connection(self.path)):
            database.execute(TABLES)
            database.execute("insert into keys values(?,?,?,?,?,?)", row)
            database.execute(_CHANGE, change[1:])
        database.close()

    def remove_key(self, name: str, change: KeyChange) -> bool:
        """Take a key away; return whether it was there."""
        with (database := connection(self.path)):
            database.execute(TABLES)
            database.execute("delete from keys where id = ?", (name,))
            if is_gone := database.changes() == 1:
                database.execute(_CHANGE, change[1:])
        database.close()
        return is_gone

    def key_changes(self, after: int) -> list[KeyChange]:
        """Return what happened to keys after a change, in order."""
        query = "select * from key_changes where number > ? order by number"
        return [KeyChange(*row) for row in self._all("key_changes", query, after)]

    def _all(self, table: str, query: str, *values: Any) -> list[KeyRow]:
        """Return what a table holds; nothing if it is not there."""
        if not self.path.exists():
            return []
        database = connection(self.path)
        is_there = "select 1 from sqlite_master where name = ?"
        rows: list[KeyRow] = []
        if database.execute(is_there, (table,)).fetchall():
            rows = database.execute(query, values).fetchall()
        database.close()
        return rows

    def close(self) -> None:
        """Let go of nothing."""


class PostgreSQLPlace:
    """A database, which several nodes share."""

    def __init__(self, url: str, name: str, leases: Leases | None = None) -> None:
        self.url, self.name, self.leases = url, name, leases
        self._session: Session | None = None

    @property
    def source(self) -> str:
        """The database, with its password."""
        return self.url

    def __str__(self) -> str:
        from psycopg.conninfo import conninfo_to_dict

        facts = conninfo_to_dict(self.url)
        return f"PostgreSQL, {facts.get('dbname', '')} on {facts.get('host', 'this machine')}"

    def open(self) -> Store:
        """Open the log, to write to it; `NotOwnerError` says that another node does."""
        from .postgresql import PostgreSQLStore

        assert self.leases is not None, "only a node writes"
        return PostgreSQLStore(self.leases, self.name)

    def log(self) -> Log:
        """Open the log, to read it."""
        from .postgresql import PostgreSQLLog

        return PostgreSQLLog(self.url, self.name)

    def homes(self) -> Homes:
        """Return where all whose names begin with that of the template are."""
        assert self.leases is not None, "only a node writes"
        return DatabaseHomes(self.leases, self.name)

    def member(self, name: str) -> Place:
        """Return where one of these problems is."""
        return PostgreSQLPlace(self.url, name, self.leases)

    def keys(self) -> list[KeyRow]:
        """Return all keys, the oldest first."""
        query = "select id, hash, scopes, made, expires, note from driftwise.keys where problem = %s order by made, id"
        return self._asked(query, (self.name,))

    def add_key(self, row: KeyRow, change: KeyChange) -> None:
        """Keep a key."""
        query = "insert into driftwise.keys values(%s,%s,%s,%s,%s,%s,%s) returning problem"
        self._changed(query, (self.name, *row), change)

    def remove_key(self, name: str, change: KeyChange) -> bool:
        """Take a key away; return whether it was there."""
        query = "delete from driftwise.keys where problem = %s and id = %s returning problem"
        return self._changed(query, (self.name, name), change)

    def _changed(self, query: str, values: tuple[Any, ...], change: KeyChange) -> bool:
        # Of two changes at once one is refused by the primary key: else a number could come late.
        both = (
            f"with done as ({query}) insert into driftwise.key_changes select problem, (select "
            "coalesce(max(number), 0) + 1 from driftwise.key_changes where problem = done.problem), "
            "%s, %s, %s, %s from done returning number"
        )
        return bool(self._asked(both, (*values, *change[1:])))

    def key_changes(self, after: int) -> list[KeyChange]:
        """Return what happened to keys after a change, in order."""
        query = "select number, t, who, what, why from driftwise.key_changes where problem = %s and number > %s order by number"
        return [KeyChange(*row) for row in self._asked(query, (self.name, after))]

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()

    def _asked(self, query: str, values: tuple[Any, ...]) -> list[KeyRow]:
        from .sessions import asked, connect

        if self._session is None or self._session.closed:
            self._session = connect(self.url)
        return asked(self._session, query, values)


def is_shared(store: str | Path | None) -> bool:
    """Return whether a store is a database that several nodes may share."""
    return str(store).startswith(("postgresql://", "postgres://"))


def place_of(
    store: str | Path | None, file: Path, name: str, leases: Leases | None = None
) -> Place:
    """Return where a problem is kept: beside its file, unless somebody says otherwise.

    Parameters
    ----------
    store
        ``postgresql://...``, ``sqlite:///PATH``, the path of a file of SQLite, or None.
    file, name
        The problem file, and the name of the problem.
    leases
        Those of this node, if it is to write.
    """
    if is_shared(store):
        if find_spec("psycopg") is None:
            raise ValueError("a store in PostgreSQL needs: pip install 'driftwise[postgresql]'")
        return PostgreSQLPlace(str(store), name, leases)
    text = str(store).removeprefix("sqlite:///")
    if "://" in text:
        raise ValueError(
            f"store must be postgresql://..., sqlite:///PATH or the path of a file, got {text!r}"
        )
    return SQLitePlace(file.with_suffix(".db") if store is None else Path(text))
