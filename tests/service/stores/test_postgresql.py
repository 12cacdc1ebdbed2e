"""A log in PostgreSQL: whoever is not its owner appends nothing, however it came to believe otherwise."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from benchmarks.service.database import Database
from driftwise.service.serving import serve
from driftwise.service.stores.leases import Leases
from driftwise.service.stores.postgresql import PostgreSQLStore
from driftwise.service.stores.protocol import FencedError, NotOwnerError, Snapshot, StoreError
from driftwise.service.stores.sessions import connect
from tests.service.stores.test_contract import rows

Pair = tuple[Leases, Leases]


@pytest.fixture
def nodes(database: Database) -> Iterator[Pair]:
    made = tuple(Leases(database.url, f"http://{name}", 0.5) for name in "ab")
    yield made  # type: ignore[misc]  # two
    for each in made:
        each.close()


def asleep(leases: Leases) -> None:
    """Let a node do nothing any more, as one that is frozen."""
    leases._ends.set()
    leases._thread.join()


def is_released(leases: Leases, name: str) -> bool:
    query = "select until = '-infinity' from driftwise.problems where name = %s"
    with psycopg.connect(leases.url) as session:
        return session.execute(query, (name,)).fetchall() == [(True,)]


def taken(leases: Leases, name: str, seconds: float = 30.0) -> PostgreSQLStore:
    """Try until the lease is there."""
    end = time.monotonic() + seconds
    while True:
        try:
            return PostgreSQLStore(leases, name)
        except NotOwnerError:
            assert time.monotonic() < end, "nobody lets go"
            time.sleep(0.02)


def test_one_node_owns_a_log_and_the_other_is_told_which(database: Database, name: str) -> None:
    first, second = (Leases(database.url, f"http://{each}", 60.0) for each in "ab")
    store = PostgreSQLStore(first, name)
    for _ in range(2):
        with pytest.raises(NotOwnerError) as caught:
            PostgreSQLStore(second, name)
        assert caught.value.address == "http://a"
    store.append(rows(1))
    store.close()
    other = taken(second, name)  # long before the lease would have run out
    assert other.lease.epoch == store.lease.epoch + 1
    other.append(rows(2))
    assert list(other.epochs()) == [(1, 1), (2, 2)]
    other.close()
    for each in (first, second):
        each.close()


def test_a_lease_is_renewed(database: Database, name: str) -> None:
    leases = Leases(database.url, "http://a", 4.0)
    store = PostgreSQLStore(leases, name)
    until = store.lease.until
    end = time.monotonic() + 30.0
    while store.lease.until == until:
        assert time.monotonic() < end, "nobody renews it"
        time.sleep(0.05)
    assert store.lease.until > until
    assert store.is_held
    store.close()
    assert not store.is_held
    leases.close()


def test_an_owner_that_slept_is_fenced_and_knows_that_it_may_be(nodes: Pair, name: str) -> None:
    first, second = nodes
    store = PostgreSQLStore(first, name)
    store.append(rows(1))
    asleep(first)
    other = taken(second, name)
    assert not store.is_held
    other.append(rows(2))
    with pytest.raises(FencedError, match="another node owns it"):
        store.append(rows(3))
    with pytest.raises(FencedError, match="another node owns it"):
        store.save(Snapshot(1, 1, b"old"))
    assert list(other.read()) == rows(1, 2)
    store.close()
    assert not is_released(first, name), "the lease of another is left alone"
    other.append(rows(3))
    other.close()


def test_an_append_and_a_take_over_have_an_order(nodes: Pair, name: str) -> None:
    """An append whose commit is under way makes the take-over wait, and its rows are read by the new owner."""
    first, second = nodes
    store = PostgreSQLStore(first, name)
    asleep(first)
    writer = store._writer
    with writer.transaction():
        store.append(rows(1))
        while store.is_held:  # the lease runs out meanwhile
            time.sleep(0.05)
        found = list[PostgreSQLStore]()
        taker = threading.Thread(target=lambda: found.append(taken(second, name)))
        taker.start()
        time.sleep(0.2)
        assert not found
    taker.join(30)
    (other,) = found
    assert list(other.read()) == rows(1)
    with pytest.raises(FencedError, match="another node owns it"):
        store.append(rows(2))
    for each in (store, other):
        each.close()


def test_an_epoch_alone_does_not_let_two_write_the_same_seq(nodes: Pair, name: str) -> None:
    store = PostgreSQLStore(nodes[0], name)
    store.append(rows(1))
    twin = connect(nodes[0].url)
    store._writer, writer = twin, store._writer
    with pytest.raises(StoreError, match="UniqueViolation"):
        store.append(rows(1))
    store._writer = writer
    store.append(rows(2))
    twin.close()
    store.close()


def test_who_opens_a_log_again_has_a_new_epoch(nodes: Pair, name: str) -> None:
    """An append that was given up may still arrive: it must not count."""
    store = PostgreSQLStore(nodes[0], name)
    again = PostgreSQLStore(nodes[0], name)
    assert again.lease.epoch == store.lease.epoch + 1
    with pytest.raises(FencedError, match="another node owns it"):
        store.append(rows(1))
    again.append(rows(1))
    store.close()
    assert not is_released(nodes[0], name)
    again.close()


def test_an_answer_that_does_not_come_is_not_waited_for(database: Database) -> None:
    session = connect(database.url, patience=0.3)
    with pytest.raises(psycopg.OperationalError, match="no answer in time"):
        session.execute("select pg_sleep(60)")
    session.close()


def test_a_session_that_was_lost_is_opened_again(
    nodes: Pair, database: Database, name: str
) -> None:
    store = PostgreSQLStore(nodes[0], name)
    store.append(rows(1))
    pids = [each.info.backend_pid for each in (store._line.session, store._writer)]
    with psycopg.connect(database.url, autocommit=True) as session:
        for pid in pids:  # which waits until it is gone
            session.execute("select pg_terminate_backend(%s, 60000)", (pid,))
    with pytest.raises(StoreError):
        store.find("a")
    assert store.find("a") == rows(1)
    with pytest.raises(StoreError):  # what was under way may be durable or not
        store.append(rows(2))
    with pytest.raises(StoreError):
        store.append(rows(2))
    store.close()
    again = taken(nodes[0], name)
    again.append(rows(2))
    again.close()


def test_more_rows_than_fit_one_change_are_dropped_and_restored(nodes: Pair, name: str) -> None:
    store = PostgreSQLStore(nodes[0], name)
    every = rows(*range(1, 25_001))
    store.append(every)
    store.drop(24_990, [7, 20_001])
    left = [1, 7, 20_001, *range(24_991, 25_001)]
    assert [row.seq for row in store.read()] == left
    store.restore(every[:24_990])
    assert list(store.read()) == every
    store.close()


def test_a_database_that_is_not_there_is_said_so() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))  # and nobody listens
        port = listener.getsockname()[1]
        with pytest.raises(StoreError, match="PostgreSQL cannot be asked"):
            connect(f"postgresql://driftwise@127.0.0.1:{port}/postgres")


def test_tables_may_be_made_by_all_nodes_at_once(database: Database) -> None:
    with psycopg.connect(database.url, autocommit=True) as session:
        session.execute("drop database if exists fresh")
        session.execute("create database fresh")
    url, faults = database.url.replace("/postgres", "/fresh"), list[Exception]()

    def start() -> None:
        try:
            connect(url).close()
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not faults


def test_tables_of_an_earlier_version_are_completed(database: Database) -> None:
    connect(database.url).close()
    with psycopg.connect(database.url, autocommit=True) as session:
        session.execute("drop table driftwise.key_changes")
    made = connect(database.url)
    assert made.execute("select count(*) from driftwise.key_changes").fetchall() == [(0,)]
    made.close()


def test_time_is_that_of_the_database(nodes: Pair, name: str) -> None:
    store = PostgreSQLStore(nodes[0], name)
    told = store.now()
    assert told is not None
    assert abs(told / 1e6 - time.time()) < 60
    store.close()


def test_a_node_that_listens_everywhere_must_say_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "button.toml"
    file.write_text('arms = ["red", "blue"]')
    with pytest.raises(ValueError, match="address must say where clients reach this node"):
        serve(file, host="0.0.0.0", store="postgresql://somewhere/x")
