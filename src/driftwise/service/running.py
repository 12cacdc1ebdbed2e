"""One process of uvicorn, which hands over what it owns before it closes its doors."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

import uvicorn

from .http.app import application
from .http.lane import Lane
from .http.protocol import Protocol
from .http.site import Site

__all__ = ["config_of", "run"]


class _Server(uvicorn.Server):
    """A server whose services stop first: connections that are still open would make others wait."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site
        self._stopping: asyncio.Task[None] | None = None
        self.failure: Exception | None = None  # of the start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start all services first: what is wrong with a log is told in a sentence, not in a trace."""
        try:
            await self._site.start()
        except Exception as error:
            self.failure, self.should_exit = error, True
            await self._site.stop()
        else:
            await super().startup(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Hand over at once: uvicorn would notice a tenth of a second later."""
        super().handle_exit(sig, frame)
        if self.started:
            asyncio.get_running_loop().call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        self._stopping = self._stopping or asyncio.create_task(self._site.stop())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop all services, while what comes is told to go elsewhere; then close."""
        self._stop()
        assert self._stopping is not None
        await self._stopping
        await super().shutdown(sockets)


def config_of(site: Site, **settings: Any) -> uvicorn.Config:
    """Return how a site is served."""
    app = application(site)
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=partial(Protocol, app, []) if isinstance(app, Lane) else "httptools",  # type: ignore[arg-type]  # makes one
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=10,
        timeout_keep_alive=30,
        **settings,
    )


def run(site: Site, **settings: Any) -> None:
    """Serve a site until the process is told to end."""
    server = _Server(config_of(site, **settings), site)
    with suppress(KeyboardInterrupt):
        server.run()
    if server.failure is not None:
        raise server.failure
    if not server.started:
        raise SystemExit(3)
