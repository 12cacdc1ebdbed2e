"""Fleets: a problem begins with its first decision, leaves memory when idle, and comes back as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from benchmarks.service.database import Database, missing
from benchmarks.service.fleet import measured, page
from driftwise.service.events import Controlled, event_of
from driftwise.service.files import files_in, problem_at_first
from driftwise.service.fleet import Fleet
from driftwise.service.http.app import application
from driftwise.service.http.site import Site
from driftwise.service.keys import Keys, add_key, revoke_key
from driftwise.service.problem.reading import ProblemError, parse_problem
from driftwise.service.replay import begun_in
from driftwise.service.stores.leases import Leases
from driftwise.service.stores.places import Place, PostgreSQLPlace, SQLitePlace
from driftwise.service.verify import verify

TEXT = 'arms = ["red", "blue"]\n[template]\nresident = 3\nidle = "5s"\nmost = 20\n'


class Moment:
    """A clock that is set by hand."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Return where the template is."""
    if request.param == "sqlite":
        yield SQLitePlace(tmp_path / "shops.db")
        return
    database: Database = request.getfixturevalue("database")
    with psycopg.connect(database.url, autocommit=True) as session:
        session.execute("drop schema if exists driftwise cascade")
    leases = Leases(database.url, "http://here", 30.0)
    yield PostgreSQLPlace(database.url, "shops", leases)
    leases.close()


def serving(place: Place, talk: Any, clock: Moment | None = None, text: str = TEXT) -> None:
    async def run() -> None:
        fleet = Fleet(parse_problem(text, "shops"), place.homes(), clock or Moment())
        site = Site([], {"shops": Keys(place)}, fleets=[fleet])
        app: Any = application(site)
        await site.start()
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            try:
                await talk(client, fleet)
            finally:
                await site.stop()

    asyncio.run(run())


async def lived(client: httpx.AsyncClient, name: str, first: int, n: int) -> list[int]:
    arms = []
    for i in range(first, first + n):
        made = await client.post(f"/v1/shops.{name}/decisions", json={"id": f"n{i}"})
        assert made.status_code == 200, made.text
        arms.append(made.json()["arm"])
        reward = {"id": f"n{i}", "reward": float(arms[-1] == len(name) % 2)}
        told = await client.post(f"/v1/shops.{name}/rewards", json=reward)
        assert told.json()["status"] == "learnt"
    return arms


def test_many_problems_share_little_memory_and_forget_nothing(place: Place) -> None:
    names = [f"s{'x' * i}" for i in range(12)]

    async def talk(client: httpx.AsyncClient, fleet: Fleet) -> None:
        for first in (0, 20):
            for name in names:
                await lived(client, name, first, 20)
                assert len(fleet.resident) <= 3
        again = await client.post(f"/v1/shops.{names[0]}/decisions", json={"id": "n3"})
        assert again.json()["repeated"]
        state = (await client.get(f"/v1/shops.{names[0]}")).json()
        assert state["rewards"]["learnt"] == 40
        assert fleet.starts >= 24
        text = (await client.get("/metrics")).text
        assert 'driftwise_fleet_resident{problem="shops"} ' in text

    serving(place, talk)
    problem = parse_problem(TEXT, "shops")
    for name in names:
        log = place.member(f"shops.{name}").log()
        begun = begun_in(log)
        assert begun is not None
        _, choices = verify(problem_at_first(problem, files_in(begun, log)), log.read())
        assert choices == 40
        log.close()


def test_metrics_of_a_template_are_sums_that_never_fall(place: Place) -> None:
    names, seen = ["a", "bb", "ccc", "dddd", "eeeee"], [0.0]
    wanted = 0

    async def talk(client: httpx.AsyncClient, fleet: Fleet) -> None:
        nonlocal wanted

        async def told(metric: str, only: str = "") -> float:
            lines = (await client.get("/metrics")).text.splitlines()
            found = [line for line in lines if line.startswith(f"{metric}{{") and only in line]
            assert found
            assert all('problem="shops"' in line for line in found), "no series for each problem"
            return sum(float(line.split()[-1]) for line in found)

        assert await told("driftwise_exploration_share") == 0.02
        assert await told("driftwise_faults_total") == 0
        for first in (0, 10):
            for name in names:
                await lived(client, name, wanted + first, 10)
                seen.append(await told("driftwise_decisions_total"))
        assert fleet.stops > 0
        assert seen == sorted(seen)
        n = 20 * len(names)
        assert seen[-1] == n
        assert await told("driftwise_rewards_total", 'status="learnt"') == n
        assert await told("driftwise_commit_duration_seconds_count") >= n
        service = next(iter(fleet.resident.values()))
        service.faults["store"] += 1
        service.engine.state.counts["policy"] -= 15  # as if a write had failed and were taken back
        assert await told("driftwise_decisions_total") == n
        await fleet.stop()
        assert await told("driftwise_faults_total", 'kind="store"') == 1
        assert await told("driftwise_decisions_total") == n
        wanted, seen[:] = wanted + n, [0.0]

    serving(place, talk)
    serving(place, talk)  # what logs count of another process is not counted again


def test_keys_of_a_template_that_come_and_go_are_events_of_each_problem_that_wakes(
    place: Place,
) -> None:
    key = add_key(place, ["decide", "read"], "the shops'", who="ada")
    bearer = {"authorization": f"Bearer {key}"}
    name = key.split("_")[1]
    what = [f"key {name} for decide,read added"]

    async def told(client: httpx.AsyncClient, fleet: Fleet) -> None:
        for shop in ("a", "b"):
            path = f"/v1/shops.{shop}/decisions"
            assert (await client.post(path, json={}, headers=bearer)).status_code == 200
        for _ in range(100):
            if all(each.engine.state.key_changes == len(what) for each in fleet.resident.values()):
                return
            await asyncio.sleep(0.1)
        raise AssertionError("nothing was logged")

    serving(place, told)
    what.append(f"key {name} revoked")
    key = add_key(place, ["decide"], "others", who="bob")
    bearer["authorization"] = f"Bearer {key}"
    what.insert(1, f"key {key.split('_')[1]} for decide added")
    revoke_key(place, name, "bob", "it leaked")
    serving(place, told)
    for shop in ("a", "b"):
        log = place.member(f"shops.{shop}").log()
        found = [event_of(row).body for row in log.read()]
        log.close()
        changes = [each for each in found if isinstance(each, Controlled)]
        assert [each.what for each in changes] == what
        assert (changes[-1].who, changes[-1].why) == ("bob", "it leaked")


def test_what_is_idle_leaves_and_comes_back(place: Place) -> None:
    clock = Moment()

    async def talk(client: httpx.AsyncClient, fleet: Fleet) -> None:
        await lived(client, "a", 0, 3)
        clock.seconds = 4.0
        await lived(client, "b", 0, 3)
        clock.seconds = 6.0
        await fleet.sweep()
        assert list(fleet.resident) == ["shops.b"]
        await lived(client, "a", 3, 3)
        assert list(fleet.resident) == ["shops.b", "shops.a"]

    serving(place, talk, clock)


def test_several_who_ask_at_once_start_it_once(place: Place) -> None:
    async def talk(client: httpx.AsyncClient, fleet: Fleet) -> None:
        asked = [client.post("/v1/shops.a/decisions", json={"id": f"n{i}"}) for i in range(10)]
        assert {reply.status_code for reply in await asyncio.gather(*asked)} == {200}
        assert fleet.starts == 1

    serving(place, talk)


def test_only_a_decision_makes_a_problem(place: Place) -> None:
    async def talk(client: httpx.AsyncClient, fleet: Fleet) -> None:
        told = await client.post("/v1/shops.a/rewards", json={"id": "x", "reward": 1})
        assert (told.status_code, (await client.get("/v1/shops.a")).status_code) == (404, 404)
        assert fleet.starts == 0
        for path in ("/v1/shops.a..b/decisions", "/v1/shops./decisions", "/v1/shops.é/decisions"):
            assert (await client.post(path, json={})).status_code == 404
        for i in range(20):
            await lived(client, f"n{i}", 0, 1)
        assert (await client.post("/v1/shops.more/decisions", json={})).status_code == 503
        assert (await client.get("/v1/shops.n1/past")).status_code == 200
        batch: dict[str, Any] = {"requests": [{}]}
        assert (await client.post("/v1/shops.n1/decisions:batch", json=batch)).status_code == 200
        assert "shops.n1" in (await client.get("/")).text

    serving(place, talk)


def test_what_a_template_cannot_have_is_named() -> None:
    with pytest.raises(ProblemError, match=r"template must have no shadows"):
        parse_problem(TEXT + '[[shadow]]\nname = "a"\n', "shops")
    with pytest.raises(ProblemError, match=r"template\.idle: idle must be such as"):
        parse_problem('arms = ["a"]\n[template]\nidle = "soon"\n', "shops")


def test_one_node_serves_a_problem_of_a_template_and_the_other_names_it(database: Database) -> None:
    nodes = [Leases(database.url, f"http://{each}", 30.0) for each in "ab"]
    places = [PostgreSQLPlace(database.url, "towns", each) for each in nodes]
    decision = {"id": "n1"}

    async def run() -> None:
        problem = parse_problem(TEXT, "towns")
        sites = [
            Site([], {"towns": Keys(each)}, fleets=[Fleet(problem, each.homes())])
            for each in places
        ]
        clients = []
        for site in sites:
            app: Any = application(site)
            await site.start()
            clients.append(
                httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")
            )
        first, second = clients
        for client, name in ((first, "a"), (second, "b")):
            made = await client.post(f"/v1/towns.{name}/decisions", json=decision)
            assert made.status_code == 200, made.text
        for client, name, owner in ((second, "a", "http://a"), (first, "b", "http://b")):
            for method, path in (("POST", "/decisions"), ("POST", "/rewards"), ("GET", "")):
                told = await client.request(method, f"/v1/towns.{name}{path}", json=decision)
                assert (told.status_code, told.headers["x-driftwise-owner"]) == (421, owner)
        await sites[0].stop()  # which hands over what it has, though the lease would go on
        again = await _until_200(second, "/v1/towns.a/decisions", decision)
        assert again["repeated"]
        assert (await first.post("/v1/towns.a/decisions", json=decision)).status_code == 503
        await sites[1].stop()
        for client in clients:
            await client.aclose()

    asyncio.run(run())
    for each in nodes:
        each.close()


async def _until_200(client: httpx.AsyncClient, path: str, body: Any) -> Any:
    async with asyncio.timeout(20):
        while (told := await client.post(path, json=body)).status_code != 200:
            assert told.status_code == 421
            await asyncio.sleep(0.02)
    return told.json()


def test_the_measurement_is_one() -> None:
    before = measured(1, 1)["peak"]  # of other tests, too: they share this process
    found = measured(30, 4)
    assert found["starts"] >= 30
    assert 0 < before <= found["peak"] < before + 1e9
    told = page({"SQLite": found})
    assert "| problems | 30 |" in told
    assert "not shown" in told


def test_it_is_measured_on_postgresql_too() -> None:
    if reason := missing():
        pytest.skip(reason)
    found = measured(5, 4, "PostgreSQL")
    assert found["size"] > 5 * 6 * 100  # of four decisions and two rewards each
    assert "| logs in | PostgreSQL |" in page({"PostgreSQL": found})
