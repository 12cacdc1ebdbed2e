"""A service at work: what it replies is durable, and a failed write ends the state, not the service."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from driftwise.service.engine import Engine
from driftwise.service.events import Row
from driftwise.service.requests import DecisionReply, DecisionRequest, RefusalError, RewardRequest
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import FencedError, StoreError
from driftwise.service.verify import verify
from tests.service.desk import problem


class Fragile(MemoryStore):
    """A store that may wait, and may fail before or after it has written."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.fails = list[str]()  # of the next appends: "before" or "after" anything is written

    def append(self, rows: Sequence[Row]) -> None:
        assert self.gate.wait(10)
        how = self.fails.pop(0) if self.fails else ""
        if how == "fenced":
            raise FencedError(how)
        if how != "before":
            super().append(rows)
        if how:
            raise StoreError(f"failed {how}")


def decide(name: str) -> DecisionRequest:
    return DecisionRequest(name)


async def ask(service: Service, name: str) -> DecisionReply:
    return await service.do(lambda engine: engine.decide(decide(name)))


async def ask_until_told(service: Service, name: str) -> DecisionReply:
    """Retry as a client does."""
    while True:
        try:
            return await ask(service, name)
        except RefusalError:
            await asyncio.sleep(0.01)


def test_a_write_that_the_log_refuses_since_another_node_owns_it_is_told_apart() -> None:
    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        store.fails = ["fenced"]
        with pytest.raises(RefusalError) as caught:
            await ask(service, "a")
        assert caught.value.status == 503
        await ask_until_told(service, "a")
        assert service.faults == {"fenced": 1}
        await service.stop()

    asyncio.run(run())


def test_no_reply_comes_before_its_event_is_durable_not_even_that_of_a_retry() -> None:
    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        store.gate.clear()
        first = asyncio.create_task(ask(service, "a"))
        await asyncio.sleep(0.02)
        again = asyncio.create_task(ask(service, "a"))
        await asyncio.sleep(0.05)
        assert not first.done()
        assert not again.done()
        store.gate.set()
        assert (await again).seq == (await first).seq
        assert store.find("a")
        await service.stop()

    asyncio.run(run())


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_failed_write_throws_the_memory_away_and_nothing_told_is_lost(how: str) -> None:
    """Whether the failed write is durable nobody knows; either way the log says what happened."""

    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        told = await ask(service, "a")
        before = service.engine
        store.fails = [how]
        with pytest.raises(RefusalError, match="could not be written") as caught:
            await ask(service, "b")
        assert caught.value.retry_after
        again = await ask_until_told(service, "b")
        assert service.engine is not before
        assert again.repeated == (how == "after")
        assert (await ask(service, "a")).seq == told.seq
        state, _ = verify(service.problem, store.read())
        assert state.digest == service.engine.state.digest
        assert service.faults["store"] == 1
        await service.stop()

    asyncio.run(run())


def test_a_disk_that_is_full_for_a_while_refuses_and_comes_back() -> None:
    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        store.fails = ["before"] * 4
        with pytest.raises(RefusalError):
            await ask(service, "a")
        assert not service.is_ready
        assert service.last_engine is not None, "reads go on"
        with pytest.raises(RefusalError, match="recovers by itself"):
            await ask(service, "a")
        assert not (await ask_until_told(service, "a")).repeated
        await service.stop()

    asyncio.run(run())


def test_all_that_wait_are_told_of_a_failure() -> None:
    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        store.gate.clear()
        store.fails = ["before"]
        asked = [asyncio.create_task(ask(service, f"n{i}")) for i in range(5)]
        await asyncio.sleep(0.02)
        asked += [asyncio.create_task(ask(service, f"n{i}")) for i in range(5, 10)]
        await asyncio.sleep(0.02)
        store.gate.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(each, RefusalError) for each in found)
        await service.stop()

    asyncio.run(run())


def test_a_stop_leaves_a_snapshot_of_everything() -> None:
    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        for i in range(20):
            await ask(service, f"n{i}")
            reward = RewardRequest(f"n{i}", 0.5)
            await service.do(lambda engine, reward=reward: engine.reward(reward))  # type: ignore[misc]  # a default binds it
        digest = service.engine.state.digest
        await service.stop()
        (snapshot,) = store.snapshots()
        assert snapshot.seq == 42
        again = Service(problem(), lambda: store)
        await again.start()
        engine: Engine = again.engine
        assert engine.state.digest == digest
        assert again.replay_rate == 0
        await again.stop()

    asyncio.run(run())
