"""Rows of a log moved to a Parquet file and back, and copies of a log while it is written."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..events import Archived, DamageError, Row, body_of, event_of
from ..replay import archived_state, last_archive, replay
from ..requests import RefusalError
from ..service import Service
from ..snapshots import state_bytes, state_from
from ..state import State
from ..stores.folders import make_file, make_folder, sync_folder
from ..stores.protocol import Store
from .operating import store_of

__all__ = ["Moved", "archive", "back_up", "last_of", "read_rows", "restore", "write_rows"]

_PIECE = 50_000  # rows of one group in the file


class Moved(NamedTuple):
    """What was written, or read."""

    file: str
    events: int
    until: int  # the last of them


async def archive(service: Service, until: int, folder: Path, who: str, why: str) -> Moved:
    """Move the rows up to an event to a file; the state after it takes their place in the log.

    Ids of decisions that were closed by then and are not among those remembered are unknown afterwards:
    a retry would decide anew. So archive what is older than any retry.
    """
    async with service.operating:
        store, engine = store_of(service), service.engine
        last = engine.state.seq
        if not 1 < until <= last:
            raise RefusalError(
                422, f"the last event to archive must be 2 to {last} in this log, got {until}"
            )
        await service.durable()

        def prepare() -> tuple[Moved, Archived]:
            state = _state_at(service, store, until)
            if state.is_blurred:
                raise RefusalError(
                    422, "the last event to archive must be one after which the state is known, such as"
                    f" {_known(service, store, until)}, got {until}, which is before an erasure in what it erased,"
                    " or written by another version of driftwise",
                )  # fmt: skip
            before = last_archive(store)
            first = 1 if before is None else before.until + 1
            file = folder / f"{service.problem.name}-{first}-{until}.parquet"
            n_rows = write_rows(store.read(until=until), file)
            ledger = state.ledger
            contents = [*ledger.open.values(), *ledger.overdue.values()]
            contents += [content for _, content, _ in state.held]
            kept = sorted(body_of(content).seq for content in contents)
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            event = Archived(who, why, until, state_bytes(state), kept, file.name, digest)
            return Moved(str(file), n_rows, until), event

        moved, event = await asyncio.to_thread(prepare)
        service.engine.operate(event)
        await service.durable()
        await service.in_writer(lambda: store.drop(until, event.kept))
        return moved


async def last_of(service: Service, to: int | None, before: int | None) -> int:
    """Return the last event to archive: one that is named, or the last before a moment (microseconds)."""
    if (to is None) == (before is None):
        raise RefusalError(422, "either the last event or a moment must be given, not both")
    if to is not None:
        return to
    store, last = store_of(service), service.engine.state.seq

    def is_later(seq: int) -> bool:
        row = next(store.read(after=seq - 1, until=seq), None)  # None: it is archived
        return row is not None and before is not None and row.t >= before

    await service.durable()
    # Times never decrease.
    found = await asyncio.to_thread(bisect_left, range(1, last + 1), True, key=is_later)
    return int(found)


async def restore(service: Service, files: Sequence[Path], who: str, why: str) -> Moved:
    """Put archived rows back, so that they can be replayed again; all that are missing must be there."""
    async with service.operating:
        store = store_of(service)
        last = last_archive(store)
        if last is None:
            raise RefusalError(422, "there must be something archived, got a whole log")

        def look() -> list[Row]:
            rows = {row.seq: row for file in files for row in read_rows(file)}
            there = {row.seq for row in store.read(until=last.until)}
            missing = next(
                (i for i in range(1, last.until + 1) if i not in rows and i not in there), 0
            )
            if missing:
                raise RefusalError(
                    422, f"files must hold all archived events, got none of {missing}"
                )
            return [rows[seq] for seq in sorted(rows) if seq <= last.until]

        rows = await asyncio.to_thread(look)
        await service.in_writer(lambda: store.restore(rows))
        # A kill before this event leaves what is archived archived.
        service.engine.operate(Archived(who, why, 0, b"", [], "", ""))
        await service.durable()
        return Moved(", ".join(file.name for file in files), len(rows), last.until)


async def back_up(service: Service, folder: Path, who: str, why: str) -> Moved:
    """Copy the log as it is now: an SQLite file where it is one, else all rows as Parquet."""
    async with service.operating:
        store, seq = store_of(service), service.engine.state.seq
        service.engine.audit(who, "backup", why)
        await service.durable()
        name = f"{service.problem.name}-{seq}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
        copy = getattr(store, "backup", None)
        file = folder / (f"{name}.parquet" if copy is None else f"{name}.db")

        def work() -> None:
            make_folder(folder)
            if copy is None:
                write_rows(store.read(), file)
            else:
                part = _draft(file)
                copy(part)
                _settle(part, file)

        await asyncio.to_thread(work)
        return Moved(str(file), seq, seq)


def write_rows(rows: Iterable[Row], file: Path) -> int:
    """Write rows as Parquet, all of them or no file; return how many."""
    import polars as pl

    make_folder(file.parent)
    kinds = {"seq": pl.Int64, "kind": pl.Int16, "id": pl.String, "t": pl.Int64, "crc": pl.Int64, "body": pl.Binary}  # fmt: skip
    frames = [pl.DataFrame(some, schema=kinds, orient="row") for some in _pieces(rows)]
    if not frames:
        raise DamageError("there must be rows to write, got none")
    whole = pl.concat(frames)
    part = _draft(file)
    whole.write_parquet(part, compression="zstd", row_group_size=_PIECE)
    _settle(part, file)
    return len(whole)


def _pieces(rows: Iterable[Row]) -> Iterator[list[Row]]:
    some: list[Row] = []
    for row in rows:
        event_of(row)  # what is damaged is not worth keeping
        some.append(row)
        if len(some) == _PIECE:
            yield some
            some = []
    if some:
        yield some


def read_rows(file: Path) -> Iterator[Row]:
    """Yield the rows of an archive, or say that it is damaged."""
    import polars as pl

    try:
        found = pl.read_parquet(file)
        rows = [Row(*row) for row in found.select(Row._fields).iter_rows()]
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DamageError(f"{file} must be an archive of a log: {error}") from None
    for row in rows:
        event_of(row)
        yield row


def _draft(file: Path) -> Path:
    """Return the empty file that is written before it gets its name."""
    part = file.with_suffix(".part")
    part.unlink(missing_ok=True)
    make_file(part)
    return part


def _settle(part: Path, file: Path) -> None:
    """Give a file that is written its name, durably."""
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.replace(file)
    sync_folder(file.parent)


def _known(service: Service, store: Store, after: int) -> int:
    """Return an event after which the state is known for sure: the first that a snapshot says, or the last."""
    known = service.engine.state.seq
    for snapshot in store.snapshots():
        if snapshot.seq <= after:
            break
        with suppress(DamageError):
            state = state_from(service.first_problem, snapshot.content, store.decisions)
            known = known if state.is_blurred else state.seq
    return known


def _state_at(service: Service, store: Store, until: int) -> State:
    """Return the state after an event."""
    problem = service.first_problem
    for snapshot in store.snapshots():
        if snapshot.seq <= until:
            try:
                state = state_from(problem, snapshot.content, store.decisions)
                return replay(state, store.read(after=state.seq, until=until))
            except DamageError:
                continue
    state = archived_state(problem, store) or State(problem)
    if state.seq > until:
        raise RefusalError(422, f"until must be after {state.seq}, which is archived, got {until}")
    return replay(state, store.read(after=state.seq, until=until))
