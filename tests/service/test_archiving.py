"""Old events leave the log of a service that serves, and come back; backups."""

from __future__ import annotations

import asyncio
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from driftwise.service.events import DECIDED, OPERATED
from driftwise.service.operations import archiving, operating
from driftwise.service.replay import archived_state, recovered
from driftwise.service.requests import RefusalError, RewardRequest
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import Store
from driftwise.service.stores.sqlite import SQLiteStore
from driftwise.service.verify import verify_all
from tests.service.small_service import SETTINGS, live, problem, serving


def test_what_is_archived_comes_back_and_the_log_goes_on_without(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    async def talk(service: Service) -> None:
        await live(service, 100)
        middle = service.engine.state.seq
        await live(service, 50, 100)
        before = service.engine.state.learner.agent.digest
        moved = await archiving.archive(service, middle, tmp_path, "me", "old")
        assert (moved.events, moved.until) == (middle, middle)
        assert service.engine.state.learner.agent.digest == before
        status = service.engine.reward(RewardRequest("person-5", 1.0)).status
        assert status == "learnt", "what was open stays"
        await live(service, 20, 150)
        again = await operating.upgrade(service, SETTINGS, "me", "test", is_dry=True)
        assert again.archived == middle
        await archiving.archive(service, middle + 20, tmp_path, "me", "old, too")

    serving(SQLiteStore(path), talk)
    store = SQLiteStore(path)
    assert len(list(store.read(until=180))) < 60
    by_snapshot = recovered(problem(), store).state
    base = archived_state(problem(), store)
    assert base is not None
    found = verify_all(problem(), store.read(after=base.seq), base)
    assert found.state.digest == by_snapshot.digest
    store.close()

    async def back(service: Service) -> None:
        first, second = sorted(tmp_path.glob("*.parquet"), key=lambda file: file.stat().st_size)
        with pytest.raises(RefusalError, match="all archived"):
            await archiving.restore(service, [first], "me", "look")
        await archiving.restore(service, [first, second], "me", "look again")

    serving(SQLiteStore(path), back)
    store = SQLiteStore(path)
    whole = verify_all(problem(), store.read())
    assert whole.choices == 170
    assert recovered(problem(), store).state.digest == whole.state.digest
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
def test_a_backup_is_made_while_decisions_go_on(tmp_path: Path, kind: str) -> None:
    async def talk(service: Service) -> Any:
        await live(service, 50)
        backup = asyncio.create_task(archiving.back_up(service, tmp_path / "b", "me", "nightly"))
        await live(service, 50, 50)
        return await backup

    store: Store = SQLiteStore(tmp_path / "log.db") if kind == "sqlite" else MemoryStore()
    moved = serving(store, talk)
    if kind == "sqlite":
        copy: Store = SQLiteStore(moved.file)
    else:
        copy = MemoryStore()
        copy.append(list(archiving.read_rows(Path(moved.file))))
    assert verify_all(problem(), copy.read()).choices >= 50
    copy.close()


def test_it_starts_where_the_newest_snapshot_is_older_than_the_archive(tmp_path: Path) -> None:
    store = MemoryStore()
    serving(store, lambda service: live(service, 30))  # which leaves a snapshot

    async def talk(service: Service) -> str:
        await live(service, 30, 30)
        await archiving.archive(service, 80, tmp_path, "me", "test")
        await live(service, 5, 60)
        return service.engine.state.digest

    digest = serving(store, talk, stops=False)  # as a kill would
    assert max(each.seq for each in store.snapshots()) < 80
    assert recovered(problem(), store).state.digest == digest
    serving(store, lambda service: live(service, 5, 65))
    base = archived_state(problem(), store)
    assert base is not None
    found = verify_all(problem(), store.read(after=base.seq), base)
    assert found.state.digest == recovered(problem(), store).state.digest


def test_it_starts_where_a_kill_came_while_rows_were_put_back(tmp_path: Path) -> None:
    store = MemoryStore()

    async def talk(service: Service) -> str:
        await live(service, 40)
        moved = await archiving.archive(service, 60, tmp_path, "me", "test")
        rows = list(archiving.read_rows(Path(moved.file)))
        store.restore(rows[: len(rows) // 2])  # and no event says that it is done
        return service.engine.state.digest

    digest = serving(store, talk, stops=False)
    assert recovered(problem(), store).state.digest == digest
    serving(store, lambda service: live(service, 5, 40))
    assert next(store.read(after=1, until=2), None) is None, "they are dropped again"


def test_what_was_open_at_an_archive_may_be_erased(tmp_path: Path) -> None:
    store = MemoryStore()

    async def talk(service: Service) -> str:
        await live(service, 40)
        await archiving.archive(service, 60, tmp_path, "me", "old")
        service.engine.reward(RewardRequest("person-5", 1.0))
        await live(service, 10, 40)  # by a memory that has learnt it
        await operating.erase(service, ["person-0", "person-5"], {}, "me", "asked", is_dry=False)
        found = await operating.upgrade(service, SETTINGS, "me", "test", is_dry=False)
        assert found.lost == 2
        await live(service, 5, 50)
        return service.engine.state.digest

    digest = serving(store, talk, stops=False)
    base = archived_state(problem(), store)
    assert base is not None
    found = verify_all(problem(), store.read(after=base.seq), base)
    rows = store.read(after=60)
    until = takewhile(lambda row: row.kind != OPERATED, rows)
    assert found.blurred == sum(row.kind == DECIDED for row in until)
    assert found.choices == 5
    store.snapshots = lambda: iter(())  # type: ignore[method-assign]  # from the archive, then
    assert found.state.digest == recovered(problem(), store).state.digest == digest


def test_an_archive_that_was_put_back_holds_nothing_of_who_is_erased(tmp_path: Path) -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 30)
        moved = await archiving.archive(service, 50, tmp_path, "me", "old")
        await archiving.restore(service, [Path(moved.file)], "me", "to erase in it")
        assert await operating.erase(service, ["person-1"], {}, "me", "asked", is_dry=False) == 1

    serving(store, talk)
    assert not [
        row.seq for row in store.read() if row.id == "person-1" or b"\xa8person-1" in row.body
    ]
    found = verify_all(problem(), store.read())
    assert found.state.digest == recovered(problem(), store).state.digest
