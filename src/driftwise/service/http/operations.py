"""Endpoints for those who operate: another policy, rewind, censor, erase, archive, restore, backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..events import DamageError
from ..operations import archiving, operating
from ..operations.archiving import Moved
from ..rebuilding import Comparison
from ..requests import Arm, Id, RefusalError, Short, Why, moment
from ..service import Service
from .endpoint import Endpoint
from .replies import author, json_of, service_in
from .site import Site

__all__ = ["OPERATIONS"]

Seq = Annotated[int, msgspec.Meta(ge=1, le=2**62)]
FileName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$")]


class PolicyRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Go on with another policy, which has learnt all that the log tells."""

    policy: dict[str, Any]  # as [policy] in a problem file
    why: Why
    dry: bool = False  # only say what would change


class PromoteRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Go on with the policy of a shadow."""

    shadow: str
    why: Why
    dry: bool = False


class RewindRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Forget what was learnt after an event."""

    to: Seq
    why: Why
    dry: bool = False


class CensorRequest(msgspec.Struct, forbid_unknown_fields=True, rename={"first": "from"}):
    """Forget some rewards: those in a range of events or of time, of some decisions, or of an arm."""

    why: Why
    first: Seq | None = None  # events
    to: Seq | None = None
    since: str | None = None  # ISO 8601
    until: str | None = None
    ids: Annotated[list[Id], msgspec.Meta(max_length=10_000)] = []
    arm: Arm | None = None
    dry: bool = False


class EraseRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Take what is about a person out of the log: by ids of decisions, by user, or by what their context says."""

    why: Why
    ids: Annotated[list[Id], msgspec.Meta(max_length=10_000)] = []
    user: Short | None = None  # as decisions were asked for
    context: dict[str, Any] = {}
    dry: bool = False


class ArchiveRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Move rows of the log to a file in the folder that the service was started with."""

    why: Why
    to: Seq | None = None  # the last event that is moved
    before: str | None = None  # or: all events before this moment, ISO 8601


class RestoreRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Put archived rows back, from files in that folder."""

    why: Why
    files: Annotated[list[FileName], msgspec.Meta(min_length=1, max_length=1000)]


class BackupRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Copy the log into that folder."""

    why: Why


class Changed(msgspec.Struct):
    """How the memory made anew differs from the one that chose; nothing has changed if dry."""

    dry: bool
    version: str  # of problem and policy, from now on
    policy: str
    seq: int
    decisions: int  # that were compared
    different: int  # of these: the policy would have chosen otherwise
    first_difference: int | None  # the event
    learnt: int  # rewards
    left_out: int  # rewards: censored, or rewound
    lost: int  # decisions whose rows are erased or not kept
    archived: int  # events up to this one were taken as the archive tells them


class Erased(msgspec.Struct):
    """How many decisions were erased, or would be if dry."""

    dry: bool
    decisions: int
    seq: int


class Written(msgspec.Struct):
    """A file that was written or read, and the events in it."""

    file: str
    events: int
    until: int


async def policy(site: Site, request: Request, who: str, body: PolicyRequest) -> Response:
    """Go on with another policy."""
    service, who = service_in(site, request), author(request, who)
    found = await operating.upgrade(service, body.policy, who, body.why, is_dry=body.dry)
    return _changed(service, found, body.dry)


async def promote(site: Site, request: Request, who: str, body: PromoteRequest) -> Response:
    """Go on with the policy of a shadow."""
    service, who = service_in(site, request), author(request, who)
    settings = {each.name: each.settings for each in service.problem.shadows}
    if body.shadow not in settings:
        known = ", ".join(settings) or "none"
        raise RefusalError(
            404, f"shadow must be one of the problem file's: {known}; got {body.shadow!r}"
        )
    found = await operating.upgrade(service, settings[body.shadow], who, body.why, is_dry=body.dry)
    return _changed(service, found, body.dry)


async def rewind(site: Site, request: Request, who: str, body: RewindRequest) -> Response:
    """Forget what was learnt after an event."""
    service, who = service_in(site, request), author(request, who)
    found = await operating.rewind(service, body.to, who, body.why, is_dry=body.dry)
    return _changed(service, found, body.dry)


async def censor(site: Site, request: Request, who: str, body: CensorRequest) -> Response:
    """Forget some rewards."""
    service, who = service_in(site, request), author(request, who)
    found = await operating.censor(
        service, who, body.why, first=body.first, last=body.to,
        since=moment("since", body.since), until=moment("until", body.until), ids=body.ids,
        arm=None if body.arm is None else service.engine.arms([body.arm])[0], is_dry=body.dry,
    )  # fmt: skip
    return _changed(service, found, body.dry)


async def erase(site: Site, request: Request, who: str, body: EraseRequest) -> Response:
    """Take what is about a person out of the log."""
    service, who = service_in(site, request), author(request, who)
    n_erased = await operating.erase(
        service, body.ids, body.context, who, body.why, user=body.user, is_dry=body.dry
    )
    return json_of(Erased(body.dry, n_erased, service.engine.state.seq))


async def archive(site: Site, request: Request, who: str, body: ArchiveRequest) -> Response:
    """Move rows of the log to a file."""
    service, who, folder = service_in(site, request), author(request, who), _folder(site)
    until = await archiving.last_of(service, body.to, moment("before", body.before))
    return _written(await archiving.archive(service, until, folder, who, body.why))


async def restore(site: Site, request: Request, who: str, body: RestoreRequest) -> Response:
    """Put archived rows back."""
    service, who, folder = service_in(site, request), author(request, who), _folder(site)
    files = [folder / name for name in body.files]
    try:
        return _written(await archiving.restore(service, files, who, body.why))
    except DamageError as error:
        raise RefusalError(422, str(error)) from None


async def backup(site: Site, request: Request, who: str, body: BackupRequest) -> Response:
    """Copy the log."""
    service, who = service_in(site, request), author(request, who)
    return _written(await archiving.back_up(service, _folder(site), who, body.why))


def _changed(service: Service, found: Comparison, is_dry: bool) -> Response:
    engine = service.engine
    name = type(engine.state.learner.agent.policy).__name__
    return json_of(Changed(is_dry, engine.version, name, engine.state.seq, *found))


def _written(moved: Moved) -> Response:
    return json_of(Written(*moved))


def _folder(site: Site) -> Path:
    """Return where files are written: who asks may not choose, as it is a folder of the server's."""
    if site.folder is None:
        raise RefusalError(
            422, "a folder for files must be given by `driftwise serve --archive FOLDER`, got none"
        )
    return site.folder


OPERATIONS = (
    Endpoint("POST", "/v1/{problem}/policy", "admin", "Go on with another policy, or say what would change.", policy, PolicyRequest, Changed),
    Endpoint("POST", "/v1/{problem}/promote", "admin", "Go on with the policy of a shadow.", promote, PromoteRequest, Changed),
    Endpoint("POST", "/v1/{problem}/rewind", "admin", "Forget what was learnt after an event.", rewind, RewindRequest, Changed),
    Endpoint("POST", "/v1/{problem}/censor", "admin", "Forget some rewards.", censor, CensorRequest, Changed),
    Endpoint("POST", "/v1/{problem}/erase", "admin", "Take what is about a person out of the log.", erase, EraseRequest, Erased),
    Endpoint("POST", "/v1/{problem}/archive", "admin", "Move rows of the log to a file.", archive, ArchiveRequest, Written),
    Endpoint("POST", "/v1/{problem}/restore", "admin", "Put archived rows back.", restore, RestoreRequest, Written),
    Endpoint("POST", "/v1/{problem}/backup", "admin", "Copy the log while it is written.", backup, BackupRequest, Written),
)  # fmt: skip
