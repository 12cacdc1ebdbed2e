"""Stores keep what they are given, in order; SQLite also when it is hurt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from driftwise.service.events import DamageError, Event, Rewarded, Row, row_of
from driftwise.service.replay import recovered, verify
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import Snapshot, Store, StoreError
from driftwise.service.stores.sqlite import LockedError, SQLiteStore, require_sound_library
from tests.service.desk import Desk, problem


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "log.db")
    yield made
    made.close()


def rows(*seqs: int, name: str = "a") -> list[Row]:
    return [row_of(Event(seq, seq, name, Rewarded(0.5, 0))) for seq in seqs]


def full(desk: Desk) -> list[Row]:
    """Return the log of a little life."""
    for i in range(40):
        reply = desk.decide(f"n{i}")
        if i % 3:
            desk.reward(reply.id, 0.5)
    return list(desk.store.read())


def test_rows_come_back_in_order(store: Store) -> None:
    store.append(rows(1, 2))
    store.append(rows(3))
    assert list(store.read()) == rows(1, 2, 3)
    assert list(store.read(after=1, until=2)) == rows(2)
    assert store.find("a") == rows(1, 2, 3)
    assert store.find("b") == []
    assert store.size() > 0


def test_snapshots_come_back_the_newest_first(store: Store) -> None:
    for seq in (1, 2):
        store.save(Snapshot(seq, seq, b"state"))
    assert [each.seq for each in store.snapshots()] == [2, 1]


def test_a_state_is_rebuilt_from_a_snapshot_and_what_follows(tmp_path: Path) -> None:
    desk = Desk(problem())
    log = full(desk)
    store = SQLiteStore(tmp_path / "log.db")
    store.append(log[:30])
    half = recovered(desk.problem, store).state
    store.save(Snapshot(half.seq, half.t, half.to_bytes()))
    store.append(log[30:])
    found = recovered(desk.problem, store)
    store.close()
    assert found.n_events == len(log) - 30
    assert found.state.digest == desk.state.digest
    assert verify(desk.problem, log)[0].digest == desk.state.digest


def test_a_damaged_snapshot_is_left_out(tmp_path: Path) -> None:
    desk = Desk(problem())
    log = full(desk)
    store = SQLiteStore(tmp_path / "log.db")
    store.append(log)
    content = bytearray(desk.state.to_bytes())
    for place in range(0, len(content), len(content) // 20):
        content[place] ^= 0xFF
        store.save(Snapshot(desk.state.seq, desk.state.t, bytes(content)))
        found = recovered(desk.problem, store)
        assert found.state.digest == desk.state.digest
        assert found.n_events in (0, len(log)), "by all events, or the change was of no account"
        content[place] ^= 0xFF
    store.close()


def test_old_snapshots_go_but_for_one_a_day(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "log.db")
    day = 86_400_000_000
    for i in range(20):
        store.save(Snapshot(i + 1, i * day // 4, b"state"))
    kept = [each.seq for each in store.snapshots()]
    store.close()
    assert kept[:3] == [20, 19, 18]
    assert len(kept) == 3 + 4, "of four earlier days the last one each"


def test_a_second_writer_is_refused_until_the_first_has_gone(tmp_path: Path) -> None:
    first = SQLiteStore(tmp_path / "log.db")
    with pytest.raises(LockedError, match="another service"):
        SQLiteStore(tmp_path / "log.db")
    first.close()
    SQLiteStore(tmp_path / "log.db").close()


def test_a_gap_or_a_seq_twice_is_never_served(tmp_path: Path) -> None:
    desk = Desk(problem())
    log = full(desk)
    store = SQLiteStore(tmp_path / "log.db")
    store.append([*log[:10], *log[11:]])
    with pytest.raises(DamageError, match="must follow"):
        recovered(desk.problem, store)
    with pytest.raises(StoreError, match="Constraint"):
        store.append(log[:1])
    store.close()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_torn_and_flipped_bytes_are_refused_or_of_no_account(tmp_path: Path, share: float) -> None:
    desk = Desk(problem())
    log = full(desk)
    path = tmp_path / "log.db"
    store = SQLiteStore(path)
    store.append(log)
    store.close()
    whole = path.read_bytes()

    def outcome(change: Callable[[bytes], bytes]) -> str:
        path.write_bytes(change(whole))
        try:
            opened = SQLiteStore(path)
        except DamageError:
            return "refused"
        try:
            state = recovered(desk.problem, opened).state
            return "sound" if state.digest == desk.state.digest else "a part"
        except DamageError:
            return "refused"
        finally:
            opened.close()

    place = int(share * len(whole))
    flipped = outcome(lambda raw: raw[:place] + bytes([raw[place] ^ 0x55]) + raw[place + 1 :])
    assert flipped in ("refused", "sound")
    assert outcome(lambda raw: raw[:place]) == "refused"
    assert outcome(lambda raw: raw) == "sound"


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = apsw.Connection(str(path))
    other.execute("create table mine(x)")
    other.close()
    with pytest.raises(DamageError, match="must be a log of driftwise"):
        SQLiteStore(path)


def test_a_library_that_loses_commits_is_refused() -> None:
    for version in ("3.40.1", "3.51.2", "3.50.6", "3.45.0"):
        with pytest.raises(StoreError, match="older ones may lose"):
            require_sound_library(version)
    for version in ("3.51.3", "3.54.1", "3.50.7", "3.44.6"):
        require_sound_library(version)


def test_the_wal_does_not_grow_without_end(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "log.db", is_checkpointing=False)
    body = bytes(2000)
    for start in range(1, 12_001, 1000):
        some = range(start, start + 1000)
        store.append([Row(seq, 2, "", seq, 0, body) for seq in some])
    wal = (tmp_path / "log.db-wal").stat().st_size
    store.close()
    assert wal < 24 * 2**20
