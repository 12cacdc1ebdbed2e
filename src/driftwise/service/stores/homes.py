"""Where the logs of a template's problems are: in files of one folder, or in a database that nodes share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

from .folders import make_folder
from .protocol import Store
from .sqlite import SQLiteStore

if TYPE_CHECKING:  # needs psycopg, which is asked for only where it is used
    from .leases import Leases
    from .sessions import Line

__all__ = ["DatabaseHomes", "FolderHomes", "Homes", "path_in"]

_LINES = 4  # sessions that all problems share


class Homes(Protocol):
    """The logs of all problems ``TEMPLATE.NAME``."""

    def count(self) -> int:
        """Return how many problems there are."""

    def has(self, name: str) -> bool:
        """Return whether a problem has begun."""

    def open(self, name: str) -> Store:
        """Open a log, to write to it; `NotOwnerError` says that another node does."""

    def close(self) -> None:
        """End what is shared."""


class FolderHomes:
    """A file of SQLite for each problem.

    Parameters
    ----------
    folder
        Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        make_folder(folder)
        self._n = sum(1 for _ in folder.glob("*.db"))

    def count(self) -> int:
        """Return how many problems there are."""
        return self._n

    def has(self, name: str) -> bool:
        """Return whether a problem has begun."""
        return path_in(self._folder, name).exists()

    def open(self, name: str) -> Store:
        """Open a log, to write to it."""
        is_new = not self.has(name)
        # Its writer checkpoints by itself: a thread for each would cost more than it brings.
        store = SQLiteStore(path_in(self._folder, name), is_checkpointing=False)
        self._n += is_new
        return store

    def close(self) -> None:
        """End nothing."""


class DatabaseHomes:
    """Logs in PostgreSQL, each owned by the node that was asked first; a few sessions serve all of them.

    Parameters
    ----------
    leases
        Those of this node.
    template
        The name of the template.
    """

    def __init__(self, leases: Leases, template: str) -> None:
        from .sessions import Line

        self._leases, self._prefix = leases, f"{template}."
        self._lines = [Line(leases.url, leases.seconds) for _ in range(_LINES)]

    def count(self) -> int:
        """Return how many problems there are, by whatever node they began."""
        query = "select count(*) from driftwise.problems where starts_with(name, %s)"
        return self._asked(query, self._prefix)

    def has(self, name: str) -> bool:
        """Return whether a problem has begun."""
        return bool(self._asked("select count(*) from driftwise.problems where name = %s", name))

    def open(self, name: str) -> Store:
        """Open a log, to write to it; `NotOwnerError` says that another node does."""
        from .postgresql import PostgreSQLStore

        return PostgreSQLStore(self._leases, name, self._line(name))

    def close(self) -> None:
        """End all sessions."""
        for line in self._lines:
            line.close()

    def _line(self, name: str) -> Line:
        return self._lines[crc32(name.encode()) % _LINES]

    def _asked(self, query: str, value: str) -> int:
        from .sessions import asked

        ((n,),) = asked(self._line(value).session, query, (value,))
        return int(n)


def path_in(folder: Path, name: str) -> Path:
    """Return the file of a problem ``TEMPLATE.NAME``."""
    return folder / f"{name.partition('.')[2]}.db"
