"""What a node answers about a problem that another one serves: 421, with its address."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from driftwise.service.http.app import application
from driftwise.service.http.site import Site
from driftwise.service.keys import Keys
from driftwise.service.problem.reading import parse_problem
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import NotOwnerError, Store

OTHER = "http://other:8080"


def test_421_names_the_owner_until_this_node_takes_over() -> None:
    is_free = False

    def open_store() -> Store:
        if not is_free:
            raise NotOwnerError(OTHER)
        return MemoryStore()

    async def run() -> None:
        nonlocal is_free
        problem = parse_problem('arms = ["red", "blue"]', "button")
        site = Site([Service(problem, open_store, 0.05)], {"button": Keys(None)})
        app: Any = application(site)
        await site.start()
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            try:
                for method, path in (
                    ("POST", "decisions"), ("POST", "rewards"), ("POST", "rewind"), ("GET", ""),
                ):  # fmt: skip
                    body = {"id": "a", "reward": 1} if path == "rewards" else {}
                    address = f"/v1/button/{path}".rstrip("/")
                    reply = await client.request(method, address, json=body)
                    assert (reply.status_code, reply.headers["x-driftwise-owner"]) == (421, OTHER)
                assert (await client.get("/readyz")).status_code == 200
                assert (await client.get("/readyz/button")).status_code == 421
                page = await client.get("/")
                assert page.status_code == 307
                assert page.headers["location"] == f"{OTHER}/?problem=button"
                is_free = True
                async with asyncio.timeout(30):
                    while (await client.get("/readyz/button")).status_code != 200:
                        await asyncio.sleep(0.02)
                assert (await client.post("/v1/button/decisions", json={})).status_code == 200
            finally:
                await site.stop()

    asyncio.run(run())
