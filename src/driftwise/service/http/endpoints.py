"""One table of endpoints: it makes the routes and the OpenAPI document, so that they cannot differ."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from ..events import Branch, Decided, Rewarded, Status, event_of
from ..export import KINDS, lines_of
from ..offers import offer_of
from ..requests import (
    ControlRequest,
    DecisionReply,
    DecisionRequest,
    RefusalError,
    RewardReply,
    RewardRequest,
)
from ..service import Service
from .bodies import (
    BeliefReply,
    DecisionsReply,
    DecisionsRequest,
    DecisionState,
    Health,
    ProblemState,
    RewardsReply,
    RewardsRequest,
    Told,
)
from .endpoint import Endpoint
from .errors import UNREADABLE, problem_of, refusal_of
from .lane import body_in
from .openapi import openapi
from .operations import OPERATIONS
from .replies import author, json_of, service_in
from .site import COOKIE, Site
from .stream import Past

__all__ = ["ENDPOINTS", "login"]

PARQUET = "application/vnd.apache.parquet"
_LONGEST_FORM = 4096
_encode = msgspec.json.Encoder().encode
_decision_in = msgspec.json.Decoder(DecisionRequest).decode
_reward_in = msgspec.json.Decoder(RewardRequest).decode
_OF_A_LOG = {
    "from": {"type": "integer", "default": 1},
    "kind": {"type": "array", "items": {"enum": list(KINDS)}, "default": list(KINDS[:2])},
}


async def decisions(site: Site, request: Request, who: str, body: DecisionsRequest) -> Response:
    """Decide for each; those that cannot be decided say why."""
    service = service_in(site, request)
    found = [_tried(_decision_in, service.engine.decide, each) for each in body.requests]
    await service.durable()
    return json_of(DecisionsReply(found))


async def rewards(site: Site, request: Request, who: str, body: RewardsRequest) -> Response:
    """Take each; those that cannot be taken say why."""
    service = service_in(site, request)
    found = [_tried(_reward_in, service.engine.reward, each) for each in body.rewards]
    await service.durable()
    return json_of(RewardsReply(found))


def _tried(read: Callable[[Any], Any], call: Callable[[Any], Any], each: msgspec.Raw) -> Any:
    try:
        return call(read(each))
    except (RefusalError, *UNREADABLE) as error:
        return problem_of(refusal_of(error, bytes(each)))


async def decision(site: Site, request: Request, who: str, body: None) -> Response:
    """Tell what is known about a decision."""
    service = service_in(site, request)
    engine, name = service.engine, request.path_params["id"]
    events = [event_of(row) for row in engine.rows_about(name)]
    made = next((event.body for event in events if isinstance(event.body, Decided)), None)
    if made is None:
        raise RefusalError(404, f"id must be one that was decided, got {name!r}")
    told = [
        Told(event.seq, event.body.value, Status.NAMES[event.body.status], event.body.part)
        for event in events
        if isinstance(event.body, Rewarded)
    ]
    ledger, late = engine.state.ledger, Status.NAMES[Status.LATE]
    state: Any = "rewarded" if any(each.status != late for each in told) else "expired"
    state = "open" if name in ledger.open else "overdue" if name in ledger.overdue else state
    await service.durable()
    return json_of(DecisionState(engine.reply_of(name, made), state, told))


def state_of(site: Site, service: Service) -> ProblemState:
    """Return how a problem does."""
    engine = service.last_engine
    assert engine is not None
    state, learner, problem = engine.state, engine.state.learner, service.problem
    return ProblemState(
        problem=problem.name,
        policy=type(state.problem.policy).__name__,
        version=engine.version,
        mode=learner.mode,
        is_frozen=learner.is_frozen,
        is_ready=service.is_ready,
        off=[problem.arms[arm] for arm in sorted(learner.off)],
        exploration=learner.share,
        seq=state.seq,
        open=len(state.ledger.open),
        held=len(state.held),
        waiting=state.ledger.n_waiting,
        decisions={name: state.counts[name] for name in Branch.NAMES},
        rewards={name: state.counts[name] for name in Status.NAMES},
        expired=state.counts["expired"],
        digest=state.digest,
        shadows=site.shadows.of(problem.name),
    )


async def status(site: Site, request: Request, who: str, body: None) -> Response:
    """Tell how a problem does."""
    return json_of(state_of(site, service_in(site, request)))


async def belief(site: Site, request: Request, who: str, body: DecisionRequest) -> Response:
    """Tell what the policy believes, and which of some actions it would play and why."""
    service = service_in(site, request)

    async def ask() -> bytes:
        learner, seq = service.engine.state.learner, service.engine.state.seq
        is_named = body.actions is not None or body.context is not None
        rows = offer_of(body, learner).rows if is_named else learner.fixed
        rows = None if learner.plays_arms else rows
        return _encode(BeliefReply(seq, await site.explained(learner.agent, rows)))

    told = await site.beliefs.told(service.problem.name, _encode(body), ask)
    return Response(told, media_type="application/json")


async def control(site: Site, request: Request, who: str, body: ControlRequest) -> Response:
    """Change how the service behaves."""
    service = service_in(site, request)
    service.engine.control(body, author(request, who))
    await service.durable()
    return json_of(state_of(site, service))


async def log(site: Site, request: Request, who: str, body: None) -> Response:
    """Stream the log as JSON Lines that `driftwise.Log` reads, or as Parquet; or what people did."""
    service = service_in(site, request)
    store = service.store
    if store is None:
        raise RefusalError(503, "the log cannot be read now", 1)
    try:
        first = int(request.query_params.get("from", "1"))
    except ValueError:
        raise RefusalError(422, "from must be an integer") from None
    kinds = request.query_params.getlist("kind") or list(KINDS[:2])
    if unknown := set(kinds) - set(KINDS):
        raise RefusalError(422, f"kind must be one of {', '.join(KINDS)}, got {min(unknown)!r}")
    await service.durable()
    last = 0 if service.last_engine is None else service.last_engine.state.seq
    if PARQUET in request.headers.get("accept", ""):
        if kinds != list(KINDS[:2]):
            raise RefusalError(422, "kind must be left out of Parquet, got one")
        folder = await asyncio.to_thread(_as_parquet, service, first, last)
        file, cleanup = Path(folder.name) / "log.parquet", BackgroundTask(folder.cleanup)
        return FileResponse(file, media_type=PARQUET, background=cleanup)
    lines = lines_of(service.first_problem, store, first - 1, last, kinds)
    return StreamingResponse(_in_thread(lines), media_type="application/x-ndjson")


def _as_parquet(service: Service, first: int, last: int) -> tempfile.TemporaryDirectory[str]:
    from ...logs.log import Log

    assert service.store is not None
    folder = tempfile.TemporaryDirectory(prefix="driftwise-")
    lines = Path(folder.name) / "log.jsonl"
    with lines.open("wb") as file:
        file.writelines(lines_of(service.first_problem, service.store, first - 1, last))
    Log.read(lines).write(Path(folder.name) / "log.parquet")
    return folder


async def _in_thread(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield parts that are made in a thread, so that decisions need not wait."""
    done = object()
    while (part := await asyncio.to_thread(next, parts, done)) is not done:
        yield part  # type: ignore[misc]  # not the end


async def past(site: Site, request: Request, who: str, body: None) -> Response:
    """Tell the page all that it shows when it opens."""
    return json_of(site.view(service_in(site, request).problem.name).past())


async def stream(site: Site, request: Request, who: str, body: None) -> Response:
    """Tell the page how things are, once a second."""
    service = service_in(site, request)
    if site.n_streams >= service.problem.limits.streams:
        raise RefusalError(503, "too many pages are open", 5)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    name = service.problem.name
    site.view(name)
    beats = _beats(site, name)
    return StreamingResponse(beats, media_type="text/event-stream", headers=headers)


async def _beats(site: Site, name: str) -> AsyncIterator[bytes]:
    site.n_streams += 1
    try:
        while not site.is_stopping:
            try:
                beat = site.view(name).beat
            except RefusalError:  # of a template, and idle: whoever asks again wakes it
                return
            if beat is not None:
                yield b"id: %d\ndata: %s\n\n" % (beat.seq, _encode(beat))
            async with site.beat:
                await site.beat.wait()
    finally:
        site.n_streams -= 1


async def health(site: Site, request: Request, who: str, body: None) -> Response:
    """Say that the process answers."""
    return json_of(Health("alive"))


async def ready(site: Site, request: Request, who: str, body: None) -> Response:
    """Say whether all problems have recovered and can be written, here or by another node."""
    every = site.services.values()
    is_ready = all(service.is_ready or service.owner for service in every)
    return json_of(Health("ready" if is_ready else "recovering"), 200 if is_ready else 503)


async def problem_ready(site: Site, request: Request, who: str, body: None) -> Response:
    """Say whether this very node serves a problem: what a proxy asks before it sends others here."""
    _ = service_in(site, request).engine
    return json_of(Health("ready"))


async def metrics(site: Site, request: Request, who: str, body: None) -> Response:
    """Tell Prometheus everything."""
    return Response(site.metrics.text(), media_type="text/plain; version=0.0.4")


async def document(site: Site, request: Request, who: str, body: None) -> Response:
    """Return what this table says, as OpenAPI 3.1."""
    return json_of(openapi(ENDPOINTS))


async def login(site: Site, request: Request, who: str, body: None) -> Response:
    """Take a key from the form, and hand it back as a cookie that scripts cannot read."""
    from urllib.parse import parse_qs, urlsplit

    origin, host = request.headers.get("origin"), request.headers.get("host")
    if origin is not None and urlsplit(origin).netloc != host:
        raise RefusalError(403, "the form must come from this site")
    content = (await body_in(request.receive, _LONGEST_FORM)).decode("latin-1")
    key = parse_qs(content).get("key", [""])[0].strip()
    site.admit([(b"authorization", f"Bearer {key}".encode("latin-1", "replace"))], "read", None)
    reply = RedirectResponse("/", 303)
    # A proxy may have taken the TLS off: the browser knows.
    is_secure = "https" in (request.url.scheme, urlsplit(origin or "").scheme)
    reply.set_cookie(
        COOKIE, key, httponly=True, samesite="strict", secure=is_secure, max_age=86_400
    )
    return reply


ENDPOINTS = (
    Endpoint("POST", "/v1/{problem}/decisions", "decide", "Ask for a decision.", None, DecisionRequest, DecisionReply, statuses=(409,)),
    Endpoint("POST", "/v1/{problem}/decisions:batch", "decide", "Ask for several decisions.", decisions, DecisionsRequest, DecisionsReply),
    Endpoint("POST", "/v1/{problem}/rewards", "reward", "Tell what came of a decision.", None, RewardRequest, RewardReply, statuses=(202,)),
    Endpoint("POST", "/v1/{problem}/rewards:batch", "reward", "Tell what came of several.", rewards, RewardsRequest, RewardsReply),
    Endpoint("GET", "/v1/{problem}/decisions/{id}", "read", "What is known about a decision.", decision, None, DecisionState, by_cookie=True),
    Endpoint("GET", "/v1/{problem}", "read", "How a problem does.", status, None, ProblemState, by_cookie=True),
    Endpoint("POST", "/v1/{problem}/belief", "read", "What the policy believes, and why it would play what.", belief, DecisionRequest, BeliefReply),
    Endpoint("GET", "/v1/{problem}/past", "read", "All that the page shows when it opens.", past, None, Past, by_cookie=True),
    Endpoint("GET", "/v1/{problem}/stream", "read", "How things are, once a second.", stream, None, None, "text/event-stream", by_cookie=True),
    Endpoint("GET", "/v1/{problem}/log", "read", "The log, as `driftwise.Log` reads it.", log, None, None, "application/x-ndjson", by_cookie=True, query=_OF_A_LOG),
    Endpoint("POST", "/v1/{problem}/control", "admin", "Change how the service behaves.", control, ControlRequest, ProblemState),
    *OPERATIONS,
    Endpoint("GET", "/healthz", None, "Whether the process answers.", health, None, Health),
    Endpoint("GET", "/readyz", None, "Whether it has recovered and can write.", ready, None, Health),
    Endpoint("GET", "/readyz/{problem}", None, "Whether this node serves a problem, of several that could.", problem_ready, None, Health),
    Endpoint("GET", "/metrics", "read", "Prometheus metrics.", metrics, None, None, "text/plain"),
    Endpoint("GET", "/openapi.json", None, "This document.", document, None, None),
)  # fmt: skip
