"""The application: the hot lane in front, and Starlette for the rest, by one table of endpoints."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..requests import RefusalError
from .endpoint import Endpoint
from .endpoints import ENDPOINTS, login
from .errors import UNREADABLE, fault_at, problem_of, refusal_of
from .lane import App, Lane, body_in, request_id, send_refusal
from .page import Page, links
from .replies import json_of
from .site import Site

__all__ = ["application"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SHARED = re.compile(r"/v1/[^/]+/(decisions|rewards)(:batch)?")
_MOST_LINKS = 200  # to problems, of which the others are opened by name
_PAGE = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_FORM = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>driftwise</title>"
    "<form method=post action=/login><label>A key with the scope read: "
    "<input type=password name=key autocomplete=off></label> <button>Open</button></form></html>"
)


def application(site: Site) -> App:
    """Return the ASGI application of a site; its services start and stop with it."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await site.start()
        try:
            yield
        finally:
            await site.stop()

    routes = [
        Route(each.path, _Answer(site, each), methods=[each.method])
        for each in ENDPOINTS
        if each.handle is not None
    ]
    hot = [each for each in ENDPOINTS if each.handle is None]
    routes += [Route(each.path, _unknown(site), methods=[each.method]) for each in hot]
    routes.append(Route("/login", _Answer(site, _LOGIN), methods=["POST"]))
    routes += [Route("/", _page(site)), Route("/page/{name}", _page(site))]
    rest = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _refused})
    lane = Lane(site, rest)
    return _shared(lane, site.origins) if site.origins else lane


def _shared(app: App, origins: list[str]) -> App:
    """Let pages of other origins ask for decisions and tell rewards, and nothing else."""
    shared = CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["POST"],
        allow_headers=["authorization", "content-type"],
        expose_headers=["retry-after", "x-request-id"],
    )

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_shared = scope["type"] == "http" and _SHARED.fullmatch(scope["path"])
        await (shared if is_shared else app)(scope, receive, send)

    return answer


_LOGIN = Endpoint("POST", "/login", None, "Open the page with a key.", login)


class _Answer:
    """Answers one endpoint: who asks, the body, the reply, and what went wrong."""

    def __init__(self, site: Site, endpoint: Endpoint) -> None:
        self._site, self._endpoint = site, endpoint
        self._decode: Any = None
        if endpoint.request is not None:
            self._decode = msgspec.json.Decoder(endpoint.request).decode

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, endpoint = time.perf_counter(), self._endpoint
        assert endpoint.handle is not None
        status = 0  # nothing is sent yet
        try:
            request = Request(scope, receive)
            name = request.path_params.get("problem")
            who, body = "anyone", None
            if endpoint.scope is not None:
                headers = scope["headers"]
                by_cookie = endpoint.by_cookie
                who = self._site.admit(headers, endpoint.scope, name, is_read=by_cookie)
            if name is not None:
                await self._site.awake(name, may_begin=endpoint.path.endswith("/decisions:batch"))
                self._site.service(name).require_owner()
            if self._decode is not None:
                limits = self._site.service(name or "").problem.limits
                content = await body_in(receive, limits.body)
                try:
                    body = self._decode(content)
                except UNREADABLE as error:
                    raise refusal_of(error, content) from None
            reply = await endpoint.handle(self._site, request, who, body)
            reply.headers["x-request-id"] = request_id().decode()
            reply.headers["x-content-type-options"] = "nosniff"
            status = reply.status_code
            await reply(scope, receive, send)
        except RefusalError as refusal:
            status = refusal.status
            await send_refusal(send, refusal)
        except Exception as error:
            fault = fault_at(endpoint.path, error)
            if status:
                raise
            status = fault.status
            await send_refusal(send, fault)
        finally:
            self._site.metrics.observe(endpoint.path, status, time.perf_counter() - start)


def _unknown(site: Site) -> Callable[[Request], Any]:
    """Return what answers a path of the hot lane for a problem that it does not know."""

    async def answer(request: Request) -> Response:
        try:
            site.admit(request.scope["headers"], "read", None)
            site.service(request.path_params["problem"])
        except RefusalError as refusal:
            raise HTTPException(refusal.status, refusal.detail) from None
        raise HTTPException(405)

    return answer


def _page(site: Site) -> Callable[[Request], Any]:
    page = Page()

    async def answer(request: Request) -> Response:
        name = request.path_params.get("name")
        asked = None if name else request.query_params.get("problem")
        try:
            site.admit(request.scope["headers"], "read", asked, is_read=True)
        except RefusalError as refusal:
            return HTMLResponse(_FORM if name is None else "", refusal.status, headers=_headers())
        if name is None:
            return await _shown(site, page, request, asked)
        if (found := page.file(name)) is None:
            raise HTTPException(404)
        content, media = found
        headers = _headers() | {"cache-control": "public, max-age=31536000, immutable"}
        return Response(content, media_type=media, headers=headers)

    return answer


async def _shown(site: Site, page: Page, request: Request, asked: str | None) -> Response:
    """Return the page of a problem, or of the first that the caller may see; or what leads to all."""
    own = site.readable(request.scope["headers"])
    problems = [name for name in own if name in site.services]
    templates = [name for name in own if name in site.fleets]
    name, headers = asked, _headers() | {"cache-control": "no-store"}
    if asked is None and problems:  # what another node serves is shown there
        here = (each for each in problems if site.views[each].is_shown)
        name = next(here, problems[0])
    status, told = 200, "None of them is in memory." if templates else "There is none."
    try:
        if name is not None:
            await site.awake(name)
            site.service(name).require_owner()
            if not site.view(name).is_shown:
                raise RefusalError(503, f"{name} is being read from its log")
            past = site.view(name).past()
    except RefusalError as refusal:
        if refusal.owner:
            return RedirectResponse(f"{refusal.owner}/?problem={quote(name or '')}", 307)
        status, told, name = refusal.status, str(refusal), None
    problems += [each for of in templates for each in reversed(site.fleets[of].resident)]
    nav = links(problems[:_MOST_LINKS], templates, name or "")
    if name is None:
        told = "" if status == 200 and problems else told
        return HTMLResponse(page.choice(nav, told), status, headers=headers)
    return HTMLResponse(page.index(past, nav), headers=headers)


def _headers() -> dict[str, str]:
    """Return the headers of whatever a browser shows."""
    return _PAGE | {"x-request-id": request_id().decode()}


async def _refused(request: Request, error: Exception) -> Response:
    """Return an error of Starlette's in our form."""
    assert isinstance(error, HTTPException)
    reply = json_of(
        problem_of(RefusalError(error.status_code, str(error.detail))), error.status_code
    )
    reply.headers["content-type"] = "application/problem+json"
    reply.headers["x-request-id"] = request_id().decode()
    for key, value in (error.headers or {}).items():
        reply.headers[key] = value
    return reply
