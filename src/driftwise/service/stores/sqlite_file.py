"""A SQLite file that is a log of driftwise: how it is opened and locked, and with which library."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import apsw

from ..events import SCHEMA, DamageError
from .folders import make_file
from .protocol import StoreError

__all__ = ["BUSY", "ROWS", "LockedError", "connection", "lock", "require_sound_library"]

_APPLICATION = 0x64726966  # "drif": what `file` and SQLite's own tools show
# Each row of one statement, as each statement runs without Python's lock, and to get it back while the loop
# is busy takes longer than to write: with one statement a row, a commit of 32 took five times as long.
ROWS = 128
BUSY = 5_000  # milliseconds to wait for another connection


class LockedError(Exception):
    """Another service writes to this file."""


def connection(path: Path) -> apsw.Connection:
    """Return a connection to a log, every commit of which is synchronous; or say what is wrong."""
    require_sound_library(apsw.sqlite_lib_version())
    try:
        if not path.exists():
            make_file(path)  # those beside it get the same permissions
        made = apsw.Connection(str(path), statementcachesize=2 * ROWS)
        made.set_busy_timeout(BUSY)
        application, schema = (made.pragma(name) for name in ("application_id", "user_version"))
        is_new = made.execute("select count(*) from sqlite_master").fetchall() == [(0,)]
        if is_new:
            made.execute(f"pragma application_id = {_APPLICATION}; pragma user_version = {SCHEMA}")
        elif application != _APPLICATION or schema not in range(1, SCHEMA + 1):
            raise DamageError(
                f"{path} must be a log of driftwise of version {SCHEMA} at most, got another file"
            )
        made.execute("pragma journal_mode = wal").fetchall()
        made.execute("pragma synchronous = full")
    except (apsw.Error, OSError) as error:
        raise DamageError(f"{path} cannot be opened: {error}") from error
    return made


def require_sound_library(version: str) -> None:
    """Refuse a version of SQLite that may lose what was committed."""
    number = tuple(int(part) for part in version.split("."))
    is_mended = (
        number >= (3, 51, 3) or (3, 50, 7) <= number < (3, 51) or (3, 44, 6) <= number < (3, 45)
    )
    if not is_mended:
        raise StoreError(
            f"SQLite must be 3.51.3 or newer, since older ones may lose commits, got {version}"
        )


def lock(path: Path) -> int:
    """Return a file that is locked; the lock ends with this process, however that ends."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise LockedError(f"{path} must not be locked: another service writes to the log") from None
    return file
