"""What all endpoints share: a reply as JSON, and who is behind a change."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..requests import RefusalError
from ..service import Service
from .site import Site

__all__ = ["author", "json_of", "service_in"]

_encode = msgspec.json.Encoder().encode


def json_of(value: Any, status: int = 200) -> Response:
    """Return a reply as JSON."""
    return Response(_encode(value), status, media_type="application/json")


def service_in(site: Site, request: Request) -> Service:
    """Return the service that a request is for, or refuse."""
    return site.service(request.path_params["problem"])


def author(request: Request, who: str) -> str:
    """Return who changes something, and from where, for the log; refuse what another site's page sends."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusalError(403, "controls must not come from another site")
    return who if request.client is None else f"{who} from {request.client.host}"
