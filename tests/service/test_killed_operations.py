"""Processes that are killed (SIGKILL) in the middle of an operation: all of it has happened, or nothing."""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.service.database import Database
from driftwise.service.events import Archived, Controlled, Operated, Row, event_of
from driftwise.service.operations import archiving
from driftwise.service.replay import archived_state, recovered
from driftwise.service.requests import ControlRequest
from driftwise.service.service import Service
from driftwise.service.stores.leases import Leases
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.places import Place, is_shared, place_of
from driftwise.service.stores.protocol import Store
from driftwise.service.verify import verify_all
from tests.service import test_interrupted_operations
from tests.service.small_service import live, problem, serving

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CHILD = "from tests.service.test_killed_operations import obey; obey()"
TURNS = 4
UNTIL = 60  # what is archived


async def control(service: Service, *, freeze: bool) -> None:
    await service.do(lambda engine: engine.control(ControlRequest("a test", freeze=freeze), "me"))


async def restore(service: Service, folder: Path) -> None:
    await archiving.restore(service, list(folder.glob("*-60.parquet")), "me", "a test")


OPERATIONS: dict[str, Callable[[Service, Path], Awaitable[Any]]] = {
    **test_interrupted_operations.OPERATIONS,
    "restore": restore,
    "freeze": lambda service, folder: control(service, freeze=True),
    "thaw": lambda service, folder: control(service, freeze=False),
    "backup": lambda service, folder: archiving.back_up(service, folder, "me", "a test"),
}


def place(store: str, name: str, ending: ExitStack) -> Place:
    leases = None
    if is_shared(store):
        leases = Leases(store, "", 60.0)
        ending.callback(leases.close)
    return place_of(store, Path("unused"), name, leases)


def obey() -> None:
    """Carry out one operation for each line of the input, each in a process that may be killed."""
    problem()  # so that everything is imported before the first fork
    for line in sys.stdin:
        store, name, operation, folder = json.loads(line)
        if child := os.fork():
            os.waitpid(child, 0)
            print("ended", flush=True)
            continue

        async def run() -> None:
            service = Service(problem(), place(store, name, ExitStack()).open)  # noqa: B023
            await service.start()
            print("begins", os.getpid(), flush=True)
            await OPERATIONS[operation](service, Path(folder))  # noqa: B023
            print("done", flush=True)
            await asyncio.sleep(600)

        asyncio.run(run())


class Mortals:
    """Starts processes that carry out operations, and kills them."""

    def __init__(self) -> None:
        environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
        self._parent = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=ROOT,
            text=True,
        )

    def killed(self, *request: str, after: float | None) -> float:
        """Begin an operation, kill it after a while or when it is done; return how long it took."""
        assert self._parent.stdin is not None
        print(json.dumps(request), file=self._parent.stdin, flush=True)
        said = self._heard("begins")
        begin = time.perf_counter()
        if after is None:
            self._heard("done")
        else:
            time.sleep(after)
        took = time.perf_counter() - begin
        os.kill(int(said.split()[1]), signal.SIGKILL)
        self._heard("ended")
        return took

    def _heard(self, word: str) -> str:
        """Wait until a process says something, and return it; what it was doing is left out."""
        assert self._parent.stdout is not None
        while not (said := self._parent.stdout.readline()).startswith(word):
            assert said[:5] not in ("", "ended"), f"it ended before it said {word}"
        return said

    def close(self) -> None:
        """End the process that starts the others."""
        with self._parent:
            self._parent.stdin.close()  # type: ignore[union-attr]  # a pipe
            self._parent.wait(30)


@pytest.fixture(scope="module")
def mortals() -> Iterator[Mortals]:
    made = Mortals()
    yield made
    made.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest) -> Database | None:
    if request.param == "sqlite":
        return None
    made: Database = request.getfixturevalue("database")
    return made


def before(operation: str, folder: Path) -> list[Row]:
    """Return a log on which the operation can be carried out."""
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 150)
        if operation == "restore":
            await archiving.archive(service, UNTIL, folder, "me", "a test")
        if operation == "thaw":
            await control(service, freeze=True)
            await live(service, 30, 150)

    serving(store, talk)
    return list(store.read())


def happened(operation: str, store: Store) -> int:
    """Return how often the log says that it was carried out."""
    changes = {"freeze": True, "thaw": False}
    found = 0
    for row in store.read():
        body = event_of(row).body
        if isinstance(body, Controlled):
            is_ours = body.is_frozen is changes.get(operation)
            found += is_ours or operation == "backup" == body.what
        elif isinstance(body, Archived):
            found += operation == ("archive" if body.until else "restore")
        elif isinstance(body, Operated):
            found += operation == body.what
    return found


@pytest.mark.parametrize("operation", OPERATIONS)
def test_all_or_nothing(
    operation: str, server: Database | None, mortals: Mortals, tmp_path: Path
) -> None:
    luck = random.Random(0)
    took, found = None, list[int]()
    for turn in range(TURNS):
        folder = tmp_path / str(turn)
        folder.mkdir()
        rows, name = before(operation, folder), secrets.token_hex(6)
        with ExitStack() as ending:
            url = str(folder / "log.db") if server is None else server.url
            home = place(url, name, ending)
            store = home.open()
            store.append(rows)
            store.close()
            # The first is killed when it is done: how long that takes is when to kill the others.
            after = None if took is None else luck.uniform(0.0, 1.1 * took)
            spent = mortals.killed(url, name, operation, str(folder), after=after)
            took = spent if took is None else took
            if server is not None:
                free(server, name)
            store = home.open()
            found.append(happened(operation, store))
            goes_on(operation, store, home, folder, bool(found[-1]))
    assert found[0] == 1
    assert set(found) <= {0, 1}


def goes_on(operation: str, store: Store, home: Place, folder: Path, is_done: bool) -> None:
    """Hold what is there after a kill to all, or nothing; a new service completes and goes on."""

    async def look(service: Service) -> None:
        await live(service, 5, 200)
        if operation in ("freeze", "thaw"):
            is_frozen = service.engine.state.learner.is_frozen
            assert is_frozen == (is_done if operation == "freeze" else not is_done)

    serving(store, look)
    log = home.log()
    base = archived_state(problem(), log)
    found = verify_all(
        problem(),
        log.read(after=0 if base is None else base.seq),
        base,
        lambda after, until: log.read(after=after, until=until),
    )
    assert recovered(problem(), log).state.digest == found.state.digest
    if operation in ("archive", "restore"):
        assert (base is None) == (is_done == (operation == "restore"))
        assert (len(list(log.read(until=UNTIL))) < UNTIL) == (base is not None)
    if operation == "erase" and is_done:
        assert not any(log.find(each) for each in ("person-3", "person-5", "person-7"))
    log.close()
    for file in folder.glob("*.parquet"):
        assert list(archiving.read_rows(file)), "what has its name is whole"


def free(server: Database, name: str) -> None:
    """Let the lease of a process that was killed run out at once."""
    query = "update driftwise.problems set until = '-infinity' where name = %s"
    with psycopg.connect(server.url) as session:
        session.execute(query, (name,))
