"""The short way of the hot lane answers as ASGI does, whatever comes and however it comes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from driftwise.service.engine import Engine
from driftwise.service.http.protocol import Protocol
from driftwise.service.http.site import Site
from driftwise.service.keys import Keys
from driftwise.service.problem.reading import read_problem
from driftwise.service.requests import RefusalError
from driftwise.service.running import config_of
from driftwise.service.service import Service
from driftwise.service.stores.protocol import StoreError
from driftwise.service.stores.sqlite import SQLiteStore

EXAMPLE = Path(__file__).parents[2] / "examples" / "prices.toml"
BODY = b'{"id":"%b","context":{"device":"phone","hour":14}}'
Talk = Callable[["Line", Service], Awaitable[None]]


class Line:
    """A connection, on which bytes are sent as they are."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self._writer.write(part)
            await self._writer.drain()
            await asyncio.sleep(0.02)  # so that each comes by itself

    async def answer(self) -> tuple[int, dict[str, str], Any]:
        head = (await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), 30)).decode()
        first, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        content = await self._reader.readexactly(int(headers["content-length"]))
        is_json = headers["content-type"].endswith("json")
        return int(first.split()[1]), headers, json.loads(content) if is_json else content

    async def is_ended(self) -> bool:
        return await asyncio.wait_for(self._reader.read(), 30) == b""

    def leave(self) -> None:
        self._writer.close()


def served(path: Path, talk: Talk, origins: tuple[str, ...] = ()) -> None:
    """Serve on a port of this machine, and talk."""

    async def run() -> None:
        problem = read_problem(EXAMPLE)
        service = Service(problem, lambda: SQLiteStore(path))
        site = Site([service], {problem.name: Keys(path)}, origins=origins)
        server = uvicorn.Server(config_of(site, port=0))
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        line = Line(*await asyncio.open_connection("127.0.0.1", port))
        try:
            await talk(line, service)
        finally:
            line.leave()
            server.should_exit = True
            await serving

    asyncio.run(run())


def request(
    body: bytes, path: str = "decisions", headers: str = "", version: str = "1.1"
) -> tuple[bytes, bytes]:
    head = f"POST /v1/prices/{path} HTTP/{version}\r\nhost: localhost\r\n{headers}"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode(), body


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Tell which requests went the short way."""
    ways: list[str] = []
    take = Protocol._take

    def watched(self: Protocol, cycle: Any, route: Any, start: float) -> None:
        ways.append(route.way.path)
        take(self, cycle, route, start)

    monkeypatch.setattr(Protocol, "_take", watched)
    return ways


def test_both_ways_answer_alike(tmp_path: Path, taken: list[str]) -> None:
    async def talk(line: Line, service: Service) -> None:
        head, body = request(BODY % b"o-1")
        told = []
        for parts in ([head + body], [head, body]):  # short; by ASGI, as the body comes later
            await line.send(*parts)
            told.append(await line.answer())
        assert len(taken) == 1
        for (status, headers, content), is_again in zip(told, (False, True), strict=True):
            assert (status, content.pop("repeated")) == (200, is_again)
            assert re.fullmatch(r"[0-9a-f]+-[0-9a-f]+", headers.pop("x-request-id"))
            del headers["content-length"]  # false is longer than true
        assert told[0][1:] == told[1][1:]

    served(tmp_path / "log.db", talk)


@pytest.mark.parametrize(
    ("body", "path", "status"),
    [
        (b'{"id":"r-1","reward":1.0}', "rewards", 202),  # it waits for its decision
        (b'{"id":"o-1","context":{"hour":14}}', "decisions", 422),
        (b'{"id":', "decisions", 400),
        (b'{"id":"' + b"x" * 2**18 + b'"}', "decisions", 413),
    ],
)
def test_statuses_and_errors_are_alike(
    tmp_path: Path, taken: list[str], body: bytes, path: str, status: int
) -> None:
    async def talk(line: Line, service: Service) -> None:
        head, _ = request(body, path)
        told = []
        for parts in ([head + body], [head, body]):
            await line.send(*parts)
            told.append(await line.answer())
        assert [each[0] for each in told] == [status, 200 if status == 202 else status]
        assert told[0][1]["content-type"] == told[1][1]["content-type"]
        assert told[0][2] == told[1][2] or status in (202, 413)

    served(tmp_path / "log.db", talk)


def test_what_comes_in_a_row_is_answered_in_order(tmp_path: Path, taken: list[str]) -> None:
    async def talk(line: Line, service: Service) -> None:
        names = [f"o-{i}" for i in range(5)]
        await line.send(b"".join(b"".join(request(BODY % name.encode())) for name in names))
        assert [(await line.answer())[2]["id"] for _ in names] == names
        assert len(taken) == 1  # what waits behind another goes by ASGI
        await line.send(b"".join(request(BODY % b"o-9")))
        assert (await line.answer())[2]["id"] == "o-9"

    served(tmp_path / "log.db", talk)


@pytest.mark.parametrize(
    ("headers", "version"), [("connection: close\r\n", "1.1"), ("", "1.0")], ids=str
)
def test_a_connection_ends_when_that_is_asked_for(
    tmp_path: Path, taken: list[str], headers: str, version: str
) -> None:
    async def talk(line: Line, service: Service) -> None:
        await line.send(b"".join(request(BODY % b"o-1", headers=headers, version=version)))
        status, told, _ = await line.answer()
        assert (status, told["connection"], len(taken)) == (200, "close", 1)
        assert await line.is_ended()

    served(tmp_path / "log.db", talk)


def test_who_asks_first_whether_to_send_is_told(tmp_path: Path, taken: list[str]) -> None:
    async def talk(line: Line, service: Service) -> None:
        head, body = request(BODY % b"o-1", headers="expect: 100-continue\r\n")
        await line.send(head + body)
        assert (await line._reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        assert (await line.answer())[0] == 200
        assert not taken

    served(tmp_path / "log.db", talk)


def test_nothing_is_told_before_it_is_durable(
    tmp_path: Path, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: SQLiteStore, rows: Any) -> None:
        raise StoreError("no room")

    async def talk(line: Line, service: Service) -> None:
        monkeypatch.setattr(SQLiteStore, "append", fail)
        await line.send(b"".join(request(BODY % b"o-1")))
        status, headers, told = await line.answer()
        assert (status, headers["retry-after"], len(taken)) == (503, "1", 1)
        assert "no room" in told["detail"]

    served(tmp_path / "log.db", talk)


def test_who_leaves_early_disturbs_nobody(tmp_path: Path, taken: list[str]) -> None:
    async def talk(line: Line, service: Service) -> None:
        await line.send(b"".join(request(BODY % b"o-1")))
        line.leave()
        await service.durable()
        assert service.is_ready
        assert service.engine.state.counts["policy"] + service.engine.state.counts["explore"] == 1

    served(tmp_path / "log.db", talk)


@pytest.mark.filterwarnings("ignore")
def test_a_fault_of_ours_is_answered_by_500(
    tmp_path: Path, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Engine, request: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Engine, "decide", fail)

    async def talk(line: Line, service: Service) -> None:
        await line.send(b"".join(request(BODY % b"o-1")))
        assert (await line.answer())[0] == 500

    served(tmp_path / "log.db", talk)


def test_the_short_way_is_closed_where_pages_of_others_ask(
    tmp_path: Path, taken: list[str]
) -> None:
    async def talk(line: Line, service: Service) -> None:
        origin = "origin: https://shop.example\r\n"
        await line.send(b"".join(request(BODY % b"o-1", headers=origin)))
        _, headers, _ = await line.answer()
        assert headers["access-control-allow-origin"] == "https://shop.example"
        assert not taken

    served(tmp_path / "log.db", talk, ("https://shop.example",))


def test_a_problem_that_is_served_elsewhere_is_refused(
    tmp_path: Path, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(line: Line, service: Service) -> None:
        def away(self: Service) -> None:
            raise RefusalError(421, "elsewhere", owner="http://other")

        monkeypatch.setattr(Service, "engine", property(away))
        await line.send(b"".join(request(BODY % b"o-1")))
        status, headers, _ = await line.answer()
        assert (status, headers["x-driftwise-owner"]) == (421, "http://other")

    served(tmp_path / "log.db", talk)
