"""A problem at work: its engine, its store, and what is done when a write fails."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from .clock import Anchor, Clock
from .commit import Committer
from .completing import complete
from .engine import Engine
from .events import DamageError, Row
from .logs import say
from .problem.settings import Problem
from .replay import Recovered, recovered
from .requests import RefusalError
from .state import State
from .stores.protocol import FencedError, NotOwnerError, Store, StoreError

__all__ = ["FAULTS", "Service"]

FAULTS = ("store", "fenced", "recovery", "other")  # kinds of what failed
_Reply = TypeVar("_Reply")
_FIRST_PAUSE = 0.2  # seconds between attempts to recover, at first
_TORN = "a request failed half done, so that memory is not what the log says"
_STAND_BY = 0.05  # seconds between attempts to take over from another node


class Service:
    """Serves one problem from its log; it must be started inside of an event loop.

    Parameters
    ----------
    problem
        What is decided.
    open_store
        Opens its log, again after a write has failed; `NotOwnerError` says that another node serves it.
    longest_pause
        Seconds between two attempts to open it, at most.
    is_lasting
        Whether it serves for as long as the process does, and stands by while another node serves.
    """

    def __init__(
        self,
        problem: Problem,
        open_store: Callable[[], Store],
        longest_pause: float = 5.0,
        *,
        is_lasting: bool = True,
    ) -> None:
        self.problem, self._is_lasting = problem, is_lasting
        self._open_store, self._longest_pause = open_store, longest_pause
        self.owner: str | None = None  # the address of another node that serves the problem
        self.inside: dict[str, float] = {}  # what the policy last told of itself, by name
        self.takeovers = 0  # how often this node began to serve it
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
        # A node that was frozen may have lost its log without noticing: then its memory is of the past.
        if self._engine is None or not self.is_ready or not self._is_held():
            self.require_owner()
            raise RefusalError(
                503, "the log cannot be written now; the service recovers by itself", 1
            )
        if self._engine.is_torn:
            self._give_up(_TORN)
            raise RefusalError(503, f"{_TORN}; the service recovers by itself", 1)
        return self._engine

    def _give_up(self, reason: str) -> None:
        if self._committer is not None:
            self._committer.give_up(reason)

    def _is_held(self) -> bool:
        return self._store is not None and self._store.is_held

    def require_owner(self) -> None:
        """Refuse what another node must answer, and say where it is."""
        if self.owner is not None:
            raise RefusalError(
                421, f"another node serves this problem, at {self.owner}", owner=self.owner
            )

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
        """Recover, and serve from then on; an error of the first attempt is raised.

        Where another node serves the problem, this one stands by until it may take over.
        """
        try:
            await self._recover()
        except NotOwnerError:
            if not self._is_lasting:
                self._thread.shutdown()
                raise
            # Compiled before it is needed, and beside the take-over, which must not wait for it.
            threading.Thread(target=self._warm_up, name="driftwise warm-up", daemon=True).start()
        self._keeper = asyncio.create_task(self._keep())
        self._ticker = asyncio.create_task(self._tick())

    def _warm_up(self) -> None:
        State(self.problem).learner.agent.warm_up()

    async def do(self, call: Callable[[Engine], _Reply]) -> _Reply:
        """Return what a call of the engine returns, once it is durable."""
        reply = call(self.engine)
        await self.durable()
        return reply

    def durable(self) -> Awaitable[None]:
        """Return what to wait for before anything is told."""
        assert self._committer is not None
        barrier = self._committer.barrier()
        return _nothing() if barrier is None else barrier

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
                await asyncio.wait_for(self._committer.flush(with_snapshot=True), 10)
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
            if self._committer is None:
                await self._recover_for_sure()
            assert self._committer is not None
            try:
                await self._committer.run()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                self.is_ready = False
                self.faults[_kind_of(error)] += 1
                say("fault", problem=self.problem.name, reason=str(error))
                self._committer.fail(f"the log could not be written ({error}); try again")
            await self._recover_for_sure()

    async def _recover_for_sure(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                await self._recover()
                return
            except NotOwnerError:
                await asyncio.sleep(_STAND_BY)  # which is no fault
                continue
            # Also ValueError: the problem file of this node is another one than that of the log.
            except (StoreError, DamageError, OSError, RefusalError, ValueError) as error:
                say("fault", problem=self.problem.name, reason=f"cannot recover yet: {error}")
                self.faults["recovery"] += 1
            await asyncio.sleep(min(pause, self._longest_pause))
            pause = min(2 * pause, self._longest_pause)

    async def _recover(self) -> None:
        """Open the log and build the memory; what was opened is closed again when that fails."""
        try:
            await self._rebuild()
            self.owner, self.takeovers = None, self.takeovers + 1
        except BaseException as error:
            if isinstance(error, NotOwnerError):
                # What another node has changed since is not in this memory.
                self.owner, self._engine, self._committer = error.address, None, None
            if (store := self._store) is not None:
                self._store = None
                await asyncio.get_running_loop().run_in_executor(self._thread, store.close)
            raise

    async def _rebuild(self) -> None:
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
        moment = await loop.run_in_executor(self._thread, store.now)
        clock = Clock(found.state.t, anchor) if moment is None else Clock.at(moment, found.state.t)
        engine = Engine(self.problem, found.state, found.begun, partial(_found, store), clock)
        committer = Committer(engine, store, self._thread, self._observe)
        committer.snapshot_seq -= found.n_events
        # What is said about this machine is the test whether anything can be written at all.
        rows, engine.queue = engine.queue, []
        await loop.run_in_executor(self._thread, store.append, rows)
        if found.state.is_blurred:
            # What is known of a log that another version wrote: no replay by rules of today can tell.
            await committer.flush(with_snapshot=True)
        self._engine, self._committer = engine, committer
        self.replay_rate = found.n_events / seconds
        self.is_ready = True
        for watcher in self.watchers:
            watcher(engine)
        if self._is_lasting:
            gc.freeze()  # what is there now stays, so that collections need not look at it
        if self._is_lasting or found.faults or left:
            self._say_recovered(engine, found, seconds, left)

    def _say_recovered(
        self, engine: Engine, found: Recovered, seconds: float, left: list[str]
    ) -> None:
        say(
            "recovered", problem=self.problem.name, seq=engine.state.seq, replayed=found.n_events,
            seconds=round(seconds, 3), faults=found.faults, completed=left,
        )  # fmt: skip

    async def _tick(self) -> None:
        """Let windows close, and look at the clock, also when nobody asks."""
        while True:
            await asyncio.sleep(0.5)
            if self.is_ready and self._engine is not None and self._committer is not None:
                if self._engine.is_torn or not self._is_held():
                    self._give_up(_TORN if self._engine.is_torn else "the lease has run out")
                    continue
                self._engine.pass_time()
                self._engine.clock.look()
                self._committer.wake()

    def _observe(self, seconds: float, n_events: int) -> None:
        for observer in self.observers:
            observer(seconds, n_events)


def _found(store: Store, name: str) -> list[Row]:
    try:
        return store.find(name)
    except (StoreError, DamageError) as error:
        raise RefusalError(503, f"the log cannot be read now ({error}); try again", 1) from error


def _kind_of(error: Exception) -> str:
    if isinstance(error, FencedError):
        return "fenced"
    return "store" if isinstance(error, StoreError) else "other"


async def _nothing() -> None:
    return None
