"""A store that dies in the middle of an operation: all of it has happened, or nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from driftwise.service.events import Row
from driftwise.service.operations import archiving, operating
from driftwise.service.replay import archived_state, recovered
from driftwise.service.requests import RefusalError
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import Snapshot
from driftwise.service.verify import verify_all
from tests.service.small_service import SETTINGS, Talk, is_whole, live, problem, serving, verified


class KilledError(BaseException):
    """What a kill looks like from inside."""


class Mortal(MemoryStore):
    """A store whose process dies at one of its writes, just before or just after."""

    def __init__(self) -> None:
        super().__init__()
        self.left: int | None = None  # half steps until the end
        self.is_dead = False

    def _step(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.is_dead = True
                raise KilledError

    def append(self, rows: Sequence[Row]) -> None:
        self._step()
        super().append(rows)
        self._step()

    def overwrite(self, rows: Sequence[Row], snapshot: Snapshot) -> None:
        self._step()
        super().overwrite(rows, snapshot)
        self._step()

    def drop(self, until: int, kept: Sequence[int]) -> None:
        self._step()
        super().drop(until, kept)
        self._step()


OPERATIONS: dict[str, Callable[[Service, Path], Awaitable[Any]]] = {
    "policy": lambda service, folder: operating.upgrade(
        service, SETTINGS, "me", "test", is_dry=False
    ),
    "rewind": lambda service, folder: operating.rewind(service, 40, "me", "test", is_dry=False),
    "censor": lambda service, folder: operating.censor(service, "me", "test", arm=1, is_dry=False),
    "archive": lambda service, folder: archiving.archive(service, 60, folder, "me", "test"),
    "erase": lambda service, folder: operating.erase(
        service, ["person-3", "person-5"], {}, "me", "test", user="jane", is_dry=False
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("step", range(5))
def test_a_kill_in_the_middle_leaves_all_or_nothing(name: str, step: int, tmp_path: Path) -> None:
    store = Mortal()

    async def talk(service: Service) -> None:
        await live(service, 60)
        store.left = step
        task = asyncio.ensure_future(OPERATIONS[name](service, tmp_path))
        while not task.done() and not store.is_dead:
            await asyncio.sleep(0.005)
        task.cancel()  # nobody is left to answer it
        with contextlib.suppress(KilledError, RefusalError, asyncio.CancelledError):
            await task

    serving_until_killed(store, talk)
    store.left = None
    n_operations = len(store.operations())
    assert n_operations == int(step >= 1)

    async def after(service: Service) -> None:
        await live(service, 20, 60)

    serving(store, after)
    if name == "archive" and n_operations:
        assert len(list(store.read(until=60))) < 30
        base = archived_state(problem(), store)
        found = verify_all(problem(), store.read(after=60), base)
        assert recovered(problem(), store).state.digest == found.state.digest
        return
    verified(store)
    is_whole(store)
    if name == "erase" and n_operations:
        ids = {row.id for row in store.read()}
        assert not {"person-3", "person-5", "person-7"} & ids


def serving_until_killed(store: Mortal, talk: Talk) -> None:
    """Let a service run until its store dies; nothing of it is stopped in good order."""

    async def run() -> None:
        service = Service(problem(), lambda: store)
        await service.start()
        await talk(service)
        keeper = service._keeper
        assert keeper is not None
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)

    with contextlib.suppress(KilledError):
        asyncio.run(run())
