"""A client of several nodes: it asks the one that owns the problem, and the next one when that is gone."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from driftwise.service.addresses import Addresses
from driftwise.service.client import Client

DECIDED = {"id": "a", "arm": 2, "name": "high", "propensity": 0.9, "branch": "policy"}


class Node(ThreadingHTTPServer):
    """Owns a problem, knows who does, or is recovering."""

    owner: str | None = None  # None: recovering; empty: this one

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.n_asked = 0
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Node

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.n_asked += 1
        owner = self.server.owner
        status = 503 if owner is None else 421 if owner else 200
        told = json.dumps(DECIDED if status == 200 else {"detail": "not here"}).encode()
        self.send_response(status)
        if owner:
            self.send_header("x-driftwise-owner", owner)
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def nodes() -> Iterator[tuple[Node, Node]]:
    made = Node(), Node()
    yield made
    for node in made:
        node.stop()


def test_the_owner_is_followed_and_remembered(nodes: tuple[Node, Node]) -> None:
    first, second = nodes
    first.owner, second.owner = second.address, ""
    with Client(first.address, "prices") as client:
        for _ in range(3):
            assert client.decide().arm == 2
    assert (first.n_asked, second.n_asked) == (1, 3)


def test_a_node_that_recovers_or_is_gone_is_not_waited_for(nodes: tuple[Node, Node]) -> None:
    first, second = nodes
    second.owner = ""
    gone = "http://127.0.0.1:9"
    for addresses in ([first.address, second.address], [gone, second.address]):
        with Client(addresses, "prices") as client:
            assert client.decide().arm == 2


def test_nodes_that_name_each_other_are_asked_until_time_is_up(nodes: tuple[Node, Node]) -> None:
    first, second = nodes
    first.owner, second.owner = second.address, first.address
    failing = pytest.raises(ConnectionError, match="does not answer")
    with Client(first.address, "prices", timeout=0.5) as client, failing:
        client.decide()
    assert first.n_asked + second.n_asked < 100, "with pauses"


def test_a_key_that_was_sent_safely_is_not_sent_otherwise() -> None:
    addresses = Addresses("https://here")
    assert not addresses.moved(addresses.now, "http://there")
    assert not addresses.moved(addresses.now, "file:///etc/passwd")
    assert addresses.moved(addresses.now, "https://there:8443")
    assert addresses.now.netloc == "there:8443"
    assert len(addresses) == 2


def test_what_another_thread_has_found_is_kept() -> None:
    addresses = Addresses(["http://a", "http://b", "http://c"])
    first = addresses.now
    addresses.moved(first, "http://c")
    addresses.failed(first)
    assert addresses.now.netloc == "c"
    addresses.failed(addresses.now)
    assert addresses.now.netloc == "a"
