"""From events that are applied to events that are durable: batches, the barrier, and faults."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial

from .engine import Engine
from .requests import RefusalError
from .snapshots import Taken
from .stores.protocol import Snapshot, Store, StoreError

__all__ = ["Committer", "encoded"]

_SNAPSHOT_EVENTS = 50_000
_SNAPSHOT_SECONDS = 300.0
_PAUSE = 0.001  # seconds after each piece of a snapshot: else the writer's thread does not get Python's lock
Told = Callable[[RefusalError | None], None]  # of what was written, or why it may be lost


class Committer:
    """Writes the queue of an engine: one batch is under way while the next one fills.

    Parameters
    ----------
    engine, store
        Whose queue is written, and where.
    thread
        A single thread: batches are written in order, so whatever is durable has all before it.
    observe
        Told of every commit: its seconds and its events.
    """

    def __init__(
        self, engine: Engine, store: Store, thread: Executor, observe: Callable[[float, int], None]
    ) -> None:
        self._engine, self._store, self._thread, self._observe = engine, store, thread, observe
        self._loop = asyncio.get_running_loop()
        self._filling: list[Told] = []  # who waits for the next batch
        self._under_way: list[Told] | None = None  # and for the one being written
        self._wake = asyncio.Event()
        self._failure: BaseException | None = None  # for which to give up
        self._saving: asyncio.Task[None] | None = None  # a snapshot
        self.snapshot_seq, self.snapshot_time = engine.state.seq, time.monotonic()
        self.durations: deque[float] = deque(maxlen=1000)

    def tell(self, told: Told) -> bool:
        """Call back when all that is applied now is durable, or is lost; return False if it is durable.

        Every reply waits for it, also that of a duplicate: what it repeats may not be durable yet.
        """
        if self._engine.queue:
            self._wake.set()
            self._filling.append(told)
        elif self._under_way is not None:
            self._under_way.append(told)
        else:
            return False
        return True

    def barrier(self) -> asyncio.Future[None] | None:
        """Return what to wait for until all that is applied now is durable; None if it is.

        Everybody gets a future of their own, so that whoever gives up cancels nothing for others.
        """
        future: asyncio.Future[None] = self._loop.create_future()
        return future if self.tell(partial(_settle, future)) else None

    def wake(self) -> None:
        """Have whatever is queued written, though nobody waits for it."""
        if self._engine.queue:
            self._wake.set()

    async def run(self) -> None:
        """Write whatever is queued, until a write fails, which is raised."""
        try:
            await self._run()
        finally:
            if self._saving is not None:
                self._saving.cancel()

    async def _run(self) -> None:
        engine = self._engine
        while True:
            while engine.queue and self._failure is None:
                # What was read meanwhile comes along. Else those who have just been told ask again while the
                # others are written, and ever after there are two batches of half the size, which cost more.
                await asyncio.sleep(0)
                if self._failure is None:
                    await self._write()
            if self._failure is not None:
                raise self._failure
            self._wake.clear()
            if not engine.queue:
                await self._wake.wait()

    def give_up(self, reason: str) -> None:
        """End as if a write had failed: what is in memory may no longer be what is in the log."""
        self._fail_by(StoreError(reason))

    def _fail_by(self, error: BaseException) -> None:
        self._failure = error
        self._wake.set()

    async def flush(self, *, with_snapshot: bool = False) -> None:
        """Wait until all is durable, a snapshot too if it is asked for."""
        if self._engine.is_torn:
            raise StoreError("memory is not what the log says")
        while (barrier := self.barrier()) is not None:
            await barrier
        if with_snapshot:
            await self._save(self._taken())

    async def saved(self) -> None:
        """Wait for a snapshot that is being encoded, which may be of before what has happened since."""
        if self._saving is not None:
            await asyncio.wait([self._saving])

    def fail(self, reason: str) -> None:
        """Tell all who wait that their requests may be lost."""
        waiting = *(self._under_way or ()), *self._filling
        # Nobody is told twice, and nothing counts as durable.
        self._under_way, self._filling = [], []
        for each in waiting:
            each(RefusalError(503, reason, 1))

    async def _write(self) -> None:
        engine = self._engine
        rows, engine.queue, engine.writing = engine.queue, [], engine.queue
        self._under_way, self._filling = self._filling, []
        taken = self._taken() if self._is_snapshot_due() else None
        start = time.perf_counter()
        await self._loop.run_in_executor(self._thread, self._store.append, rows)
        seconds = time.perf_counter() - start
        waiting, engine.writing, self._under_way = self._under_way, [], None
        for each in waiting:
            each(None)
        self.durations.append(seconds)
        self._observe(seconds, len(rows))
        if taken is not None:
            self._saving = asyncio.create_task(self._save(taken, _PAUSE))
            self._saving.add_done_callback(self._saved)

    def _is_snapshot_due(self) -> bool:
        if self._engine.is_torn or self._saving is not None:
            return False
        n_events = self._engine.state.seq - self.snapshot_seq
        seconds = time.monotonic() - self.snapshot_time
        return n_events >= _SNAPSHOT_EVENTS or (n_events > 0 and seconds > _SNAPSHOT_SECONDS)

    def _taken(self) -> Taken:
        """Return the state as it is; it may be kept only when all its events are durable."""
        state = self._engine.state
        self.snapshot_seq, self.snapshot_time = state.seq, time.monotonic()
        return Taken(state, self._engine.rings())

    async def _save(self, taken: Taken, pause: float = 0.0) -> None:
        snapshot = await encoded(taken, pause)
        await self._loop.run_in_executor(self._thread, self._store.save, snapshot)

    def _saved(self, saving: asyncio.Task[None]) -> None:
        self._saving = None
        if not saving.cancelled() and (error := saving.exception()) is not None:
            self._fail_by(error)


async def encoded(taken: Taken, pause: float = _PAUSE) -> Snapshot:
    """Return a snapshot, which is encoded while others go on."""
    for _ in taken:
        await asyncio.sleep(pause)
    return Snapshot(taken.seq, taken.t, taken.content)


def _settle(future: asyncio.Future[None], refusal: RefusalError | None) -> None:
    if future.done():  # given up
        return
    if refusal is None:
        future.set_result(None)
    else:
        future.set_exception(refusal)
        future.exception()  # perhaps nobody waits any longer, which is no error
