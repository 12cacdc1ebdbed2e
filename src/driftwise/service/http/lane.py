"""The hot lane: decisions and rewards without routing, middleware and request objects.

Everything that must hold for all requests is a function that this lane and the rest both call.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, MutableMapping
from itertools import count
from typing import Any

import msgspec

from ..engine import Engine
from ..requests import DecisionRequest, RefusalError, RewardRequest
from ..service import Service
from .errors import UNREADABLE, fault_at, problem_of, refusal_of
from .site import Site

__all__ = ["Lane", "body_in", "send_refusal"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_encode = msgspec.json.Encoder().encode
_numbers = count(1)
_START = f"{time.time_ns():x}"
_SAFE = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Lane:
    """Answers what it knows by its path, and hands on the rest."""

    def __init__(self, site: Site, rest: App) -> None:
        self._site, self._rest = site, rest
        self._routes: dict[str, tuple[Service, str, Any, Callable[[Engine, Any], Any], str]] = {}
        self._ways: dict[str, tuple[str, Any, Callable[[Engine, Any], Any], str]] = {
            route: (scope, msgspec.json.Decoder(request).decode, call, "/v1/{problem}/" + route)
            for route, scope, request, call in (
                ("decisions", "decide", DecisionRequest, Engine.decide),
                ("rewards", "reward", RewardRequest, Engine.reward),
            )
        }
        for name, service in site.services.items():
            for route, way in self._ways.items():
                self._routes[f"/v1/{name}/{route}"] = service, *way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        route = self._routes.get(scope["path"]) if scope["type"] == "http" else None
        if route is None or scope["method"] != "POST":
            if self._site.fleets and scope["type"] == "http":
                await self._of_a_template(scope, receive, send)
            else:
                await self._rest(scope, receive, send)
            return
        await self._answer(route, scope, receive, send)

    async def _of_a_template(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for a problem that may have to begin, or to be read into memory, first."""
        _, _, name, way = (*scope["path"].split("/"), "", "", "")[:4]
        fleet = self._site.fleets.get(name.partition(".")[0])
        if fleet is None or way not in self._ways or scope["method"] != "POST" or "." not in name:
            await self._rest(scope, receive, send)
            return
        rest = self._ways[way]
        try:
            self._site.admit(scope["headers"], rest[0], name)
            if self._site.is_stopping:
                raise RefusalError(503, "this node ends; ask another one, or again", 1)
            service = await fleet.service(name, may_begin=way == "decisions")
        except RefusalError as refusal:
            await send_refusal(send, refusal)
            return
        await self._answer((service, *rest), scope, receive, send)

    async def _answer(
        self,
        route: tuple[Service, str, Any, Callable[[Engine, Any], Any], str],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        start = time.perf_counter()
        service, needed, decode, call, path = route
        try:
            self._site.admit(scope["headers"], needed, service.problem.name)
            body = await body_in(receive, service.problem.limits.body)
            try:
                request = decode(body)
            except UNREADABLE as error:
                raise refusal_of(error, body) from None
            reply = call(service.engine, request)
            committer = service.committer
            if committer is not None and (barrier := committer.barrier()) is not None:
                await barrier
        except Exception as error:
            refusal = error if isinstance(error, RefusalError) else fault_at(path, error)
            await send_refusal(send, refusal)
            self._site.metrics.observe(path, refusal.status, time.perf_counter() - start)
            return
        status = 202 if getattr(reply, "status", "") == "waiting" else 200
        content = _encode(reply)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(content)),
            (b"x-request-id", request_id()),
            *_SAFE,
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})
        self._site.metrics.observe(path, status, time.perf_counter() - start)


async def body_in(receive: Receive, most: int) -> bytes:
    """Return the body of a request, or refuse it when it has grown too long."""
    message = await receive()
    if not message.get("more_body"):
        content: bytes = message.get("body", b"")
        if len(content) > most:
            raise RefusalError(413, f"the body must have at most {most} bytes, got {len(content)}")
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


def request_id() -> bytes:
    """Return the next id of a request."""
    return f"{_START}-{next(_numbers):x}".encode()


async def send_refusal(send: Send, refusal: RefusalError) -> None:
    """Send what is wrong."""
    content = _encode(problem_of(refusal))
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", b"%d" % len(content)),
        (b"x-request-id", request_id()),
        *_SAFE,
    ]
    if refusal.retry_after is not None:
        headers.append((b"retry-after", b"%d" % refusal.retry_after))
    if refusal.owner:
        headers.append((b"x-driftwise-owner", refusal.owner.encode("latin-1", "replace")))
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
