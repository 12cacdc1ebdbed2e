"""Who may ask the service for what over HTTP: keys and their scopes, hosts, pages from elsewhere."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from driftwise.service.events import Controlled, event_of
from driftwise.service.http.endpoints import ENDPOINTS
from driftwise.service.http.site import Site
from driftwise.service.keys import SCOPES, add_key, revoke_key
from driftwise.service.problem.reading import read_problem
from driftwise.service.problem.settings import Limits
from driftwise.service.stores.sqlite import SQLiteStore
from tests.service.over_http import EXAMPLE, serving


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: f"{each.method} {each.path}")
def test_every_endpoint_with_every_scope(tmp_path: Path, endpoint: Any) -> None:
    log = tmp_path / "log.db"
    keys = {scope: add_key(log, [scope], scope) for scope in SCOPES}
    path = endpoint.path.replace("{problem}", "prices").replace("{id}", "none")

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        async def status(key: str | None) -> int:
            headers = {} if key is None else {"authorization": f"Bearer {key}"}
            if path.endswith("/stream") and key == keys["read"]:
                return 200  # it never ends; see below
            reply = await client.request(endpoint.method, path, content=b"[]", headers=headers)
            return reply.status_code

        for scope, key in keys.items():
            is_allowed = endpoint.scope in (None, scope)
            assert (await status(key) not in (401, 403)) == is_allowed
        for nobody in (None, "dwk_00000000_" + 43 * "x", keys["admin"][:-1] + "_", "x"):
            assert (await status(nobody) == 401) == (endpoint.scope is not None)

    serving(log, talk)


def test_a_key_that_is_revoked_or_has_run_out_opens_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    old, kept = add_key(log, ["read"], "old", days=0), add_key(log, ["read"], "kept")

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        async def status(key: str) -> int:
            bearer = {"authorization": f"Bearer {key}"}
            return (await client.get("/v1/prices", headers=bearer)).status_code

        assert [await status(old), await status(kept)] == [401, 200]
        revoke_key(log, kept.split("_")[1])
        for _ in range(30):
            if await status(kept) == 401:
                break
            await asyncio.sleep(0.1)
        assert await status(kept) == 401

    serving(log, talk)


def test_keys_that_come_and_go_are_events_with_who_and_why_once_each(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    name = add_key(log, ["read"], "the shop's", who="ada").split("_")[1]
    add_key(log, ["admin"], "")

    def logged() -> list[tuple[str, str, str]]:
        store = SQLiteStore(log)
        bodies = [event_of(row).body for row in store.read()]
        store.close()
        return [(each.who, each.what, each.why) for each in bodies if isinstance(each, Controlled)]

    async def until(site: Site, count: int) -> None:
        engine = site.services["prices"].engine
        for _ in range(100):
            if engine.state.key_changes == count:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(engine.state.key_changes)

    async def first(client: httpx.AsyncClient, site: Site) -> None:
        await until(site, 2)
        revoke_key(log, name, "bob", "it leaked")
        await until(site, 3)

    async def second(client: httpx.AsyncClient, site: Site) -> None:
        await until(site, 3)

    serving(log, first)
    serving(log, second)
    told = logged()
    assert len(told) == 3
    assert told[0] == ("ada", f"key {name} for read added", "the shop's")
    assert told[2] == ("bob", f"key {name} revoked", "it leaked")


def test_without_keys_a_name_that_leads_here_from_elsewhere_is_refused(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        site._is_local = True
        for host, status in (
            ("localhost:8080", 200), ("127.0.0.1:8080", 200), ("[::1]:80", 200), ("LOCALHOST", 200),
            ("evil.example", 403), ("127.0.0.1.evil.example:8080", 403), ("10.0.0.1", 403), ("[", 403),
        ):  # fmt: skip
            reply = await client.get("/v1/prices", headers={"host": host})
            assert reply.status_code == status, host
            page = await client.get("/", headers={"host": host})
            assert page.status_code == status, host
        key = add_key(tmp_path / "log.db", ["read"], "")
        site._keys["prices"].look()
        bearer = {"host": "shop.example", "authorization": f"Bearer {key}"}
        assert (await client.get("/v1/prices", headers=bearer)).status_code == 200, "by a proxy"

    serving(tmp_path / "log.db", talk)


def test_a_key_may_ask_so_often(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    bearer = {"authorization": f"Bearer {add_key(log, ['read'], '')}"}

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        statuses = [(await client.get("/v1/prices", headers=bearer)).status_code for _ in range(20)]
        assert statuses[0] == 200
        assert statuses[-1] == 429

    serving(log, talk, replace(read_problem(EXAMPLE), limits=Limits(rate=2.0)))


def test_the_page_asks_for_a_key_and_takes_it_as_a_cookie_that_only_reads(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    key = add_key(log, ["read", "admin"], "")

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        form = await client.get("/")
        assert (form.status_code, "<form" in form.text) == (401, True)
        assert "default-src 'none'" in form.headers["content-security-policy"]
        wrong = await client.post("/login", data={"key": "dwk_x"})
        assert wrong.status_code == 401
        foreign = {"origin": "http://elsewhere"}
        assert (await client.post("/login", data={"key": key}, headers=foreign)).status_code == 403
        opened = await client.post("/login", data={"key": key})
        cookie = opened.headers["set-cookie"].lower()
        assert opened.status_code == 303
        assert all(each in cookie for each in ("httponly", "samesite=strict"))
        assert (await client.get("/")).status_code == 200
        assert (await client.get("/v1/prices/past")).status_code == 200
        body = {"why": "a forged request", "mode": "fallback"}
        assert (await client.post("/v1/prices/control", json=body)).status_code == 401

    serving(log, talk)


def test_a_control_is_an_event_with_who_and_why(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    key = add_key(log, ["admin", "read"], "")

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        headers = {"authorization": f"Bearer {key}"}
        body = {"why": "prices are wrong", "mode": "fallback", "off": ["low"]}
        reply = await client.post("/v1/prices/control", json=body, headers=headers)
        assert (reply.json()["mode"], reply.json()["off"]) == ("fallback", ["low"])
        cross = headers | {"sec-fetch-site": "cross-site"}
        assert (
            await client.post("/v1/prices/control", json=body, headers=cross)
        ).status_code == 403
        past = (await client.get("/v1/prices/past", headers=headers)).json()
        (change,) = (each for each in past["changes"] if each["what"].startswith("mode"))
        assert change["why"] == "prices are wrong"
        assert change["who"].startswith(key.split("_")[1])

    serving(log, talk)


def test_only_pages_of_listed_origins_may_ask_and_only_for_decisions_and_rewards(
    tmp_path: Path,
) -> None:
    async def allowed(client: httpx.AsyncClient, path: str, origin: str) -> bool:
        headers = {"origin": origin}
        wanted = headers | {
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,content-type",
        }
        before = await client.options(f"/v1/prices/{path}", headers=wanted)
        reply = await client.post(f"/v1/prices/{path}", json={}, headers=headers)
        told = [each.headers.get("access-control-allow-origin") for each in (before, reply)]
        assert told[0] == told[1]
        return before.status_code == 200 and told[0] == origin

    async def nobody(client: httpx.AsyncClient, site: Site) -> None:
        assert not await allowed(client, "decisions", "https://shop.example")

    async def the_shop(client: httpx.AsyncClient, site: Site) -> None:
        for path in ("decisions", "decisions:batch", "rewards", "rewards:batch"):
            assert await allowed(client, path, "https://shop.example")
            assert not await allowed(client, path, "https://other.example")
        for path in ("control", "belief", "rewind"):
            assert not await allowed(client, path, "https://shop.example")

    serving(tmp_path / "log.db", nobody)
    serving(tmp_path / "log.db", the_shop, origins=["https://shop.example"])
