"""What one endpoint is: an entry of the table that makes routes and their document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from .site import Site

__all__ = ["Endpoint"]

Handle = Callable[[Site, Request, str, Any], Awaitable[Response]]


class Endpoint(NamedTuple):
    """A path, who may ask, and what is asked and answered."""

    method: str
    path: str
    scope: str | None  # None: everybody
    summary: str
    handle: Handle | None  # None: the hot lane answers
    request: Any = None
    reply: Any = None
    media: str = "application/json"
    statuses: tuple[int, ...] = ()  # beside 200
    by_cookie: bool = False  # whether a page may ask, which has no key but a cookie
    query: Mapping[str, Any] = MappingProxyType({})  # what may follow the path, by schema
