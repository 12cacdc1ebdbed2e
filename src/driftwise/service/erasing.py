"""Rows of a log without what they say about a person: arms and rewards stay, under a name made up."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from .events import (
    DECIDED,
    EXPIRED,
    REWARDED,
    Archived,
    Decided,
    Expired,
    Row,
    erased_name,
    event_of,
    is_erased_name,
    row_of,
)

__all__ = ["is_tombstone", "rows_to_erase", "tombstones"]


def rows_to_erase(
    rows: Iterable[Row],
    ids: Collection[str],
    context: dict[str, Any],
    known: set[str],
    user: bytes = b"",
) -> list[Row]:
    """Return the rows that say something about some decisions.

    Parameters
    ----------
    rows
        A log, or the next piece of one.
    ids
        Of decisions.
    context
        Decisions whose context has all these values, too.
    known
        Ids that were found by context or user in the pieces before; those of this one are added.
    user
        What stands for a user in the log: all their decisions, too.
    """
    found = []
    known.update(ids)
    for row in rows:
        if (context or user) and row.kind == DECIDED:
            body = event_of(row).body
            assert isinstance(body, Decided)
            given = body.context or {}
            is_alike = all(key in given and given[key] == value for key, value in context.items())
            if (context and is_alike) or (user and body.user == user):
                known.add(row.id)
        if row.id in known or (row.kind == EXPIRED and not known.isdisjoint(_ids(row))):
            found.append(row)
    return found


def _ids(row: Row) -> list[str]:
    body = event_of(row).body
    assert isinstance(body, Expired)
    return body.ids


def tombstones(rows: Iterable[Row]) -> list[Row]:
    """Return rows that take the place of all that say something about some decisions."""
    rows = list(rows)
    names = {row.id: erased_name(row.seq) for row in reversed(rows) if row.kind == REWARDED}
    names |= {row.id: erased_name(row.seq) for row in rows if row.kind == DECIDED}
    return [_tombstone(row, names) for row in rows]


def is_tombstone(row: Row) -> bool:
    """Return whether nothing is left to erase in a row of a decision or a reward."""
    return is_erased_name(row.id)


def _tombstone(row: Row, names: dict[str, str]) -> Row:
    event = event_of(row)
    body = event.body
    if isinstance(body, Decided):
        body = msgspec.structs.replace(
            body, rows=b"", request=b"", names=None, context=None, record=[], is_erased=True, user=b""
        )  # fmt: skip
    elif isinstance(body, Expired):
        body = Expired([names.get(name, name) for name in body.ids])
    elif isinstance(body, Archived):  # no longer in force, and its state knows ids
        body = msgspec.structs.replace(body, state=b"", kept=[])
    return row_of(event._replace(id=names.get(event.id, event.id), body=body))
