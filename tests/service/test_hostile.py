"""What clumsy and hostile clients send, and what a fault in the middle of a request leaves."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest

from benchmarks.service.process import free_port
from driftwise.service.events import DamageError
from driftwise.service.http.site import Site
from driftwise.service.keys import Keys, add_key, revoke_key
from driftwise.service.problem.settings import Limits, Logging, Rewards
from driftwise.service.requests import RefusalError
from driftwise.service.service import Service
from driftwise.service.stores.places import SQLitePlace
from driftwise.service.stores.sqlite import SQLiteStore
from driftwise.service.verify import verify
from tests.service.desk import SECOND, Desk, problem
from tests.service.over_http import CONTEXT, serving
from tests.service.test_service import Fragile, ask, ask_until_told


@pytest.mark.parametrize("name", [None, "a"])
@pytest.mark.parametrize("value", [10**30, -(10**30), [10**30]])
def test_an_integer_that_no_event_can_hold_is_refused_before_anything_is_decided(
    name: str | None, value: Any
) -> None:
    desk = Desk(problem(log=Logging(context=True)))
    with pytest.raises(RefusalError, match="64 bits") as caught:
        desk.decide(name, context={"x": value})
    assert caught.value.status == 422
    desk.decide("b", context={"x": 2**63})
    desk.check()


def test_a_fault_between_a_choice_and_its_event_ends_the_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else memory would go on that no replay comes to, and a snapshot would keep it."""

    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        told = await ask(service, "a")
        torn = service.engine
        with monkeypatch.context() as patched:
            patched.setattr(torn, "_log", lambda *given: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                await ask(service, "b")
        with pytest.raises(RefusalError, match="half done"):
            await ask(service, "b")
        assert not (await ask_until_told(service, "b")).repeated
        assert service.engine is not torn
        assert (await ask(service, "a")).seq == told.seq
        assert verify(service.problem, store.read())[0].digest == service.engine.state.digest
        await service.stop()

    asyncio.run(run())


def test_what_is_torn_is_not_kept_by_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        store = Fragile()
        service = Service(problem(), lambda: store)
        await service.start()
        monkeypatch.setattr(service.engine, "_log", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await ask(service, "b")
        await service.stop()
        assert not list(store.snapshots())

    asyncio.run(run())


@pytest.mark.parametrize("path", ["decisions", "decisions:batch"])
def test_a_fault_is_answered_counted_and_said(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        monkeypatch.setattr(
            site.service("prices").engine.state.learner, "decide", lambda *given: 1 / 0
        )
        body: dict[str, Any] = {"context": CONTEXT}
        if path != "decisions":
            body = {"requests": [body]}
        reply = await client.post(f"/v1/prices/{path}", json=body)
        assert (reply.status_code, reply.json()["status"]) == (500, 500)
        assert reply.headers["content-type"] == "application/problem+json"
        assert "1 / 0" not in reply.text
        told = (await client.get("/metrics")).text
        assert f'_count{{code="500",route="/v1/{{problem}}/{path}"}} 1.0' in told

    serving(tmp_path / "log.db", talk)
    said = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert "ZeroDivisionError" in next(each["trace"] for each in said if each["event"] == "fault")


def test_when_the_last_key_is_revoked_nobody_gets_in_also_after_a_restart(tmp_path: Path) -> None:
    log = tmp_path / "log.db"

    async def refused(client: httpx.AsyncClient, site: Site) -> None:
        for path in ("/v1/prices", "/metrics", "/"):
            assert (await client.get(path)).status_code == 401, path
        reply = await client.post("/v1/prices/control", json={"why": "x", "mode": "fallback"})
        assert reply.status_code == 401

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        assert (await client.get("/v1/prices")).status_code == 200, "there was no key yet"
        name = add_key(log, ["read"], "").split("_")[1]
        site._keys["prices"].look()
        revoke_key(log, name)
        site._keys["prices"].look()
        await refused(client, site)

    serving(log, talk)
    serving(log, refused)
    assert Keys(SQLitePlace(log), without=True).who(None, "admin") == "anyone", "--open says so"


def test_a_form_to_log_in_is_short(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        reply = await client.post("/login", content=b"key=" + b"a" * 10_000)
        assert reply.status_code == 413

    serving(tmp_path / "log.db", talk)


def test_behind_a_proxy_with_tls_the_cookie_is_sent_by_tls_only(tmp_path: Path) -> None:
    key = add_key(tmp_path / "log.db", ["read"], "")

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        for origin, is_secure in (("https://test", True), ("http://test", False)):
            reply = await client.post("/login", data={"key": key}, headers={"origin": origin})
            assert reply.status_code == 303
            assert ("; Secure" in reply.headers["set-cookie"]) == is_secure

    serving(tmp_path / "log.db", talk)


def test_what_fails_once_a_second_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else keys that are revoked would stay valid, and pages would stand still."""
    log = tmp_path / "log.db"
    key = add_key(log, ["read"], "")
    bearer = {"authorization": f"Bearer {key}"}
    look, failures = Keys.look, [DamageError("the disk is full"), apsw.IOError(), RuntimeError()]

    def looked(keys: Keys) -> None:
        if keys.last_change > 0 and failures:
            raise failures.pop()
        look(keys)

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        assert (await client.get("/v1/prices", headers=bearer)).status_code == 200
        revoke_key(log, key.split("_")[1])
        for _ in range(60):
            if (await client.get("/v1/prices", headers=bearer)).status_code == 401:
                break
            await asyncio.sleep(0.1)
        assert not failures
        assert (await client.get("/v1/prices", headers=bearer)).status_code == 401

    monkeypatch.setattr(Keys, "look", looked)
    serving(log, talk)
    assert "the disk is full" in capsys.readouterr().err


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_reward_comes_in_no_more_parts_than_the_limit(*, is_closed: bool) -> None:
    rewards = Rewards(high=9.0, window=60 * SECOND, join="sum")
    desk = Desk(problem(reward=rewards, limits=Limits(parts=3)))
    desk.decide("a")
    if is_closed:
        desk.wait(61)
    for i in range(3):
        assert desk.reward("a", 1.0, part=f"p{i}").status == ("late" if is_closed else "noted")
    with pytest.raises(RefusalError, match="at most 3 parts") as caught:
        desk.reward("a", 1.0, part="p3")
    assert caught.value.status == 422
    assert desk.reward("a", 1.0, part="p0").status == "duplicate", "a retry is no part"
    desk.check()


def test_without_keys_a_page_of_another_site_tells_no_rewards(tmp_path: Path) -> None:
    """A browser on this machine sends what any page asks it to; only the reply it keeps back."""

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        site._is_local = True
        for origin, status in (
            (None, 202), ("http://localhost:8080", 202), ("https://shop.example", 202),
            ("https://evil.example", 403), ("http://localhost:9000", 403), ("null", 403), ("[", 403),
        ):  # fmt: skip
            headers = {"host": "localhost:8080"} | ({} if origin is None else {"origin": origin})
            told = {"id": f"o-{origin and len(origin)}", "reward": 1}
            reply = await client.post("/v1/prices/rewards", json=told, headers=headers)
            assert reply.status_code == status, origin

    serving(tmp_path / "log.db", talk, origins=["https://shop.example"])


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("other.db", "other.db cannot be opened: file is not a database"),
        ("nowhere/log.db", "nowhere, got none"),
        ("used.db", "another service writes to the log"),
        ("began.db", "arms of the problem file must be"),
    ],
)
def test_what_keeps_a_service_from_starting_is_told_in_a_sentence(
    log: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "button.toml"
    file.write_text('arms = ["red", "blue"]')
    (tmp_path / "other.db").write_text("something else " * 100)
    began = Desk(problem(text='arms = ["red"]'))
    store = SQLiteStore(tmp_path / "began.db")
    store.append(list(began.store.read()))
    store.close()
    used = SQLiteStore(tmp_path / "used.db")
    command = [sys.executable, "-m", "driftwise", "serve", str(file), "--log", str(tmp_path / log)]
    try:
        done = subprocess.run(
            [*command, "--port", str(free_port())], capture_output=True, text=True, timeout=60
        )
    finally:
        used.close()
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    (*_, last) = done.stderr.splitlines()
    assert last.startswith("Error: ")
    assert said in last
