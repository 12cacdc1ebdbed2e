"""Many problems of one template: each starts with its first request, and leaves memory when it is idle."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from weakref import WeakValueDictionary

from .events import DamageError
from .problem.settings import SECOND, Problem
from .requests import RefusalError
from .service import Service
from .stores.homes import Homes
from .stores.protocol import NotOwnerError, StoreError
from .stores.sqlite import LockedError
from .sums import Sums

__all__ = ["Fleet"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Fleet:
    """The problems of a template, ``TEMPLATE.NAME``, each with a log of its own.

    Parameters
    ----------
    problem
        The template.
    homes
        Where the logs are.
    clock
        Seconds that never go back.
    longest_pause
        As of `Service`.
    """

    def __init__(
        self,
        problem: Problem,
        homes: Homes,
        clock: Callable[[], float] = time.monotonic,
        longest_pause: float = 5.0,
    ) -> None:
        assert problem.template is not None
        self.problem, self.template = problem, problem.template
        self._homes, self._clock, self._longest_pause = homes, clock, longest_pause
        self.resident: dict[str, Service] = {}  # by name, the one that was asked last at the end
        self._asked: dict[str, float] = {}
        # Of names that are started or stopped right now: a log has one writer.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.starts = self.stops = 0
        self.sums = Sums()
        self.observers: list[Callable[[float, int], None]] = []  # of commits of all problems

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
                found = self.resident.pop(name, None) or await self._started(name, may_begin)
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
        await asyncio.gather(*map(self._stop, list(self.resident)))
        self._homes.close()

    async def _started(self, name: str, may_begin: bool) -> Service:
        try:
            return await self._start(name, may_begin)
        except NotOwnerError as error:
            raise RefusalError(
                421, f"another node serves {name}, at {error.address}", owner=error.address
            ) from None
        except (StoreError, LockedError, DamageError, ValueError) as error:  # of another file, too
            raise RefusalError(503, f"{name} cannot start: {error}", 5) from error

    async def _start(self, name: str, may_begin: bool) -> Service:
        own = name.partition(".")[2]
        if not _NAME.fullmatch(own):
            raise RefusalError(
                404, f"the problem must be {self.problem.name}. and 1 to 64 letters, digits, - or _, got {name!r}"
            )  # fmt: skip
        if not await asyncio.to_thread(self._homes.has, name):
            if not may_begin:
                raise RefusalError(
                    404, f"the problem must have begun with a decision, got {name!r}"
                )
            if await asyncio.to_thread(self._homes.count) >= self.template.most:
                raise RefusalError(503, f"there must be at most {self.template.most} problems", 60)
        while len(self.resident) >= self.template.resident:
            await self._stop(next(iter(self.resident)))
        problem, open_store = replace(self.problem, name=name), partial(self._homes.open, name)
        service = Service(problem, open_store, self._longest_pause, is_lasting=False)
        service.observers = self.observers
        await service.start()
        self.sums.begin(service)
        self.starts += 1
        return service

    async def _stop(self, name: str) -> None:
        service = self.resident.pop(name, None)
        if service is None:
            return
        self.sums.end(service)
        async with self._locks.setdefault(name, asyncio.Lock()):
            await service.stop()
            self._asked.pop(name, None)
            self.stops += 1
