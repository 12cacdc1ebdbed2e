"""Many problems of one template: each starts with its first request, and leaves memory when it is idle."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from .problem.settings import SECOND, Problem
from .requests import RefusalError
from .service import Service
from .stores.sqlite import SQLiteStore

__all__ = ["Fleet"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Fleet:
    """The problems of a template, ``TEMPLATE.NAME``, each with a log of its own in a folder.

    Parameters
    ----------
    problem
        The template.
    folder
        Where the logs are.
    clock
        Seconds that never go back.
    """

    def __init__(
        self, problem: Problem, folder: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        assert problem.template is not None
        self.problem, self.template = problem, problem.template
        self._folder, self._clock = folder, clock
        self.resident: dict[str, Service] = {}  # by name, the one that was asked last at the end
        self._asked: dict[str, float] = {}
        # Of names that are started or stopped right now: a log has one writer.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.starts = self.stops = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._known = sum(1 for _ in folder.glob("*.db"))

    async def service(self, name: str, *, may_begin: bool) -> Service:
        """Return the service of a problem, started if need be.

        Parameters
        ----------
        name
            ``TEMPLATE.NAME``.
        may_begin
            Whether a problem that has no log yet begins now.
        """
        found = self.resident.pop(name, None)
        if found is None:
            async with self._locks.setdefault(name, asyncio.Lock()):
                found = self.resident.pop(name, None) or await self._start(name, may_begin)
        self.resident[name] = found
        self._asked[name] = self._clock()
        return found

    async def sweep(self) -> None:
        """Stop what is idle, and what was asked longest ago if there are too many."""
        idle = self._clock() - self.template.idle / SECOND
        too_many = len(self.resident) - self.template.resident
        for place, name in enumerate(list(self.resident)):
            if place < too_many or self._asked.get(name, 0.0) < idle:
                await self._stop(name)

    async def stop(self) -> None:
        """Stop everything."""
        for name in list(self.resident):
            await self._stop(name)

    async def _start(self, name: str, may_begin: bool) -> Service:
        own = name.partition(".")[2]
        if not _NAME.fullmatch(own):
            raise RefusalError(
                404, f"the problem must be {self.problem.name}. and 1 to 64 letters, digits, - or _, got {name!r}"
            )  # fmt: skip
        path = self._folder / f"{own}.db"
        is_new = not path.exists()
        if is_new and not may_begin:
            raise RefusalError(404, f"the problem must have begun with a decision, got {name!r}")
        if is_new and self._known >= self.template.most:
            raise RefusalError(503, f"there must be at most {self.template.most} problems", 60)
        while len(self.resident) >= self.template.resident:
            await self._stop(next(iter(self.resident)))
        # Its writer checkpoints by itself: a thread for each would cost more than it brings.
        open_store = partial(SQLiteStore, path, is_checkpointing=False)
        service = Service(replace(self.problem, name=name), open_store, is_lasting=False)
        await service.start()
        self._known += is_new
        self.starts += 1
        return service

    async def _stop(self, name: str) -> None:
        service = self.resident.pop(name, None)
        if service is None:
            return
        async with self._locks.setdefault(name, asyncio.Lock()):
            await service.stop()
            self._asked.pop(name, None)
            self.stops += 1
