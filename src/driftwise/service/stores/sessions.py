"""Sessions with a PostgreSQL server: no statement is waited for without end, and commits are synchronous."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Generator, Sequence
from typing import Any, TypeVar

import psycopg

from .protocol import StoreError

__all__ = ["Line", "Session", "asked", "connect"]

_TABLES = """
create schema if not exists driftwise;
create table if not exists driftwise.problems(
  problem int generated always as identity primary key, name text not null unique, epoch bigint not null,
  holder text not null, address text not null, until timestamptz not null);
create table if not exists driftwise.events(
  problem int not null, seq bigint not null, epoch bigint not null, kind smallint not null, id text not null,
  t bigint not null, crc bigint not null, body bytea not null, primary key(problem, seq));
create index if not exists events_id on driftwise.events(problem, id) where id <> '';
create index if not exists events_operations on driftwise.events(problem) where kind >= 10;
create table if not exists driftwise.snapshots(
  problem int not null, seq bigint not null, t bigint not null, crc bigint not null, body bytea not null,
  primary key(problem, seq));
create table if not exists driftwise.keys(
  problem text not null, id text primary key, hash bytea not null, scopes text not null, made bigint not null,
  expires bigint, note text not null);
create table if not exists driftwise.key_changes(
  problem text not null, number bigint not null, t bigint not null, who text not null, what text not null,
  why text not null, primary key(problem, number));
"""
_LOCK = 0x64726966  # "drif": held while tables are made, which two nodes must not do at once
_READY_NONE = 0  # what psycopg tells a generator when nothing has happened for a while
_INTERVAL = 0.1  # seconds of that while
_Value = TypeVar("_Value")
_Steps = Generator[Any, Any, _Value]


class Session(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose every statement ends within some seconds, or is given up for good.

    A server that is cut off answers nothing, not even an error. Who gives up knows nothing about the
    statement: it may still be carried out.
    """

    patience = 10.0  # seconds

    def wait(
        self, gen: _Steps[_Value], interval: float = _INTERVAL, timeout: float | None = None
    ) -> _Value:
        """Wait for an answer, but not for longer than one has patience."""
        patience = self.patience if timeout is None else min(timeout, self.patience)
        return super().wait(_bounded(gen, time.monotonic() + patience), interval)


class Line:
    """A session that is opened when it is needed, and again when it was lost; threads may share it.

    Parameters
    ----------
    url, patience
        As `connect` takes them.
    """

    def __init__(self, url: str, patience: float = 10.0) -> None:
        self._url, self._patience = url, patience
        self._opening = threading.Lock()
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The session."""
        with self._opening:
            if self._session is None or self._session.closed:
                self._session = connect(self._url, self._patience)
            return self._session

    def close(self) -> None:
        """End the session, if there is one."""
        if self._session is not None:
            self._session.close()


def connect(url: str, patience: float = 10.0) -> Session:
    """Return a session with a database that has all tables, or say what is wrong.

    Parameters
    ----------
    url
        As libpq takes it: ``postgresql://user@host/database``.
    patience
        Seconds to wait for an answer.
    """
    try:
        limit = max(2, math.ceil(patience))
        made: Session = Session.connect(
            url, autocommit=True, connect_timeout=limit, application_name="driftwise"
        )
    except psycopg.Error as error:
        raise StoreError(f"PostgreSQL cannot be asked: {error}") from error
    made.patience = patience
    try:
        _prepare(made)
    except BaseException as error:
        made.close()
        if isinstance(error, psycopg.Error):
            raise StoreError(f"PostgreSQL cannot be asked: {error}") from error
        raise
    return made


def asked(session: Session, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query; a session that fails is of no more use."""
    try:
        return session.execute(query, values, binary=True).fetchall()
    except psycopg.Error as error:
        session.close()
        raise StoreError(f"PostgreSQL cannot be asked: {error}") from error


def _prepare(session: Session) -> None:
    settings = "select current_setting('fsync'), current_setting('synchronous_commit')"
    ((fsync, commit),) = session.execute(settings).fetchall()
    if fsync != "on":
        raise StoreError(
            f"fsync of PostgreSQL must be on, since a reply means on disk, got {fsync}"
        )
    if commit in ("off", "local"):  # anything stronger stays
        session.execute("set synchronous_commit = on")
    newest = "select to_regclass('driftwise.key_changes') is null"  # all others came before it
    if session.execute(newest).fetchall() == [(True,)]:
        with session.transaction():
            session.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
            session.execute(_TABLES)


def _bounded(steps: _Steps[_Value], deadline: float) -> _Steps[_Value]:
    """Pass everything on, until time is up."""
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if ready == _READY_NONE and time.monotonic() > deadline:
                raise psycopg.OperationalError("no answer in time")
            wanted = steps.send(ready)
    except StopIteration as end:
        value: _Value = end.value
        return value
