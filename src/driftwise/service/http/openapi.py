"""The OpenAPI 3.1 document of a table of endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from ... import __version__
from .endpoint import Endpoint
from .errors import Problem

__all__ = ["openapi"]

_ID = {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,64}$"}
_KINDS = {"problem": {"type": "string"}, "id": _ID}


def openapi(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Return the document."""
    endpoints = list(endpoints)
    types = {each for endpoint in endpoints for each in (endpoint.request, endpoint.reply) if each}
    ordered = sorted(types | {Problem}, key=lambda each: each.__name__)
    schemas, components = msgspec.json.schema_components(
        ordered, ref_template="#/components/schemas/{name}"
    )
    by_type = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "driftwise",
            "version": __version__,
            "description": "Decisions that keep up with a changing world: durable, exactly once.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint, schemas: dict[Any, Any]) -> dict[str, Any]:
    reply: dict[str, Any] = {"schema": schemas[endpoint.reply]} if endpoint.reply else {}
    known = {200: {"description": "As asked.", "content": {endpoint.media: reply}}}
    problem = {"application/problem+json": {"schema": schemas[Problem]}}
    refusals = {400, 401, 403, 404, 413, 422, 429, 503, *endpoint.statuses} - {202}
    if endpoint.path.startswith("/v1/{problem}"):
        refusals.add(421)  # another node serves it
    if endpoint.path == "/readyz/{problem}":
        for status in (404, 421, 503):
            known[status] = {"description": HTTPStatus(status).phrase, "content": problem}
    if endpoint.path == "/readyz":
        known[503] = known[200]
        refusals = set()
    if 202 in endpoint.statuses:
        known[202] = known[200]
    for status in refusals if endpoint.scope else ():
        known[status] = {"description": HTTPStatus(status).phrase, "content": problem}
    parameters = re.findall(r"{(\w+)}", endpoint.path)
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": f"{endpoint.method.lower()} {endpoint.path}",
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": _KINDS[name]}
            for name in parameters
        ]
        + [{"name": name, "in": "query", "schema": each} for name, each in endpoint.query.items()],
        "responses": {str(status): each for status, each in sorted(known.items())},
        "security": [{"key": []}] if endpoint.scope else [],
        "x-scope": endpoint.scope,
    }
    if endpoint.request is not None:
        content = {"application/json": {"schema": schemas[endpoint.request]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation
