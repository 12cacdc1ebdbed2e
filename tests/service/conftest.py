"""One PostgreSQL server for all tests that need one; an engine at a desk."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.service.database import Database, missing
from tests.service.desk import Desk, problem


@pytest.fixture(scope="session")
def database() -> Iterator[Database]:
    if reason := missing():
        pytest.skip(reason)
    pytest.importorskip("psycopg")
    made = Database()
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture(autouse=True)
def no_compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have rules interpreted: a few decisions are sooner made than compiled; slow tests make many."""
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setenv("DRIFTWISE_COMPILE", "never")


@pytest.fixture
def desk() -> Desk:
    return Desk(problem())
