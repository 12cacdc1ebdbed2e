"""A snapshot is of one moment, however long it takes to encode it."""

from __future__ import annotations

import msgspec
import pytest

from driftwise.service import snapshots
from driftwise.service.problem.settings import Rewards
from driftwise.service.snapshots import Taken, state_bytes, state_from

from .desk import SECOND, Desk, problem


def test_a_snapshot_is_of_when_it_was_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_PIECE", 2)
    desk = Desk(problem(reward=Rewards(window=60 * SECOND, join="sum")))
    for i in range(20):
        desk.decide(f"d-{i}", user=f"u-{i}")
    for i in range(10):
        desk.reward(f"d-{i}", 1.0, part="first", final=i < 5)
    desk.control(freeze=True)
    for i in range(10, 14):
        desk.reward(f"d-{i}", 0.5, part="first", final=True)
    desk.reward("early", 0.5, part="first")
    before = state_bytes(desk.state)
    n_pieces = 0
    for i, _ in enumerate(taken := Taken(desk.state)):
        n_pieces += 1
        desk.decide(f"n-{i}", user=f"v-{i}")
        desk.reward(f"d-{5 + i % 5}", 0.25, part=f"p-{i}")
        desk.reward(f"d-{14 + i % 6}", 1.0, part="first", final=True)
    desk.control(freeze=False)
    assert taken.content == before != state_bytes(desk.state)
    assert n_pieces > 20
    rows = {row.seq: (row.id, row.body) for row in desk.store.read()}
    again = state_from(desk.problem, before, lambda seqs: rows)
    assert msgspec.msgpack.decode(before)["seq"] == again.seq == taken.seq
    assert state_bytes(again) == before
