"""What operations do to rows that are already written; completed at a start if a kill came between."""

from __future__ import annotations

from collections.abc import Sequence

from .erasing import is_tombstone, tombstones
from .events import Archived, Operated, event_of
from .replay import last_archive
from .snapshots import state_bytes
from .state import State
from .stores.protocol import Snapshot, Store

__all__ = ["complete", "overwrite"]


def overwrite(store: Store, seqs: Sequence[int], snapshot: Snapshot) -> None:
    """Put tombstones in the place of rows, and a snapshot in that of all before it, which may tell more."""
    rows = [row for seq in seqs for row in store.read(after=seq - 1, until=seq)]
    store.overwrite(tombstones(rows), snapshot)


def complete(store: Store, state: State) -> list[str]:
    """Do what operations in the log say and did not come to; return what that was."""
    done = []
    for row in store.operations():
        body = event_of(row).body
        if isinstance(body, Operated) and body.rows and _is_left(store, body):
            overwrite(store, body.rows, Snapshot(state.seq, state.t, state_bytes(state)))
            done.append(f"erasure of event {row.seq}")
    archive = last_archive(store)
    if archive is not None and _has_more(store, archive):
        store.drop(archive.until, archive.kept)
        done.append(f"archive up to event {archive.until}")
    return done


def _is_left(store: Store, body: Operated) -> bool:
    """Return whether rows are as they were before an erasure: all of them are changed at once."""
    rows = (row for seq in body.rows for row in store.read(after=seq - 1, until=seq))
    about = next((row for row in rows if row.id), None)
    return about is not None and not is_tombstone(about)


def _has_more(store: Store, body: Archived) -> bool:
    """Return whether rows are there that were archived."""
    stay = {1, *body.kept}
    return any(row.seq not in stay for row in store.read(until=min(body.until, max(stay) + 1)))
