"""The service over HTTP, without a network: endpoints, scopes, errors, export, limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

import driftwise as dw
from driftwise.evaluation import value
from driftwise.service.events import Controlled, event_of
from driftwise.service.http import beliefs
from driftwise.service.http.app import application
from driftwise.service.http.endpoints import ENDPOINTS
from driftwise.service.http.site import Site
from driftwise.service.keys import SCOPES, Keys, add_key, revoke_key
from driftwise.service.problem.reading import read_problem
from driftwise.service.problem.settings import Limits, Problem
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


def test_what_a_newcomer_does(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        first = await decided(client, "o-1")
        assert first["name"] in ("low", "middle", "high")
        reward = {"id": "o-1", "reward": 37.5}
        told = await client.post("/v1/prices/rewards", json=reward)
        assert (told.status_code, told.json()["status"]) == (200, "learnt")
        assert (await client.post("/v1/prices/rewards", json=reward)).json()[
            "status"
        ] == "duplicate"
        assert (await decided(client, "o-1"))["repeated"]
        early = await client.post("/v1/prices/rewards", json={"id": "o-2", "reward": 1})
        assert (early.status_code, early.json()["status"]) == (202, "waiting")
        known = (await client.get("/v1/prices/decisions/o-1")).json()
        assert (known["state"], known["rewards"][0]["reward"]) == ("rewarded", 37.5)
        assert (await client.get("/v1/prices")).json()["rewards"]["learnt"] == 1
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).json() == {"status": "ready"}

    serving(tmp_path / "log.db", talk)


def test_batches_answer_each_and_say_what_is_wrong(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        asked = [{"id": "a", "context": CONTEXT}, {"id": "b"}, {"id": "c", "context": CONTEXT}]
        reply = await client.post("/v1/prices/decisions:batch", json={"requests": asked})
        one, wrong, other = reply.json()["decisions"]
        assert (one["id"], wrong["status"], other["id"]) == ("a", 422, "c")
        told = [{"id": "a", "reward": 1}, {"id": "c", "reward": 1e9}]
        results = (await client.post("/v1/prices/rewards:batch", json={"rewards": told})).json()
        assert [each["status"] for each in results["results"]] == ["learnt", 422]
        many: dict[str, Any] = {"requests": [{}] * 101}
        assert (await client.post("/v1/prices/decisions:batch", json=many)).status_code == 422

    serving(tmp_path / "log.db", talk)


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("decisions", b"{", 400, "must be JSON"),
        ("decisions", b'{"context": 3}', 422, "Expected `object"),
        ("decisions", b'{"colour": 3}', 422, "unknown field `colour`"),
        ("decisions", b'{"id": "no spaces"}', 422, "matching regex"),
        ("decisions", b'{"id": "x", "context": {"hour": 3}}', 422, "device"),
        ("decisions", b" " * 300_000, 413, "at most 262144 bytes"),
        ("rewards", b'{"id": "x", "reward": NaN}', 422, "must be finite, got NaN"),
        ("rewards", b'{"id": "x", "reward": -Infinity}', 422, "must be finite, got -Infinity"),
        ("rewards", b'{"id": "x", "reward": NaN', 400, "must be JSON"),
        ("rewards", b'{"id": "x", "reward": 1e999}', 422, "out of range"),
        ("rewards", b'{"id": "x", "reward": 101}', 422, "reward must be in [0, 100], got 101"),
        ("rewards", b'{"id": "x", "reward": 1, "at": "noon"}', 422, "ISO 8601"),
        ("rewards", b'{"id": "12-0123456789", "reward": 1}', 404, "one that was decided"),
        ("control", b'{"mode": "fallback"}', 422, "why"),
        ("control", b'{"why": "x", "off": ["lo"]}', 422, "did you mean 'low'?"),
    ],
)
def test_errors_have_the_form_of_rfc_9457(
    tmp_path: Path, path: str, body: bytes, status: int, said: str
) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        seq = site.services["prices"].engine.state.seq
        reply = await client.post(f"/v1/prices/{path}", content=body)
        assert reply.status_code == status
        assert reply.headers["content-type"] == "application/problem+json"
        assert reply.headers["x-request-id"]
        assert (reply.json()["status"], reply.json()["type"]) == (status, "about:blank")
        assert said in reply.json()["detail"]
        assert site.services["prices"].engine.state.seq == seq, "nothing has changed"

    serving(tmp_path / "log.db", talk)


def test_unknown_paths_problems_and_methods(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        for path, status in (("/nowhere", 404), ("/v1/other", 404), ("/page/../keys.py", 404)):
            reply = await client.get(path)
            assert (reply.status_code, reply.json()["status"]) == (status, status)
        assert (await client.post("/v1/other/decisions", json={})).status_code == 404
        assert (await client.get("/v1/prices/decisions")).status_code == 405
        assert (await client.get("/v1/prices/decisions/none")).status_code == 404

    serving(tmp_path / "log.db", talk)


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


@pytest.mark.parametrize("path", ["decisions", "decisions:batch", "control"])
def test_what_no_decoder_can_read_is_refused(tmp_path: Path, path: str) -> None:
    nested = b"[" * 100_000 + b"]" * 100_000
    bodies = b'{"id":"\xff"}', b'{"context":{"a":%b}}' % nested, b'{"actions":%b}' % nested

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        for body in bodies:
            reply = await client.post(f"/v1/prices/{path}", content=body)
            assert reply.status_code in (400, 422), body[:20]
            assert reply.headers["content-type"] == "application/problem+json"
        if path == "decisions":
            reply = await client.post(f"/v1/prices/{path}", json={"id": "a\n"})
            assert reply.status_code == 422

    serving(tmp_path / "log.db", talk)


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


def test_the_log_is_read_and_evaluated_in_both_forms(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        for i in range(300):
            reply = await decided(client, f"n{i}")
            if i % 4:
                reward = {"id": f"n{i}", "reward": 50.0 * reply["arm"]}
                await client.post("/v1/prices/rewards", json=reward)
        await client.post("/v1/prices/control", json={"why": "test", "mode": "fallback"})
        await decided(client, "forced")
        lines = await client.get("/v1/prices/log")
        (tmp_path / "log.jsonl").write_bytes(lines.content)
        accept = {"accept": "application/vnd.apache.parquet"}
        parquet = await client.get("/v1/prices/log", headers=accept)
        (tmp_path / "log.parquet").write_bytes(parquet.content)
        tail = await client.get("/v1/prices/log?from=300")
        assert len(tail.content) < len(lines.content)
        assert (await client.get("/v1/prices/log?from=x")).status_code == 422

    problem = replace(read_problem(EXAMPLE), share=0.5)
    serving(tmp_path / "log.db", talk, problem)
    logs = [dw.Log.read(tmp_path / f"log.{form}") for form in ("jsonl", "parquet")]
    assert list(logs[0]) == list(logs[1])
    log = logs[0]
    assert len(log) == 301
    assert sum("reward" in event for event in log) == 225
    first = log[0]
    assert first["context"] == CONTEXT
    assert sum(first["propensities"]) == pytest.approx(1.0)
    assert first["propensities"][first["action"]] == first["propensity"]
    estimate = value(log[:300], 2)  # of always playing the highest price
    assert estimate.low <= 100.0 <= estimate.high
    assert estimate.value == pytest.approx(100.0, rel=0.35)


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


def test_metrics_count_what_happened(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        await decided(client, "a")
        for _ in range(2):
            await client.post("/v1/prices/rewards", json={"id": "a", "reward": 1})
        await site.views["prices"].look_inside(site.explained)
        text = (await client.get("/metrics")).text
        for line in (
            'driftwise_rewards_total{problem="prices",status="learnt"} 1.0',
            'driftwise_rewards_total{problem="prices",status="duplicate, agrees"} 1.0',
            'driftwise_decisions_open{problem="prices"} 0.0',
            'driftwise_log_seq{problem="prices"} 4.0',
            'driftwise_snapshot_age_seconds{problem="prices"} ',
            'driftwise_reward_delay_seconds_count{problem="prices"} 1.0',
            'driftwise_effective_memory_rounds{problem="prices"} ',
            'driftwise_noise{problem="prices"} ',
            'driftwise_fenced_total{problem="prices"} 0.0',
        ):
            assert line in text

    serving(tmp_path / "log.db", talk)


def test_the_log_tells_what_was_asked_for_and_what_people_did_with_who_and_why(
    tmp_path: Path,
) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        await decided(client, "a")
        await client.post("/v1/prices/rewards", json={"id": "a", "reward": 1})
        await client.post("/v1/prices/control", json={"why": "a sale", "mode": "fallback"})

        async def lines(query: str) -> list[dict[str, Any]]:
            reply = await client.get(f"/v1/prices/log{query}")
            assert reply.status_code == 200, reply.text
            return [json.loads(line) for line in reply.text.splitlines()]

        every = await lines("")
        assert ["action" in each for each in every] == [True, False]
        assert await lines("?kind=decided&kind=rewarded") == every
        assert await lines("?kind=decided") == every[:1]
        assert await lines("?kind=rewarded") == every[1:]
        (did,) = await lines("?kind=controlled")
        assert did["who"].startswith("anyone from ")
        assert (did["what"], did["why"]) == ("mode fallback", "a sale")
        assert await lines(f"?kind=controlled&from={did['seq'] + 1}") == []
        wrong = await client.get("/v1/prices/log?kind=decide")
        assert wrong.status_code == 422
        assert "decided, rewarded, controlled" in wrong.text
        parquet = {"accept": "application/vnd.apache.parquet"}
        refused = await client.get("/v1/prices/log?kind=controlled", headers=parquet)
        assert refused.status_code == 422

    serving(tmp_path / "log.db", talk)


def test_the_past_of_the_page_outlives_the_process(tmp_path: Path) -> None:
    before: dict[str, Any] = {}

    async def first(client: httpx.AsyncClient, site: Site) -> None:
        for i in range(5):
            await decided(client, f"n{i}")
        body = {"why": "a test", "mode": "fallback"}
        await client.post("/v1/prices/control", json=body)
        site.views["prices"].sample()
        before.update((await client.get("/v1/prices/past")).json())

    async def second(client: httpx.AsyncClient, site: Site) -> None:
        past = (await client.get("/v1/prices/past")).json()
        assert past["changes"] == before["changes"]
        for span in ("seconds", "minutes", "hours"):
            assert sum(past[span]["decisions"]) == sum(before[span]["decisions"])
            place = past[span]["t"].index(before[span]["t"][0])
            assert past[span]["arms"][place] == before[span]["arms"][0]
        await decided(client, "more")
        site.views["prices"].sample()
        past = (await client.get("/v1/prices/past")).json()
        assert sum(past["hours"]["decisions"]) == sum(before["hours"]["decisions"]) + 1

    serving(tmp_path / "log.db", first)
    assert sum(before["seconds"]["decisions"]) == 5
    serving(tmp_path / "log.db", second)


def test_belief_tells_what_the_policy_thinks_of_actions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beliefs, "_PERIOD", 3600.0)

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        for i in range(5):
            await decided(client, f"n{i}")
            await client.post("/v1/prices/rewards", json={"id": f"n{i}", "reward": 50})
        bad = {"context": {"hour": 3}}
        assert (await client.post("/v1/prices/belief", json=bad)).status_code == 422
        told = await client.post("/v1/prices/belief", json={"context": CONTEXT})
        assert len(told.json()["belief"]["actions"]) == 3
        again = await client.post("/v1/prices/belief", json={"context": CONTEXT})
        assert again.content == told.content
        other = await client.post("/v1/prices/belief", json={})
        assert (other.status_code, other.headers["retry-after"]) == (429, "1")
        monkeypatch.setattr(beliefs, "_PERIOD", 0.0)
        assert (await client.post("/v1/prices/belief", json={})).json()["belief"]["summary"]

    serving(tmp_path / "log.db", talk)


def test_replies_are_as_the_document_says_and_the_document_knows_every_route(
    tmp_path: Path,
) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        document = (await client.get("/openapi.json")).json()
        assert document["openapi"].startswith("3.1")
        listed = {(m.upper(), p) for p, each in document["paths"].items() for m in each}
        assert listed == {(each.method, each.path) for each in ENDPOINTS}
        schema = document["paths"]["/v1/{problem}/decisions"]["post"]["responses"]["200"]
        schema = schema["content"]["application/json"]["schema"]
        whole = {"components": document["components"], **schema}
        jsonschema.validate(await decided(client), whole)
        past = document["components"]["schemas"]["Past"]
        reply = (await client.get("/v1/prices/past")).json()
        jsonschema.validate(reply, {"components": document["components"], **past})
        assert json.dumps(reply)

    serving(tmp_path / "log.db", talk)
