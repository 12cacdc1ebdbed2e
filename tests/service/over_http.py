"""The service of an example, talked to over HTTP without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import httpx

from driftwise.service.http.app import application
from driftwise.service.http.site import Site
from driftwise.service.keys import Keys
from driftwise.service.problem.reading import read_problem
from driftwise.service.problem.settings import Problem
from driftwise.service.service import Service
from driftwise.service.stores.sqlite import SQLiteStore

EXAMPLE = Path(__file__).parents[2] / "examples" / "prices.toml"
CONTEXT = {"device": "phone", "hour": 14}
Talk = Callable[[httpx.AsyncClient, Site], Awaitable[None]]


def serving(
    path: Path, talk: Talk, problem: Problem | None = None, origins: Iterable[str] = ()
) -> None:
    """Start a service, talk to it, stop it."""
    problem = read_problem(EXAMPLE) if problem is None else problem

    async def run() -> None:
        service = Service(problem, lambda: SQLiteStore(path))
        site = Site([service], {problem.name: Keys(path)}, origins=origins)
        app: Any = application(site)
        await site.start()
        try:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                await talk(client, site)
        finally:
            await site.stop()

    asyncio.run(run())


async def decided(
    client: httpx.AsyncClient, name: str | None = None, **more: Any
) -> dict[str, Any]:
    reply = await client.post("/v1/prices/decisions", json={"id": name, "context": CONTEXT} | more)
    assert reply.status_code == 200, reply.text
    return reply.json()  # type: ignore[no-any-return]  # an object
