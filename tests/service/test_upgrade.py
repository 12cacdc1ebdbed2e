"""A log that another version of driftwise wrote: its rules may differ, so its digests are not asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
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
from driftwise.service.operations import archiving
from driftwise.service.replay import archived_state, recovered, replay
from driftwise.service.requests import DecisionRequest, RefusalError, RewardRequest
from driftwise.service.service import Service
from driftwise.service.snapshots import state_bytes, state_from
from driftwise.service.state import State
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import Snapshot
from driftwise.service.verify import verify_all
from tests.service.desk import Desk, problem
from tests.service.small_service import serving


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


def test_a_log_of_another_version_is_archived_up_to_what_is_known(
    rows: list[Row], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own, store = problem(), MemoryStore()
    theirs = list(retold(rows, "0.1.9"))
    store.append(theirs)
    state = replay(State(own), theirs)
    by_other_rules = Desk(own)  # what they had learnt is not what a replay of today says
    by_other_rules.decide("another")
    by_other_rules.reward("another", 0.9)
    state.learner.agent = by_other_rules.engine.state.learner.agent
    with monkeypatch.context() as change:
        change.setattr("driftwise.service.snapshots.__version__", "0.1.9")
        store.save(Snapshot(state.seq, state.t, state_bytes(state)))
    monkeypatch.setattr(engine, "_CHECK_EVERY", 7)

    async def talk(service: Service) -> None:
        start = service.engine.state.seq
        assert start > len(theirs)
        estimate = by_other_rules.engine.state.learner.agent.estimate
        assert np.array_equal(service.engine.state.learner.agent.estimate, estimate)
        for i in range(20):
            name = f"n-{i}"
            await service.do(lambda each, name=name: each.decide(DecisionRequest(name)))  # type: ignore[misc]
            await service.do(lambda each, name=name: each.reward(RewardRequest(name, 0.5)))  # type: ignore[misc]
        for until in (5, len(theirs)):
            with pytest.raises(RefusalError, match=f"such as {start}, got {until}"):
                await archiving.archive(service, until, tmp_path, "me", "a test")
        assert (await archiving.archive(service, start, tmp_path, "me", "a test")).until == start

    serving(store, talk, own)
    base = archived_state(own, store)
    assert base is not None
    found = verify_all(own, store.read(after=base.seq), base)
    assert (found.choices, found.blurred) == (20, 0)
    assert recovered(own, store).state.digest == found.state.digest
