"""The same HTTP handler that neither decides nor stores: what a service can at best be as fast as."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import uvicorn

from driftwise.service.http.lane import body_in, request_id
from driftwise.service.requests import DecisionReply, DecisionRequest

__all__ = ["app"]

_decode = msgspec.json.Decoder(DecisionRequest).decode
_encode = msgspec.json.Encoder().encode


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Read a request and answer something."""
    if scope["type"] != "http":
        return
    content = b"{}"
    if scope["method"] == "POST":
        request = _decode(await body_in(receive, 2**18))
        content = _encode(
            DecisionReply(request.id or "", 0, "a", 1.0, "policy", "", 1, "2026-01-01T00:00:00Z")
        )
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(content)),
        (b"x-request-id", request_id()),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


if __name__ == "__main__":
    uvicorn.run(
        app, port=int(sys.argv[1]), loop="uvloop", http="httptools", ws="none", lifespan="off",
        log_level="warning", access_log=False, server_header=False, date_header=False,
    )  # fmt: skip
