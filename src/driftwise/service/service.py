"""A problem at work: its engine, its store, and what is done when a write fails."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .clock import Anchor, Clock
from .commit import Committer
from .completing import complete
from .engine import Engine
from .events import DamageError
from .logs import say
from .problem.settings import Problem
from .replay import recovered
from .requests import RefusalError
from .stores.protocol import Store, StoreError

__all__ = ["Service"]

_Reply = TypeVar("_Reply")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0  # seconds between attempts to recover


class Service:
    """Serves one problem from its log; it must be started inside of an event loop.

    Parameters
    ----------
    problem
        What is decided.
    open_store
        Opens its log, again after a write has failed.
    """

    def __init__(self, problem: Problem, open_store: Callable[[], Store]) -> None:
        self.problem = problem
        self._open_store = open_store
        self._store: Store | None = None
        self._engine: Engine | None = None
        self._committer: Committer | None = None
        self._thread = ThreadPoolExecutor(1, "driftwise commits")
        self._keeper: asyncio.Task[None] | None = None
        self._ticker: asyncio.Task[None] | None = None
        self.is_ready = False
        self.faults: Counter[str] = Counter()
        self.observers: list[Callable[[float, int], None]] = []  # of commits
        self.watchers: list[Callable[[Engine], None]] = []  # told of each new engine
        self.replay_rate = 0.0  # events a second, at the last recovery
        self.started = time.time()
        self.operating = asyncio.Lock()  # one operation at a time
        self.first_problem = problem  # with the policy with which the log began

    @property
    def engine(self) -> Engine:
        """The engine, or a refusal while there is none that may be used."""
        if self._engine is None or not self.is_ready:
            raise RefusalError(
                503, "the log cannot be written now; the service recovers by itself", 1
            )
        return self._engine

    @property
    def last_engine(self) -> Engine | None:
        """The engine for those who only look, also while nothing can be written."""
        return self._engine

    @property
    def store(self) -> Store | None:
        """The log, for those who read."""
        return self._store

    @property
    def committer(self) -> Committer | None:
        """What writes."""
        return self._committer

    async def start(self) -> None:
        """Recover, and serve from then on; an error of the first attempt is raised."""
        await self._recover()
        self._keeper = asyncio.create_task(self._keep())
        self._ticker = asyncio.create_task(self._tick())

    async def do(self, call: Callable[[Engine], _Reply]) -> _Reply:
        """Return what a call of the engine returns, once it is durable."""
        reply = call(self.engine)
        await self.durable()
        return reply

    def durable(self) -> Awaitable[None]:
        """Return what to wait for before anything is told."""
        assert self._committer is not None
        barrier = self._committer.barrier()
        return _nothing() if barrier is None else asyncio.shield(barrier)

    async def in_writer(self, call: Callable[[], _Reply]) -> _Reply:
        """Return what a call returns that changes the store, between two commits."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def stop(self) -> None:
        """Write all that is queued, and a snapshot; let go of the log."""
        for task in (self._ticker, None):
            if task is not None:
                task.cancel()
        if self.is_ready and self._committer is not None:
            self.is_ready = False
            try:
                await asyncio.wait_for(self._committer.flush(is_last=True), 10)
            except (StoreError, RefusalError, TimeoutError) as error:
                say("fault", problem=self.problem.name, reason=f"the last flush failed: {error}")
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        self._thread.shutdown()
        if self._store is not None:
            self._store.close()

    async def _keep(self) -> None:
        """Write; when that fails, throw the memory away and build it again from the log."""
        while True:
            assert self._committer is not None
            try:
                await self._committer.run()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                self.is_ready = False
                kind = "store" if isinstance(error, StoreError) else "other"
                self.faults[kind] += 1
                say("fault", problem=self.problem.name, reason=str(error))
                self._committer.fail(f"the log could not be written ({error}); try again")
            await self._recover_for_sure()

    async def _recover_for_sure(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                await self._recover()
                return
            except (StoreError, DamageError, OSError, RefusalError) as error:
                say("fault", problem=self.problem.name, reason=f"cannot recover yet: {error}")
                self.faults["recovery"] += 1
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _recover(self) -> None:
        loop = asyncio.get_running_loop()
        if self._store is not None:
            # Never the same files again: after a failed sync nobody knows what they hold.
            store, self._store = self._store, None
            await loop.run_in_executor(self._thread, store.close)
        start = time.perf_counter()
        self._store = store = await loop.run_in_executor(self._thread, self._open_store)
        found = await loop.run_in_executor(self._thread, recovered, self.problem, store)
        left = await loop.run_in_executor(self._thread, complete, store, found.state)
        self.first_problem = found.problem
        seconds = time.perf_counter() - start
        anchor = None
        if found.machine is not None:
            anchor = Anchor(found.machine.t, found.machine.boot, found.machine.uptime)
        clock = Clock(found.state.t, anchor)
        engine = Engine(self.problem, found.state, found.begun, store.find, clock)
        committer = Committer(engine, store, self._thread, self._observe)
        committer.snapshot_seq -= found.n_events
        # What is said about this machine is the test whether anything can be written at all.
        rows, engine.queue = engine.queue, []
        await loop.run_in_executor(self._thread, store.append, rows)
        self._engine, self._committer = engine, committer
        self.replay_rate = found.n_events / seconds
        self.is_ready = True
        for watcher in self.watchers:
            watcher(engine)
        gc.freeze()  # what is there now stays, so that collections need not look at it
        say(
            "recovered", problem=self.problem.name, seq=engine.state.seq, replayed=found.n_events,
            seconds=round(seconds, 3), faults=found.faults, completed=left,
        )  # fmt: skip

    async def _tick(self) -> None:
        """Let windows close, and look at the clock, also when nobody asks."""
        while True:
            await asyncio.sleep(0.5)
            if self.is_ready and self._engine is not None and self._committer is not None:
                self._engine.pass_time()
                self._engine.clock.look()
                self._committer.barrier()

    def _observe(self, seconds: float, n_events: int) -> None:
        for observer in self.observers:
            observer(seconds, n_events)


async def _nothing() -> None:
    return None
