"""The hot lane: decisions and rewards without routing, middleware and request objects.

Everything that must hold for all requests is a function that this lane and the rest both call.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from itertools import count
from typing import Any, NamedTuple

import msgspec

from ..engine import Engine
from ..requests import DecisionReply, DecisionRequest, RefusalError, RewardReply, RewardRequest
from ..service import Service
from .errors import UNREADABLE, fault_at, problem_of, refusal_of
from .site import Site

__all__ = ["Answer", "App", "Lane", "Route", "answer_of", "body_in", "refused", "send_refusal"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

_encode = msgspec.json.Encoder().encode
_numbers = count(1)
_START = f"{time.time_ns():x}"
_SAFE = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Way(NamedTuple):
    """What one kind of request needs."""

    scope: str  # of the key
    decode: Callable[[bytes], Any]
    call: Callable[[Engine, Any], DecisionReply | RewardReply]
    path: str  # as metrics name it


class Route(NamedTuple):
    """One kind of request, for one problem."""

    service: Service
    way: Way


class Answer(NamedTuple):
    """What is sent."""

    status: int
    headers: list[tuple[bytes, bytes]]
    content: bytes


class Lane:
    """Answers what it knows by its path, and hands on the rest."""

    def __init__(self, site: Site, rest: App) -> None:
        self.site, self._rest = site, rest
        self._ways = {
            route: Way(scope, msgspec.json.Decoder(request).decode, call, "/v1/{problem}/" + route)
            for route, scope, request, call in (
                ("decisions", "decide", DecisionRequest, Engine.decide),
                ("rewards", "reward", RewardRequest, Engine.reward),
            )
        }
        self.routes = {
            f"/v1/{name}/{route}": Route(service, way)
            for name, service in site.services.items()
            for route, way in self._ways.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        route = self.routes.get(scope["path"]) if scope["type"] == "http" else None
        if route is None or scope["method"] != "POST":
            if self.site.fleets and scope["type"] == "http":
                await self._of_a_template(scope, receive, send)
            else:
                await self._rest(scope, receive, send)
            return
        await self._answer(route, scope, receive, send)

    async def _of_a_template(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for a problem that may have to begin, or to be read into memory, first."""
        _, _, name, kind = (*scope["path"].split("/"), "", "", "")[:4]
        fleet, way = self.site.fleets.get(name.partition(".")[0]), self._ways.get(kind)
        if fleet is None or way is None or scope["method"] != "POST" or "." not in name:
            await self._rest(scope, receive, send)
            return
        try:
            self.site.admit(scope["headers"], way.scope, name)
            if self.site.is_stopping:
                raise RefusalError(503, "this node ends; ask another one, or again", 1)
            service = await fleet.service(name, may_begin=kind == "decisions")
        except RefusalError as refusal:
            await send_refusal(send, refusal)
            return
        await self._answer(Route(service, way), scope, receive, send)

    async def _answer(self, route: Route, scope: Scope, receive: Receive, send: Send) -> None:
        start, service = time.perf_counter(), route.service
        try:
            self.admit(route, scope["headers"])
            body = await body_in(receive, service.problem.limits.body)
            reply = self.reply(route, body)
            committer = service.committer
            if committer is not None and (barrier := committer.barrier()) is not None:
                await barrier
            answer = answer_of(reply)
        except Exception as error:
            answer = self.failed(route, error)
        await _send(send, answer)
        self.site.metrics.observe(route.way.path, answer.status, time.perf_counter() - start)

    def admit(self, route: Route, headers: Headers) -> None:
        """Refuse whoever may not ask."""
        self.site.admit(headers, route.way.scope, route.service.problem.name)

    @staticmethod
    def failed(route: Route, error: Exception) -> Answer:
        """Return how it is told what is wrong, be it a refusal or a fault of ours."""
        if not isinstance(error, RefusalError):
            error = fault_at(route.way.path, error)
        return refused(error)

    @staticmethod
    def reply(route: Route, body: bytes) -> DecisionReply | RewardReply:
        """Return what a body is answered, which may be told only when all that is applied is durable."""
        service, way = route
        try:
            request = way.decode(body)
        except UNREADABLE as error:
            raise refusal_of(error, body) from None
        return way.call(service.engine, request)


async def body_in(receive: Receive, most: int) -> bytes:
    """Return the body of a request, or refuse it when it has grown too long."""
    message = await receive()
    if not message.get("more_body"):
        content: bytes = message.get("body", b"")
        require_short(content, most)
        return content
    parts, size = [], 0
    while True:
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise RefusalError(413, f"the body must have at most {most} bytes, got more")
        parts.append(part)
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return b"".join(parts)
        message = await receive()


def require_short(body: bytes | bytearray, most: int) -> None:
    """Refuse a body that is too long."""
    if len(body) > most:
        raise RefusalError(413, f"the body must have at most {most} bytes, got {len(body)}")


def request_id() -> bytes:
    """Return the next id of a request."""
    return f"{_START}-{next(_numbers):x}".encode()


def answer_of(reply: DecisionReply | RewardReply) -> Answer:
    """Return how a reply is sent."""
    status = 202 if getattr(reply, "status", "") == "waiting" else 200
    return _answer(status, b"application/json", _encode(reply))


def refused(refusal: RefusalError) -> Answer:
    """Return how it is told what is wrong."""
    content = _encode(problem_of(refusal))
    answer = _answer(refusal.status, b"application/problem+json", content)
    if refusal.retry_after is not None:
        answer.headers.append((b"retry-after", b"%d" % refusal.retry_after))
    if refusal.owner:
        answer.headers.append((b"x-driftwise-owner", refusal.owner.encode("latin-1", "replace")))
    if refusal.status == 401:
        answer.headers.append((b"www-authenticate", b"Bearer"))
    return answer


async def send_refusal(send: Send, refusal: RefusalError) -> None:
    """Send what is wrong."""
    await _send(send, refused(refusal))


def _answer(status: int, media: bytes, content: bytes) -> Answer:
    headers = [
        (b"content-type", media),
        (b"content-length", b"%d" % len(content)),
        (b"x-request-id", request_id()),
        *_SAFE,
    ]
    return Answer(status, headers, content)


async def _send(send: Send, answer: Answer) -> None:
    status, headers, content = answer
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
