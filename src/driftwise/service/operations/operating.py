"""Operations on a service that goes on serving: prepared in a thread, done by one event.

Before the event is durable nothing has happened, after it everything has: a kill in the middle leaves one
or the other. What must be done to rows that are already written comes after the event, and is completed at
the next start if it was not (`completing`).
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ...core.engine.agent import Agent
from ..commit import encoded
from ..engine import Engine
from ..erasing import rows_to_erase, tombstones
from ..events import ARCHIVED, DECIDED, Decided, LeftOut, Operated, Row, body_of, event_of
from ..files import require_same
from ..growing import DECLARED, require_grown
from ..problem.reading import ProblemError, policy_in, problem_in
from ..problem.settings import Problem
from ..rebuilding import Comparison, Rebuilding
from ..replay import archived_state, last_archive
from ..requests import RefusalError
from ..service import Service
from ..snapshots import Taken
from ..stores.protocol import Store

__all__ = ["censor", "erase", "extend", "rewind", "store_of", "upgrade"]

_NOW = 2**62  # an event that is still to come
_SHORT = 200  # events that are caught up with while requests wait
_Found = TypeVar("_Found")


async def upgrade(
    service: Service, settings: dict[str, Any], who: str, why: str, *, is_dry: bool
) -> Comparison:
    """Go on with another policy, which has learnt all that the log tells.

    Parameters
    ----------
    service
        On what.
    settings
        Of the policy, as in a problem file.
    who, why
        For the log.
    is_dry
        Whether only to say what would change.
    """
    try:
        policy_in(settings, service.problem.dimension)
    except ProblemError as error:
        raise RefusalError(422, str(error)) from None
    return await _remember(service, "policy", settings, [], who, why, is_dry)


async def extend(
    service: Service, problem: Problem, who: str, why: str, *, is_dry: bool
) -> Comparison:
    """Go on with a file that declares more: fields, values, or arms, which the policy knows nothing of yet.

    It learns all that the log tells anew, with rows in which what was added is 0. The service then has to be
    started with that file.

    Parameters
    ----------
    service, who, why, is_dry
        As of `upgrade`.
    problem
        Of the file.
    """
    state = service.engine.state
    before = problem_in(
        state.grown[-1][1] if state.grown else service.first_problem.text, service.problem.name
    )
    require_same(tomllib.loads(before.text), tomllib.loads(problem.text), DECLARED)
    require_grown(before, problem)
    settings = tomllib.loads(problem.text).get("policy", {})
    if settings not in (tomllib.loads(before.text).get("policy", {}), state.settings):
        raise ValueError("[policy] must stay as it is while more is declared, got another")
    return await _remember(service, "extend", None, [], who, why, is_dry, problem.text)


async def rewind(service: Service, to: int, who: str, why: str, *, is_dry: bool) -> Comparison:
    """Forget what was learnt after an event; decisions made since are not learnt from, either."""
    last = service.engine.state.seq
    if not 1 <= to <= last:
        raise RefusalError(422, f"to must be an event of the log, 1 to {last}, got {to}")
    since = [LeftOut(first=to + 1, last=last), LeftOut(made_first=to + 1, made_last=last)]
    return await _remember(service, "rewind", None, since, who, why, is_dry)


async def censor(
    service: Service,
    who: str,
    why: str,
    *,
    first: int | None = None,
    last: int | None = None,
    since: int | None = None,
    until: int | None = None,
    ids: Sequence[str] = (),
    arm: int | None = None,
    is_dry: bool,
) -> Comparison:
    """Forget some rewards, as if they had not come.

    Parameters
    ----------
    service, who, why
        On what, and for the log.
    first, last, since, until
        Events, or microseconds, between which decisions were settled; up to now by default.
    ids, arm
        Of the decisions; those that are still open will not be learnt from.
    is_dry
        Whether only to say what would change.
    """
    engine = service.engine
    if all(each is None for each in (first, last, since, until, arm)) and not ids:
        raise RefusalError(422, "there must be a range, ids or an arm to censor, got nothing")
    made = [_seq_of(engine, name) for name in ids] if ids else None
    if last is None and until is None and not ids:
        last = engine.state.seq
    left_out = LeftOut(first, last, since, until, made, arm)
    return await _remember(service, "censor", None, [left_out], who, why, is_dry)


async def erase(
    service: Service,
    ids: Sequence[str],
    context: dict[str, Any],
    who: str,
    why: str,
    *,
    user: str | None = None,
    is_dry: bool,
) -> int:
    """Take what is about a person out of log and snapshots; return how many decisions that were.

    What was learnt stays: the event holds the memory as it is. Choices between the first erased decision
    and that event can then no longer be verified, choices after it can.
    """
    if not ids and not context and user is None:
        raise RefusalError(422, "there must be ids, a user or a context to erase, got nothing")
    digest = service.engine.ids.user(user)
    async with service.operating:
        store, known, found = store_of(service), set[str](), list[Row]()

        def look(rows: Iterator[Row]) -> None:
            found.extend(rows_to_erase(rows, ids, context, known, digest))

        former = await asyncio.to_thread(_former_archives, store)
        await _caught_up(service, look)
        erased = [row.seq for row in found if row.kind == DECIDED]
        if is_dry or not found:
            return len(erased)
        engine = service.engine
        state = engine.state
        agent = Agent.from_bytes(state.learner.agent.to_bytes())
        is_erased = set(erased).__contains__
        ledger = state.ledger
        waiting = [*ledger.open.values(), *ledger.overdue.values()]
        waiting += [content for _, content, _ in state.held]
        for content in waiting:
            if is_erased(body_of(content).seq):
                agent.give_up(state.learner.decision_of(state.known(content)))
        carried = [(seq, *each) for seq, each in state.carried.items() if not is_erased(seq)]
        found += former
        seqs = [row.seq for row in found]
        engine.operate(
            Operated(who, why, "erase", agent.to_bytes(), carried=carried, erased=erased, rows=seqs)
        )
        taken = Taken(state)
        await service.durable()
        snapshot = await encoded(taken)
        if service.committer is not None:
            await service.committer.saved()  # else one that still tells would come after this one
        # What was found is what is written, and to read it again in the writer's thread takes ten times as long.
        rows = await asyncio.to_thread(tombstones, found)
        await service.in_writer(lambda: store.overwrite(rows, snapshot))
        return len(erased)


async def _remember(
    service: Service,
    what: str,
    settings: dict[str, Any] | None,
    left_out: list[LeftOut],
    who: str,
    why: str,
    is_dry: bool,
    text: str | None = None,
) -> Comparison:
    """Make the memory anew, and go on with it."""
    async with service.operating:
        store = store_of(service)
        state = service.engine.state
        all_left_out = state.left_out + left_out
        grown = state.grown if text is None else [*state.grown, (_NOW, text)]

        def begin() -> Rebuilding:
            base = archived_state(service.first_problem, store)
            own = state.settings if settings is None else settings
            return Rebuilding(service.first_problem, own, all_left_out, base, grown)

        made = await asyncio.to_thread(begin)
        await _caught_up(service, made.take, made.seq)
        if not is_dry:
            engine = service.engine
            carried = [(seq, *each) for seq, each in made.carried.items()]
            held = [body_of(content).seq for _, content, _ in made.held]
            memory = made.learner.agent.to_bytes()
            engine.operate(
                Operated(who, why, what, memory, settings, left_out, carried, held, problem=text)
            )
            await service.durable()
        return made.comparison


async def _caught_up(
    service: Service, take: Callable[[Iterator[Row]], None], after: int = 0
) -> None:
    """Hand over all rows of the log: most of them in a thread, the last few while requests wait.

    On return the event loop has not run since the last row: what is logged next is the next event.
    """
    store = store_of(service)
    while True:
        await service.durable()
        last = service.engine.state.seq
        if last - after <= _SHORT:
            break
        await asyncio.to_thread(take, store.read(after=after, until=last))
        after = last
    engine = service.engine
    pending = [*engine.writing, *engine.queue]
    last = pending[0].seq - 1 if pending else engine.state.seq

    def rest() -> Iterator[Row]:
        yield from store.read(after=after, until=last)
        yield from (row for row in pending if row.seq > after)

    take(rest())


def store_of(service: Service) -> Store:
    """Return the log of a service, or refuse while it has none."""
    if service.store is None:
        raise RefusalError(503, "the log cannot be read now", 1)
    return service.store


def _former_archives(store: Store) -> list[Row]:
    """Return the events of archives that are no longer in force; their states know ids."""
    archive = last_archive(store)
    rows = (row for row in store.operations() if row.kind == ARCHIVED)
    return [row for row in rows if event_of(row).body != archive]


def _seq_of(engine: Engine, name: str) -> int:
    for row in engine.rows_about(name):
        body = event_of(row).body
        if isinstance(body, Decided):
            return body.seq
    raise RefusalError(404, f"id must be one that was decided, got {name!r}")
