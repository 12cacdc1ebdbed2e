"""A log that another version of driftwise wrote: its rules may differ, so its digests are not asked for."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

import driftwise as dw
from driftwise.service import engine
from driftwise.service.events import (
    Begun,
    Checked,
    DamageError,
    Event,
    Machine,
    Row,
    event_of,
    row_of,
)
from driftwise.service.snapshots import state_bytes, state_from
from driftwise.service.state import State
from driftwise.service.verify import verify_all
from tests.service.desk import Desk, problem


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """A log of some decisions and rewards, with digests among them."""
    monkeypatch.setattr(engine, "_CHECK_EVERY", 7)
    desk = Desk(problem())
    for i in range(8):
        desk.decide(f"o-{i}")
        desk.reward(f"o-{i}", 0.5)
    return list(desk.store.read())


def retold(rows: list[Row], version: str) -> Iterator[Row]:
    """Yield the rows as another version would have written them, with digests that are not ours."""
    for row in rows:
        event = event_of(row)
        body = event.body
        if isinstance(body, Begun | Machine):
            versions = body.versions | {"driftwise": version}
            body = msgspec.structs.replace(body, versions=versions)
        elif isinstance(body, Checked):
            body = Checked("another")
        yield row_of(Event(event.seq, event.t, event.id, body))


def test_what_another_version_wrote_is_taken_in(rows: list[Row]) -> None:
    assert sum(isinstance(event_of(row).body, Checked) for row in rows) >= 2
    found = verify_all(problem(), retold(rows, "0.1.9"))
    assert found.state.seq == rows[-1].seq
    assert (found.choices, found.blurred) == (0, 8)
    with pytest.raises(DamageError, match="the state must be the one that was logged"):
        verify_all(problem(), retold(rows, dw.__version__))
    assert verify_all(problem(), rows).choices == 8


def test_a_snapshot_of_another_version_is_taken_as_it_is(
    rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = State(problem())
    for row in rows[:-5]:
        state.apply(event_of(row), row.body)
    own, decisions = state_bytes(state), {row.seq: (row.id, row.body) for row in rows}
    monkeypatch.setattr("driftwise.service.snapshots.__version__", "0.1.9")
    theirs = state_bytes(state)
    for content, is_blurred in [(own, False), (theirs, True)]:
        again = state_from(problem(), content, lambda seqs: decisions)
        assert (again.digest, again.is_blurred) == (state.digest, is_blurred)
