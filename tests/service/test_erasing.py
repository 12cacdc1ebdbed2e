"""A person is erased from a service that serves."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from driftwise.service import commit
from driftwise.service.events import Decided, Row, event_of
from driftwise.service.operations import operating
from driftwise.service.replay import recovered
from driftwise.service.requests import DecisionRequest, RewardRequest
from driftwise.service.service import Service
from driftwise.service.snapshots import Taken
from driftwise.service.stores.sqlite import SQLiteStore
from driftwise.service.verify import verify_all
from tests.service.small_service import SETTINGS, TEXT, problem, serving


@pytest.mark.parametrize("by", ["id", "context", "user"])
def test_a_person_is_erased_from_every_byte_and_the_memory_stays(tmp_path: Path, by: str) -> None:
    path = tmp_path / "log.db"
    text = TEXT.replace(
        'kind = "number"\nlow = 0\nhigh = 1', 'kind = "category"\nvalues = ["jane-doe", "b"]'
    )
    own = problem(text)

    async def ask(service: Service, i: int) -> None:
        request = DecisionRequest(
            f"jane-{i}" if i % 2 else f"n{i}", {"who": "jane-doe" if i % 2 else "b"}
        )
        if by == "user":
            request.user = "jane" if i % 2 else "bob"
        await service.do(lambda engine: engine.decide(request))
        if i % 3:
            await service.do(lambda engine: engine.reward(RewardRequest(request.id or "", 1.0)))

    async def talk(service: Service) -> None:
        for i in range(60):
            await ask(service, i)
        service.engine.reward(RewardRequest("jane-early", 1.0))
        await service.durable()
        before = service.engine.state.learner.agent.estimate.copy()
        ids = [f"jane-{i}" for i in range(1, 60, 2)] + ["jane-early"]
        given: Any = {"ids": [], "context": {"who": "jane-doe"}}
        given = {"ids": ids, "context": {}} if by == "id" else given
        given = {"ids": [], "context": {}, "user": "jane"} if by == "user" else given
        digest = service.engine.ids.user("jane")
        assert (digest in everything(path)) == (by == "user")
        assert await operating.erase(service, **given, who="me", why="asked", is_dry=True) == 30
        assert b"jane-1" in everything(path)
        assert await operating.erase(service, **given, who="me", why="asked", is_dry=False) == 30
        assert np.array_equal(service.engine.state.learner.agent.estimate, before)
        assert all(
            "jane" not in name or name == "jane-early"
            for name in service.engine.state.ledger.closed
        )
        assert digest not in everything(path)
        for i in range(61, 90):
            await ask(service, 2 * i)

    serving(SQLiteStore(path), talk, own)
    left = b"jane-early" if by != "id" else b""
    assert b"jane-" not in everything(path).replace(b"jane-doe", b"").replace(left, b"")
    store = SQLiteStore(path)
    found = verify_all(own, store.read())
    assert (found.erased, found.blurred) == (30, 29)
    assert found.choices == 30
    assert recovered(own, store).state.digest == found.state.digest
    for row in store.read():
        body = event_of(row).body
        if isinstance(body, Decided):
            assert body.is_erased == (row.id.startswith("~"))
            assert body.is_erased == (body.context is None)
    # A memory made anew can no longer learn from what is erased, and says so.
    store.close()

    async def again(service: Service) -> Any:
        return await operating.upgrade(service, SETTINGS, "me", "test", is_dry=True)

    assert serving(SQLiteStore(path), again, own).lost == 30


def test_an_erasure_waits_for_a_snapshot_of_before_and_reads_nothing_while_others_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, readers = tmp_path / "log.db", set[str]()

    class Slow(Taken):
        def __iter__(self) -> Iterator[None]:
            yield from itertools.repeat(None, 500)
            yield from super().__iter__()

    class Watched(SQLiteStore):
        def read(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
            readers.add(threading.current_thread().name)
            return super().read(after, until)

    monkeypatch.setattr(commit, "Taken", Slow)
    monkeypatch.setattr(commit, "_SNAPSHOT_EVENTS", 30)

    async def talk(service: Service) -> None:
        readers.clear()
        for i in range(15):
            name = f"jane-{i}"
            service.engine.decide(DecisionRequest(name, {"who": 0.5}))
            service.engine.reward(RewardRequest(name, 1.0))
        await service.durable()
        ids = [f"jane-{i}" for i in range(15)]
        assert await operating.erase(service, ids, {}, "me", "asked", is_dry=False) == 15
        assert service.committer is not None
        await service.committer.saved()

    serving(Watched(path), talk)
    assert b"jane-" not in everything(path)
    assert readers
    assert not any("commits" in reader for reader in readers)


def everything(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in path.parent.glob(path.name + "*"))
