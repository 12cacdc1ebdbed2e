"""Stores of every kind."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.service.database import Database
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import Store
from driftwise.service.stores.sqlite import SQLiteStore

Open = Callable[[], Store]  # the same log again


@pytest.fixture
def name() -> str:
    """Return a problem that nobody has served yet."""
    return f"test-{secrets.token_hex(6)}"


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> Iterator[Open]:
    if request.param == "memory":
        only = MemoryStore()
        yield lambda: only
    elif request.param == "sqlite":
        yield lambda: SQLiteStore(tmp_path / "log.db")
    else:
        from driftwise.service.stores.leases import Leases
        from driftwise.service.stores.postgresql import PostgreSQLStore

        database: Database = request.getfixturevalue("database")
        leases = Leases(database.url, "http://here")
        yield lambda: PostgreSQLStore(leases, name)
        leases.close()


@pytest.fixture
def store(reopen: Open) -> Iterator[Store]:
    made = reopen()
    yield made
    made.close()
