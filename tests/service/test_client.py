"""The client: safe retries, no retry of what is refused, and a fallback when nobody answers."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from driftwise.service.async_client import AsyncClient
from driftwise.service.client import Client, ClientError
from driftwise.service.operator import Operator

DECIDED = {"id": "a", "arm": 2, "name": "high", "propensity": 0.9, "branch": "policy"}


class Stub(BaseHTTPRequestHandler):
    """Answers what the test wrote down, and keeps what was asked."""

    protocol_version = "HTTP/1.1"
    replies: list[Any] = []  # noqa: RUF012  # set by each test
    asked: list[Any] = []  # noqa: RUF012

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        self.asked.append((self.path, json.loads(content), self.headers.get("authorization")))
        reply = self.replies.pop(0)
        if reply is None:  # a connection that breaks
            self.close_connection = True
            return
        status, body = reply
        told = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if status == 503:
            self.send_header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")  # as proxies may
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    Stub.replies, Stub.asked = [], []
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_request_is_sent_again_under_the_same_id(address: str) -> None:
    Stub.replies = [None, (503, {"detail": "recovering"}), (429, {}), (200, DECIDED)]
    with Client(address, "prices", key="dwk_x") as client:
        decision = client.decide({"hour": 3})
    assert (decision.arm, decision.name, decision.is_fallback) == (2, "high", False)
    assert len(Stub.asked) == 4
    assert len({body["id"] for _, body, _ in Stub.asked}) == 1
    assert Stub.asked[0][0] == "/v1/prices/decisions"
    assert Stub.asked[0][2] == "Bearer dwk_x"


def test_what_is_refused_is_raised_at_once_even_with_a_fallback(address: str) -> None:
    Stub.replies = [(422, {"detail": "context must have a device"})]
    refused = pytest.raises(ClientError, match="422: context must have a device")
    with Client(address, "prices", fallback=0) as client, refused:
        client.decide({})
    assert len(Stub.asked) == 1


def test_rewards_are_sent_again_and_in_batches(address: str) -> None:
    Stub.replies = [None, (200, {"id": "a", "status": "duplicate"})]
    with Client(address, "prices") as client:
        assert client.reward("a", 1.0, part="x") == "duplicate"
        Stub.replies = [(200, {"results": [{}] * 1000}), (200, {"results": [{}] * 5})]
        assert len(client.rewards({"id": "a", "reward": 1.0} for _ in range(1005))) == 1005


def test_when_nobody_answers_the_fallback_is_played_or_an_error_raised(address: str) -> None:
    Stub.replies = [(503, {})] * 100
    with Client(address, "prices", fallback=1, timeout=0.2) as away:
        decision = away.decide(id="a")
        assert (decision.arm, decision.is_fallback) == (1, True)
        assert away.reward(decision.id, 1.0) == "dropped"
        assert away.reward("known", 1.0) == "lost"
        told = [{"id": each, "reward": 1.0} for each in ("known", decision.id)]
        assert [each["status"] for each in away.rewards(told)] == ["lost", "dropped"]
        Stub.replies = [(200, {"results": [{"id": "known", "status": "learnt"}]})]
        assert [each["status"] for each in away.rewards(told[::-1])] == ["dropped", "learnt"]
        assert Stub.asked[-1][1] == {"rewards": told[:1]}
    Stub.replies = [(503, {})] * 100
    failing = pytest.raises(ConnectionError, match="503")
    with Client(address, "prices", timeout=0.2) as client, failing:
        client.decide()


def test_an_address_must_be_one() -> None:
    with pytest.raises(ValueError, match="address must be such as"):
        Client("localhost:8080", "prices")


def test_in_an_event_loop_it_is_the_same(address: str) -> None:
    async def talk() -> None:
        Stub.replies = [None, (503, {}), (200, DECIDED), (200, {"id": "a", "status": "learnt"})]
        async with AsyncClient(address, "prices", key="dwk_x") as client:
            decision = await client.decide({"hour": 3})
            assert (decision.arm, decision.is_fallback) == (2, False)
            assert await client.reward(decision.id, 1.0) == "learnt"
            assert len({body["id"] for _, body, _ in Stub.asked[:3]}) == 1
            assert Stub.asked[0][2] == "Bearer dwk_x"
            Stub.replies = [(200, {"results": [{}] * 1000}), (200, {"results": [{}] * 5})]
            assert len(await client.rewards([{"id": "a", "reward": 1.0}] * 1005)) == 1005
            Stub.replies = [(422, {"detail": "context must have a device"})]
            with pytest.raises(ClientError, match="422: context must have a device"):
                await client.decide({})
            Stub.replies = [(503, {})] * 100
        async with AsyncClient(address, "prices", fallback=1, timeout=0.2) as away:
            decision = await away.decide(id="a")
            assert (decision.arm, decision.is_fallback) == (1, True)
            assert await away.reward(decision.id, 1.0) == "dropped"
            assert await away.reward("known", 1.0) == "lost"
            told = [{"id": each, "reward": 1.0} for each in ("known", decision.id)]
            assert [each["status"] for each in await away.rewards(told)] == ["lost", "dropped"]

    asyncio.run(talk())


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_proxy_without_anybody_behind_it_is_asked_again(address: str, status: int) -> None:
    Stub.replies = [(status, None), (200, DECIDED)]
    with Client(address, "prices") as client:
        assert client.decide().arm == 2
    assert Stub.asked[0] == Stub.asked[1]

    async def ask() -> int:
        Stub.replies = [(status, None), (200, DECIDED)]
        async with AsyncClient(address, "prices") as client:
            return (await client.decide()).arm

    assert asyncio.run(ask()) == 2
    Stub.replies = [(status, None)]
    with Operator(address, "prices") as operator, pytest.raises((ClientError, ConnectionError)):
        operator.backup(why="not twice")
    assert not Stub.replies


def test_threads_that_end_leave_no_connection(address: str) -> None:
    with Client(address, "prices") as client:
        for _ in range(5):
            Stub.replies = [(200, DECIDED)]
            thread = threading.Thread(target=client.decide)
            thread.start()
            thread.join()
        assert sum(len(idle) for idle in client._idle.values()) == 1


def test_a_connection_that_another_thread_takes_meanwhile_is_not_missed(address: str) -> None:
    class Taken(list[Any]):
        def __len__(self) -> int:
            return 1  # when it was looked at

    Stub.replies = [(200, DECIDED)]
    with Client(address, "prices") as client:
        client._idle[urlsplit(address)] = Taken()
        assert client.decide().arm == 2
