"""Operations over HTTP: what is asked, what is answered, and what the log says about it."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from driftwise.service.client import ClientError
from driftwise.service.events import Archived, Operated, event_of
from driftwise.service.http.operations import OPERATIONS
from driftwise.service.http.site import Site
from driftwise.service.operator import Operator
from driftwise.service.problem.reading import read_problem
from driftwise.service.stores.sqlite import SQLiteStore
from tests.service.over_http import CONTEXT, EXAMPLE, serving

POLICY = {"name": "LinUCB", "noise": 0.1}


async def lived(client: httpx.AsyncClient, n: int = 30) -> None:
    for i in range(n):
        body = {"id": f"n{i}", "context": CONTEXT}
        arm = (await client.post("/v1/prices/decisions", json=body)).json()["arm"]
        reward = {"id": f"n{i}", "reward": 50.0 * arm}
        await client.post("/v1/prices/rewards", json=reward)


async def asked(client: httpx.AsyncClient, what: str, **body: Any) -> Any:
    reply = await client.post(f"/v1/prices/{what}", json={"why": "a test"} | body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_each_operation_says_what_would_change_and_is_one_event(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        site.folder = tmp_path / "archive"
        await lived(client)
        service = site.services["prices"]
        document = (await client.get("/openapi.json")).json()

        async def valid(what: str, **body: Any) -> Any:
            reply = await asked(client, what, **body)
            told = document["paths"][f"/v1/{{problem}}/{what}"]["post"]["responses"]["200"]
            schema = told["content"]["application/json"]["schema"]
            jsonschema.validate(reply, {"components": document["components"], **schema})
            return reply

        for what, body in (
            ("policy", {"policy": POLICY}),
            ("rewind", {"to": 40}),
            ("censor", {"from": 10, "to": 20}),
            ("censor", {"arm": "low"}),
            ("erase", {"ids": ["n3", "n4"]}),
        ):
            seq, version = service.engine.state.seq, service.engine.version
            dry = await valid(what, dry=True, **body)
            assert (dry["dry"], dry["seq"], service.engine.version) == (True, seq, version)
            done = await valid(what, **body)
            assert (done["dry"], done["seq"]) == (False, seq + 1)
            assert {
                k: v for k, v in done.items() if k not in ("dry", "seq", "version", "policy")
            } == {k: v for k, v in dry.items() if k not in ("dry", "seq", "version", "policy")}
            assert (service.engine.version != version) == (what == "policy")
        assert (await client.get("/v1/prices")).json()["policy"] == "LinUCB"
        copied = await valid("backup")
        assert Path(copied["file"]).exists()
        moved = await valid("archive", to=service.engine.state.seq - 1)
        back = await valid("restore", files=[Path(moved["file"]).name])
        assert back["until"] == moved["until"]

    log = tmp_path / "log.db"
    serving(log, talk)
    store = SQLiteStore(log)
    bodies = [event_of(row).body for row in store.operations()]
    store.close()
    found = [body for body in bodies if isinstance(body, Operated | Archived)]
    assert len(found) == len(bodies) == 7
    assert all(body.who.startswith("anyone from") and body.why == "a test" for body in found)


@pytest.mark.parametrize(
    ("what", "body", "said"),
    [
        ("policy", {"policy": {"name": "LinUBC"}}, "LinUCB"),
        ("policy", {"policy": POLICY, "why": ""}, "length >= 1"),
        ("rewind", {"to": 10**6}, "to must be an event of the log"),
        ("censor", {}, "there must be a range, ids or an arm"),
        ("censor", {"since": "noon"}, "ISO 8601"),
        ("censor", {"arm": "lo"}, "did you mean 'low'?"),
        ("erase", {}, "there must be ids, a user or a context"),
        ("archive", {"to": 5}, "--archive FOLDER"),
        ("restore", {"files": ["../keys.db"]}, "regex"),
        ("backup", {"folder": "/"}, "unknown field `folder`"),
    ],
)
def test_what_is_wrong_changes_nothing(
    tmp_path: Path, what: str, body: dict[str, Any], said: str
) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        await lived(client, 3)
        seq = site.services["prices"].engine.state.seq
        reply = await client.post(f"/v1/prices/{what}", json={"why": "a test"} | body)
        assert reply.status_code == 422
        assert said in reply.json()["detail"]
        assert site.services["prices"].engine.state.seq == seq

    serving(tmp_path / "log.db", talk)


def test_archives_by_a_moment_end_before_it(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        site.folder = tmp_path
        await lived(client, 10)
        store = site.services["prices"].store
        assert store is not None
        rows = list(store.read())
        middle = rows[12].t / 1e6
        expected = sum(row.t < rows[12].t for row in rows)
        from datetime import UTC, datetime

        before = datetime.fromtimestamp(middle, UTC).isoformat()
        assert (await asked(client, "archive", before=before))["until"] == expected

    serving(tmp_path / "log.db", talk)


def test_another_sites_page_changes_nothing(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        await lived(client, 3)
        bodies: dict[str, Any] = {
            "policy": {"policy": POLICY}, "promote": {"shadow": "a"}, "rewind": {"to": 2}, "censor": {"arm": 0},
            "erase": {"ids": ["n0"]}, "archive": {"to": 2}, "restore": {"files": ["a"]}, "backup": {},
        }  # fmt: skip
        assert {f"/v1/{{problem}}/{what}" for what in bodies} == {each.path for each in OPERATIONS}
        for what, body in bodies.items():
            body = {"why": "a test"} | body
            reply = await client.post(
                f"/v1/prices/{what}", json=body, headers={"sec-fetch-site": "cross-site"}
            )
            assert reply.status_code == 403

    serving(tmp_path / "log.db", talk)


class Tied(Operator):
    """An operator without a network: what it sends goes to a client of the test."""

    def __init__(self, client: httpx.AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__("http://test", "prices")
        self._client, self._loop = client, loop

    def _send(self, asked: Any, method: str, target: str, content: Any, *rest: Any) -> Any:
        work = self._client.request(method, target, content=content)
        reply = asyncio.run_coroutine_threadsafe(work, self._loop).result(60)
        return reply.status_code, reply.content, 0.0, None


def test_the_operator_asks_for_everything(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        site.folder = tmp_path / "archive"
        await lived(client)
        operator = Tied(client, asyncio.get_running_loop())

        async def done(call: Any, *given: Any, **more: Any) -> Any:
            work = functools.partial(call, *given, why="a test", **more)
            return await asyncio.to_thread(work)

        assert (await done(operator.control, freeze=True))["is_frozen"]
        assert not (await done(operator.control, freeze=False))["is_frozen"]
        assert (await done(operator.policy, POLICY, dry=True))["policy"] == "AdaptiveUCB"
        assert (await done(operator.policy, POLICY))["policy"] == "LinUCB"
        assert (await done(operator.rewind, 50))["left_out"] > 0
        assert (await done(operator.censor, first=3, to=9))["left_out"] > 0
        moved = await done(operator.archive, to=20)
        assert (await done(operator.restore, [Path(moved["file"]).name]))["until"] == 20
        assert (await done(operator.erase, ["n1"]))["decisions"] == 1
        assert (await done(operator.erase, user="nobody", dry=True))["decisions"] == 0
        assert (await done(operator.erase, context=CONTEXT, dry=True))["decisions"] > 0
        assert (await done(operator.backup))["events"] > 60
        with pytest.raises(ClientError, match="422"):
            await done(operator.rewind, 10**6)

    serving(tmp_path / "log.db", talk, read_problem(EXAMPLE))
