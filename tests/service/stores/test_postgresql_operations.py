"""Operations end to end on PostgreSQL: as on SQLite, each one event, and the log verifies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from benchmarks.service.database import Database
from driftwise.service.events import event_of
from driftwise.service.operations import archiving, operating
from driftwise.service.service import Service
from driftwise.service.stores.protocol import Store
from tests.service.small_service import SETTINGS, live, serving, verified


@pytest.fixture
def opened(database: Database, name: str) -> Iterator[list[Store]]:
    from driftwise.service.stores.leases import Leases
    from driftwise.service.stores.postgresql import PostgreSQLStore

    leases = Leases(database.url, "http://here")
    stores: list[Store] = [PostgreSQLStore(leases, name)]
    yield stores
    leases.close()


def test_all_operations_on_one_log(
    opened: list[Store], database: Database, name: str, tmp_path: Path
) -> None:
    from driftwise.service.stores.postgresql import PostgreSQLLog

    async def talk(service: Service) -> None:
        await live(service, 60)
        found = await operating.upgrade(service, SETTINGS, "me", "a test", is_dry=True)
        assert found.decisions > 0
        await operating.upgrade(service, SETTINGS, "me", "a test", is_dry=False)
        await live(service, 20, 60)
        await operating.censor(service, "me", "a test", first=20, last=40, is_dry=False)
        await operating.rewind(service, 100, "me", "a test", is_dry=False)
        await live(service, 20, 80)

    serving(opened[0], talk)
    log = PostgreSQLLog(database.url, name)
    found = verified(log)  # type: ignore[arg-type]  # it only reads
    assert found.operations == 3
    log.close()


def test_rows_are_erased_and_archived(
    opened: list[Store], database: Database, name: str, tmp_path: Path
) -> None:
    from driftwise.service.stores.postgresql import PostgreSQLLog

    async def talk(service: Service) -> None:
        await live(service, 60)
        ids = [row.id for row in service.store.read() if row.id][:2]  # type: ignore[union-attr]
        own = partial(operating.erase, service, ids, {}, "me", "a test", user="jane")
        assert await own(is_dry=False) == 3
        ids.append("person-7")
        assert service.store is not None
        last = service.engine.state.seq
        await live(service, 1, 60)
        # Not before the erasure: what is between cannot be told.
        moved = await archiving.archive(service, last, tmp_path, "me", "a test")
        assert len(list(service.store.read(until=last))) < 30
        await archiving.restore(service, [tmp_path / moved.file], "me", "a test")
        assert len(list(service.store.read(until=last))) == last
        assert not any(service.store.find(each) for each in ids)
        await live(service, 10, 61)

    serving(opened[0], talk)
    log = PostgreSQLLog(database.url, name)
    seqs = [event_of(row).seq for row in log.read()]
    assert seqs == list(range(1, len(seqs) + 1))
    log.close()
