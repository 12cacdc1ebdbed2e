"""One page for each problem: it leads to all that the caller may see, those of templates among them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from driftwise.service.fleet import Fleet
from driftwise.service.http import site as site_module
from driftwise.service.http.app import application
from driftwise.service.http.site import COOKIE, Site
from driftwise.service.keys import Keys, add_key
from driftwise.service.problem.reading import parse_problem
from driftwise.service.service import Service
from driftwise.service.stores.places import SQLitePlace

ARMS = 'arms = ["red", "blue"]\n'
Talk = Callable[[httpx.AsyncClient, Site], Awaitable[None]]


def serving(folder: Path, talk: Talk, names: tuple[str, ...] = ("hats", "coats")) -> None:
    async def run() -> None:
        places = {name: SQLitePlace(folder / f"{name}.db") for name in names}
        services = [Service(parse_problem(ARMS, name), places[name].open) for name in names]
        template = SQLitePlace(folder / "shops.db")
        fleet = Fleet(parse_problem(f"{ARMS}[template]\n", "shops"), template.homes())
        keys = {name: Keys(place) for name, place in (places | {"shops": template}).items()}
        site = Site(services, keys, fleets=[fleet])
        app: Any = application(site)
        await site.start()
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            try:
                await talk(client, site)
            finally:
                await site.stop()

    asyncio.run(run())


def links(text: str) -> list[str]:
    return re.findall(r"href='/\?problem=([^']*)'", text)


def shown(text: str) -> list[str]:
    return re.findall(r'data-problem="([^"]*)"', text)


def test_each_problem_has_a_page_that_leads_to_all_others(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        for shop in ("a", "b"):
            await client.post(f"/v1/shops.{shop}/decisions", json={"id": shop})
        first = (await client.get("/")).text
        assert shown(first) == ["hats"]
        assert links(first) == ["hats", "coats", "shops.b", "shops.a"]
        for name in links(first):
            page = (await client.get(f"/?problem={name}")).text
            assert shown(page) == [name]
            assert re.findall(r"problem=([^']*)' aria-current=page", page) == [name]
            assert (await client.get(f"/v1/{name}/past")).json()["head"]["problem"] == name
        hostile = await client.get("/", params={"problem": "<script>alert(1)</script>"})
        assert hostile.status_code == 404
        assert "<script>" not in hostile.text
        assert links(hostile.text)[:2] == ["hats", "coats"]
        assert (await client.get("/?problem=shops.never")).status_code == 404, "nothing begins"

    serving(tmp_path, talk)


def test_where_all_problems_are_of_a_template_the_first_page_leads_to_them(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        empty = await client.get("/")
        assert (empty.status_code, links(empty.text)) == (200, [])
        assert "value='shops.'" in empty.text
        await client.post("/v1/shops.a/decisions", json={})
        assert links((await client.get("/")).text) == ["shops.a"]

    serving(tmp_path, talk, ())


def test_a_key_sees_its_own_problems_alone(tmp_path: Path) -> None:
    places = {name: SQLitePlace(tmp_path / f"{name}.db") for name in ("hats", "coats", "shops")}
    keys = {name: add_key(place, ["read"], "") for name, place in places.items()}

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        client.cookies.set(COOKIE, keys["coats"])
        page = await client.get("/")
        assert shown(page.text) == ["coats"]
        assert "hats" not in page.text
        other = await client.get("/?problem=hats")
        assert (other.status_code, shown(other.text)) == (401, [])

    serving(tmp_path, talk)


def test_a_problem_of_a_template_is_sampled_while_somebody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        await client.post("/v1/shops.a/decisions", json={"id": "n"})
        await client.get("/?problem=shops.a")
        assert (await client.get("/v1/shops.a/past")).json()["now"]["branches"]["policy"] <= 1
        assert "shops.a" in site.views
        monkeypatch.setattr(site_module, "_LONGEST_LOOK", 0.0)
        async with asyncio.timeout(20):
            while "shops.a" in site.views:
                await asyncio.sleep(0.05)
        assert (await client.get("/?problem=shops.a")).status_code == 200

    serving(tmp_path, talk, ())
