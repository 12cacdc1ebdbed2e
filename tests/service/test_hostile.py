"""What clumsy and hostile clients send, and what a fault in the middle of a request leaves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from driftwise.service.http.site import Site
from driftwise.service.problem.settings import Logging
from driftwise.service.requests import RefusalError
from driftwise.service.service import Service
from driftwise.service.verify import verify
from tests.service.desk import Desk, problem
from tests.service.test_http import CONTEXT, serving
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
