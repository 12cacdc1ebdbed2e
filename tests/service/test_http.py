"""The service over HTTP, without a network: endpoints, batches, errors, beliefs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from driftwise.service.http import beliefs
from driftwise.service.http.endpoints import ENDPOINTS
from driftwise.service.http.site import Site
from driftwise.service.problem.reading import parse_problem
from tests.service.over_http import CONTEXT, decided, serving


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
        asked = [{"id": "no id"}, {"id": "d", "context": CONTEXT}, {"id": "e", "contxt": {}}]
        reply = await client.post("/v1/prices/decisions:batch", json={"requests": asked})
        wrong, one, other = reply.json()["decisions"]
        assert (wrong["at"], one["id"], other["status"]) == ("id", "d", 422)
        told = [{"id": "d"}, {"id": "d", "reward": 3}]
        results = (await client.post("/v1/prices/rewards:batch", json={"rewards": told})).json()
        assert [each["status"] for each in results["results"]] == [422, "learnt"]
        many: dict[str, Any] = {"requests": [{}] * 101}
        assert (await client.post("/v1/prices/decisions:batch", json=many)).status_code == 422

    serving(tmp_path / "log.db", talk)


def test_a_batch_refuses_what_is_no_value_of_a_binary_reward(tmp_path: Path) -> None:
    problem = parse_problem('arms = ["red", "blue"]\n[reward]\nkind = "binary"', "button")

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        asked = {"requests": [{"id": "a"}, {"id": "b"}]}
        await client.post("/v1/button/decisions:batch", json=asked)
        told = {"rewards": [{"id": "a", "reward": 0.5}, {"id": "b", "reward": 1}]}
        refused, learnt = (await client.post("/v1/button/rewards:batch", json=told)).json()[
            "results"
        ]
        assert (refused["status"], refused["detail"]) == (422, "reward must be 0 or 1, got 0.5")
        assert learnt["status"] == "learnt"

    serving(tmp_path / "log.db", talk, problem)


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
