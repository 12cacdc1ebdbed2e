"""A log in SQLite: one writer, damage that is never served, and a WAL that stays short."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from driftwise.service.events import DamageError, Row
from driftwise.service.replay import recovered
from driftwise.service.stores import sqlite
from driftwise.service.stores.protocol import Snapshot, StoreError
from driftwise.service.stores.sqlite import LockedError, SQLiteStore
from driftwise.service.stores.sqlite_file import require_sound_library
from tests.service.desk import Desk, problem
from tests.service.stores.test_contract import full


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


def test_somebody_who_reads_slowly_keeps_no_room_and_no_commit(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "log.db", is_checkpointing=False)
    body = bytes(2000)
    store.append([Row(seq, 2, "", seq, 0, body) for seq in range(1, 1001)])
    slow = store.read()
    assert next(slow).seq == 1
    for start in range(1001, 20_001, 1000):
        store.append([Row(seq, 2, "", seq, 0, body) for seq in range(start, start + 1000)])
    assert (tmp_path / "log.db-wal").stat().st_size < 24 * 2**20
    assert [row.seq for row in slow] == list(range(2, 20_001))
    store.close()


def test_a_commit_does_not_wait_for_a_copy_of_the_log(tmp_path: Path) -> None:
    """As long as anybody reads, the WAL cannot start over; to wait for that took 5 seconds a commit."""
    store = SQLiteStore(tmp_path / "log.db", is_checkpointing=False)
    body = bytes(2000)
    store.append([Row(seq, 2, "", seq, 0, body) for seq in range(1, 1001)])
    other = apsw.Connection(str(tmp_path / "log.db"))
    other.execute("begin; select * from events limit 1").fetchall()
    start = time.perf_counter()
    for first in range(1001, 16_001, 1000):
        store.append([Row(seq, 2, "", seq, 0, body) for seq in range(first, first + 1000)])
    assert time.perf_counter() - start < 5
    other.close()
    store.append([Row(16_001, 2, "", 16_001, 0, body)])
    store.append([Row(16_002, 2, "", 16_002, 0, body)])
    assert store._wal_pages < 100, "it starts over when nobody reads"
    store.close()


def test_a_backup_takes_the_place_of_a_log_that_was_killed(tmp_path: Path) -> None:
    """As the page on operating says: with a WAL of the file before, it would be another log, or none."""
    store = SQLiteStore(tmp_path / "log.db", is_checkpointing=False)
    body = bytes(300)
    store.append([Row(seq, 2, "", seq, 0, body) for seq in range(1, 2000)])
    store.backup(tmp_path / "backup.db")
    store.append([Row(seq, 2, "", seq, 0, body) for seq in range(2000, 5000)])
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in ("log.db", "log.db-wal", "log.db-shm"):
        shutil.copy(tmp_path / name, killed)
    store.close()
    page = (Path(__file__).parents[3] / "docs" / "service" / "operate.md").read_text("utf-8")
    commands = page.partition("```sh\nrm")[2].partition("```")[0]
    for old, new in (
        ("prices.db", "log.db"),
        ("backups/prices-81734-20261119T045120Z", "../backup"),
    ):
        commands = commands.replace(old, new)
    subprocess.run(f"rm{commands}", shell=True, check=True, cwd=killed)
    again = SQLiteStore(killed / "log.db")
    assert [row.seq for row in again.read()] == list(range(1, 2000))
    again.close()


def test_what_is_overwritten_is_gone_at_once_also_while_the_wal_is_copied_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two checkpoints at once are refused, not waited for: so ours have an order of their own."""
    monkeypatch.setattr(sqlite, "_PERIOD", 0.0)
    store = SQLiteStore(tmp_path / "log.db")
    for seq in range(1, 100):
        store.append([Row(seq, 2, "", seq, 0, b"secret" * 1000)])
        store.overwrite([Row(seq, 2, "", seq, 0, b"")], Snapshot(seq, seq, b""))
        left = b"".join(each.read_bytes() for each in tmp_path.glob("log.db*"))
        assert b"secret" not in left, seq
    store.close()
