"""What all requests share: services, keys, limits, metrics, and who may do what."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Awaitable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any

from ...core.base.arrays import Matrix
from ...core.engine.agent import Agent
from ..fleet import Fleet
from ..hosts import require_near
from ..keys import Keys
from ..logs import say
from ..problem.settings import Problem
from ..requests import RefusalError
from ..service import Service
from ..shadows.process import Shadows
from ..stores.protocol import StoreError
from .beliefs import Beliefs
from .metrics import Metrics
from .views import Views

__all__ = ["COOKIE", "Site"]

COOKIE = "driftwise_key"
_LONGEST_LOOK = 60.0  # seconds without a request of a page, after which it is closed


class Site:
    """One process: its problems, and what is known about callers.

    Parameters
    ----------
    services
        One for each problem.
    keys
        Of each problem by its name.
    folder
        Where archives and backups are written; None: they are refused.
    shadows
        What follows the logs; nothing by default.
    fleets
        One for each template; their keys are those of the template.
    origins
        Such as ``"https://shop.example"``: whose pages may ask for decisions and tell rewards.
    is_local
        Whether, as long as there are no keys, requests must name this machine: else any page in a browser
        here could have its own name lead to us, and would count as ours.
    """

    def __init__(
        self,
        services: Iterable[Service],
        keys: dict[str, Keys],
        folder: Path | None = None,
        shadows: Shadows | None = None,
        fleets: Iterable[Fleet] = (),
        origins: Iterable[str] = (),
        *,
        is_local: bool = False,
    ) -> None:
        self._is_local = is_local
        self.origins = list(origins)
        self.fleets = {fleet.problem.name: fleet for fleet in fleets}
        self.folder = folder
        self.shadows = Shadows() if shadows is None else shadows
        self.services = {service.problem.name: service for service in services}
        self.views = {
            name: Views(service, partial(self.shadows.of, name))
            for name, service in self.services.items()
        }
        self.metrics = Metrics(self.services.values(), self.shadows, self.fleets.values())
        self.beliefs = Beliefs()
        self.n_streams = 0
        self.beat = asyncio.Condition()
        self.is_stopping = False
        self._keys = keys
        self._looks: dict[str, float] = {}  # when somebody last looked at a problem of a template
        self._buckets: dict[str, tuple[float, float]] = {}  # of a key: tokens, and when
        self._thread = ThreadPoolExecutor(1, "driftwise explains")
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start all services, and sample them once a second; once is enough."""
        if self._tasks:
            return
        for service in self.services.values():
            await service.start()
        self._tasks = [asyncio.create_task(self._sample())]
        self.shadows.start()

    async def stop(self) -> None:
        """Stop everything, after all is durable; once is enough."""
        if self.is_stopping:
            return
        self.is_stopping = True
        async with self.beat:
            self.beat.notify_all()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # At once: others wait for the logs.
        await asyncio.gather(
            self.shadows.stop(),
            *(fleet.stop() for fleet in self.fleets.values()),
            *(service.stop() for service in self.services.values()),
        )
        for keys in self._keys.values():
            keys.close()
        self._thread.shutdown()

    async def awake(self, name: str, *, may_begin: bool = False) -> None:
        """Have a problem in memory, if it is one of a template; `Fleet.service` says more."""
        fleet = self.fleets.get(name.partition(".")[0])
        if fleet is not None and "." in name and not self.is_stopping:
            await fleet.service(name, may_begin=may_begin)

    def service(self, name: str) -> Service:
        """Return the service of a problem, or refuse."""
        fleet = self.fleets.get(name.partition(".")[0])
        if fleet is not None and name in fleet.resident:
            return fleet.resident[name]
        try:
            return self.services[name]
        except KeyError:
            known = ", ".join([*self.services, *(f"{each}.NAME" for each in self.fleets)])
            raise RefusalError(404, f"the problem must be one of {known}, got {name!r}") from None

    def view(self, name: str) -> Views:
        """Return what the page shows of a problem; of one of a template, from the first look on."""
        service, view = self.service(name), self.views.get(name)
        if view is None or view.service is not service:
            view = self.views[name] = Views(service)
        if name not in self.services:
            self._looks[name] = time.monotonic()
        return view

    def readable(self, headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
        """Return the problems and templates that a caller may look at, by key or by cookie."""
        secret, found = _secret(headers, is_read=True), []
        for name, keys in self._keys.items():
            with suppress(RefusalError):
                keys.who(secret, "read")
                found.append(name)
        return found

    def _look_away(self) -> None:
        """Forget the views of problems of templates that are gone, or that nobody looks at."""
        for name, then in list(self._looks.items()):
            view = self.views[name]
            is_there = self.fleets[name.partition(".")[0]].resident.get(name) is view.service
            if not is_there or time.monotonic() - then > _LONGEST_LOOK:
                self.views.pop(name).close()
                del self._looks[name]

    def admit(
        self,
        headers: Iterable[tuple[bytes, bytes]],
        scope: str,
        name: str | None,
        *,
        is_read: bool = False,
    ) -> str:
        """Return who asks, or refuse: by key, and by how often that key has asked.

        Parameters
        ----------
        headers
            Of the request.
        scope
            What a key must be for.
        name
            The problem; None for what is about all of them.
        is_read
            Whether the key may come by cookie: only for what changes nothing.
        """
        template = None if name is None else name.partition(".")[0]
        names = (template,) if template in self._keys else tuple(self._keys)
        if all(self._keys[each].lets_all_in for each in names):
            if self._is_local:
                require_near(headers, self.origins)
            return "anyone"
        secret = _secret(headers, is_read)
        refusal: RefusalError | None = None
        for each in names:
            try:
                who = self._keys[each].who(secret, scope)
                self._spend(who, self._problem(each).limits.rate)
                return who
            except RefusalError as error:
                refusal = error
        raise refusal or RefusalError(401, "a key must be given")

    def _problem(self, name: str) -> Problem:
        return self.fleets[name].problem if name in self.fleets else self.services[name].problem

    async def explained(self, agent: Agent, rows: Matrix | None) -> dict[str, Any]:
        """Return what a copy of an agent believes; it takes milliseconds, so it is a thread's work."""
        loop = asyncio.get_running_loop()
        try:
            twin = copy.deepcopy(agent)
            return await loop.run_in_executor(self._thread, twin.explain, rows)
        except AttributeError as error:  # a policy that keeps no estimate
            raise RefusalError(422, str(error)) from None

    def _spend(self, who: str, rate: float) -> None:
        """Take a token out of the bucket of a key, which holds those of two seconds."""
        if rate <= 0.0:
            return
        now = time.monotonic()
        tokens, then = self._buckets.get(who, (2 * rate, now))
        tokens = min(2 * rate, tokens + (now - then) * rate)
        if tokens < 1.0:
            raise RefusalError(429, f"a key may ask {rate:g} times a second", 1)
        self._buckets[who] = tokens - 1.0, now

    async def _audit(self, name: str, keys: Keys) -> None:
        """Log which keys came and went, once in every log that they open, also while nobody served."""
        fleet = self.fleets.get(name)
        served = [self.services[name]] if fleet is None else list(fleet.resident.values())
        for service in served:
            with suppress(RefusalError):  # it was stopped meanwhile, or is away
                if service.engine.state.key_changes >= keys.last_change:
                    continue
                seen = service.engine.state.key_changes
                for change in await asyncio.to_thread(keys.changes, seen):
                    # It may have been rebuilt meanwhile.
                    if change.number > service.engine.state.key_changes:
                        service.engine.audit(change.who, change.what, change.why, change.number)
                await service.durable()

    async def _sample(self) -> None:
        count = 0
        while True:
            for name, keys in self._keys.items():
                await _tried(self._look(name, keys))
            for fleet in self.fleets.values():
                await _tried(fleet.sweep())
            self._look_away()
            for view in list(self.views.values()):
                await _tried(self._show(view, is_deep=self.n_streams > 0 or count % 10 == 1))
            async with self.beat:
                self.beat.notify_all()
            count += 1
            await asyncio.sleep(1.0)

    async def _look(self, name: str, keys: Keys) -> None:
        """Read keys again; if that fails, those that were known stay."""
        await asyncio.to_thread(keys.look)
        await self._audit(name, keys)

    async def _show(self, view: Views, *, is_deep: bool) -> None:
        if is_deep:
            await view.look_inside(self.explained)
        view.sample()


async def _tried(work: Awaitable[None]) -> None:
    """Do what will be done again in a second, whatever it fails by."""
    try:
        await work
    except (StoreError, RefusalError):  # which others have said
        pass
    except Exception as error:
        say("fault", reason=repr(error))


def _secret(headers: Iterable[tuple[bytes, bytes]], is_read: bool) -> str | None:
    for key, value in headers:
        if key == b"authorization":
            kind, _, secret = value.decode("latin-1").partition(" ")
            return secret.strip() if kind.lower() == "bearer" else None
    if is_read:
        for key, value in headers:
            if key == b"cookie":
                try:
                    cookie: Any = SimpleCookie(value.decode("latin-1")).get(COOKIE)
                except CookieError:
                    return None
                return None if cookie is None else cookie.value
    return None
