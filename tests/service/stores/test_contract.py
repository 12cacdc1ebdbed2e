"""What every store keeps to: memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

import pytest

from driftwise.service.events import Event, Machine, Operated, Rewarded, Row, row_of
from driftwise.service.replay import recovered
from driftwise.service.snapshots import state_bytes
from driftwise.service.stores.protocol import Snapshot, Store, StoreError
from driftwise.service.verify import verify
from tests.service.desk import Desk, problem
from tests.service.stores.conftest import Open


def rows(*seqs: int, name: str = "a") -> list[Row]:
    return [row_of(Event(seq, seq, name, Rewarded(0.5, 0))) for seq in seqs]


def test_rows_come_back_in_order(store: Store) -> None:
    store.append(rows(1, 2))
    store.append(rows(3))
    assert list(store.read()) == rows(1, 2, 3)
    assert list(store.read(after=1, until=2)) == rows(2)
    assert store.find("a") == rows(1, 2, 3)
    assert store.find("b") == []
    assert store.size() > 0
    assert store.is_held


def test_a_long_log_comes_back_whole(store: Store) -> None:
    every = rows(*range(1, 2502))
    store.append(every)
    assert list(store.read()) == every
    assert list(store.read(after=999, until=2001)) == every[999:2001]


def test_all_bytes_and_numbers_come_back(store: Store) -> None:
    odd = [Row(1, 1, "", 0, 2**32 - 1, bytes(range(256))), Row(2, 6, "é:x.y-z", 2**60, 0, b"")]
    store.append(odd)
    assert list(store.read()) == odd


def test_nothing_is_appended_of_a_batch_that_fails(store: Store) -> None:
    store.append(rows(1, 2))
    with pytest.raises(StoreError):
        store.append(rows(2, 3))
    assert list(store.read()) == rows(1, 2)


def test_what_was_appended_is_there_when_the_log_is_opened_again(reopen: Open) -> None:
    for seq in (1, 2, 3):
        store = reopen()
        store.append(rows(seq))
        store.close()
    store = reopen()
    assert list(store.read()) == rows(1, 2, 3)
    store.close()


def test_decisions_are_found_by_their_seq_and_nothing_else_is(store: Store) -> None:
    desk = Desk(problem())
    log = full(desk)
    store.append(log)
    seqs = [row.seq for row in log if row.kind == 1]
    assert store.decisions(seqs) == {row.seq: (row.id, row.body) for row in log if row.kind == 1}
    assert store.decisions([]) == {}


def test_the_last_machine_is_told(store: Store) -> None:
    assert store.last_machine() is None
    machines = [Machine({"n": str(i)}, i, "boot", i) for i in (1, 2)]
    for seq, machine in enumerate(machines, start=1):
        store.append([row_of(Event(seq, seq, "", machine))])
    assert store.last_machine() == machines[1]


def test_snapshots_come_back_the_newest_first(store: Store) -> None:
    for seq in (1, 2):
        store.save(Snapshot(seq, seq, b"state"))
    store.save(Snapshot(2, 3, b"another"))
    assert list(store.snapshots()) == [Snapshot(2, 3, b"another"), Snapshot(1, 1, b"state")]


def test_old_snapshots_go_but_for_one_a_day(store: Store) -> None:
    day = 86_400_000_000
    for i in range(20):
        store.save(Snapshot(i + 1, i * day // 4, b"state"))
    kept = [each.seq for each in store.snapshots()]
    assert kept[:3] == [20, 19, 18]
    assert len(kept) == 3 + 4, "of four earlier days the last one each"


def test_a_state_is_rebuilt_from_a_snapshot_and_what_follows(store: Store) -> None:
    desk = Desk(problem())
    log = full(desk)
    store.append(log[:30])
    half = recovered(desk.problem, store).state
    store.save(Snapshot(half.seq, half.t, state_bytes(half)))
    store.append(log[30:])
    found = recovered(desk.problem, store)
    assert found.n_events == len(log) - 30
    assert found.state.digest == desk.state.digest
    assert verify(desk.problem, log)[0].digest == desk.state.digest


def test_a_damaged_snapshot_is_left_out(store: Store) -> None:
    desk = Desk(problem())
    log = full(desk)
    store.append(log)
    content = bytearray(state_bytes(desk.state))
    for place in range(0, len(content), len(content) // 20):
        content[place] ^= 0xFF
        store.save(Snapshot(desk.state.seq, desk.state.t, bytes(content)))
        found = recovered(desk.problem, store)
        assert found.state.digest == desk.state.digest
        assert found.n_events in (0, len(log)), "by all events, or the change was of no account"
        content[place] ^= 0xFF


def full(desk: Desk) -> list[Row]:
    """Return the log of a little life."""
    for i in range(40):
        reply = desk.decide(f"n{i}")
        if i % 3:
            desk.reward(reply.id, 0.5)
    return list(desk.store.read())


def test_operations_are_found_among_other_rows(store: Store) -> None:
    operated = row_of(Event(2, 2, "", Operated("me", "test", "rewind", b"memory")))
    store.append([*rows(1), operated, *rows(3)])
    assert store.operations() == [operated]


def test_rows_are_overwritten_and_so_are_all_snapshots_before(store: Store) -> None:
    store.append(rows(1, 2, 3))
    for seq in (1, 2, 3):
        store.save(Snapshot(seq, seq, b"old"))
    store.overwrite(rows(2, name="b"), Snapshot(2, 2, b"new"))
    assert list(store.read()) == [*rows(1), *rows(2, name="b"), *rows(3)]
    assert [row.seq for row in store.find("a")] == [1, 3]
    assert [(each.seq, each.content) for each in store.snapshots()] == [(3, b"old"), (2, b"new")]


def test_rows_are_taken_out_and_put_back(store: Store) -> None:
    store.append(rows(1, 2, 3, 4, 5))
    store.drop(4, [3])
    assert list(store.read()) == rows(1, 3, 5)
    store.append(rows(6))
    store.restore(rows(1, 2, 3, 4))
    assert list(store.read()) == rows(1, 2, 3, 4, 5, 6)
