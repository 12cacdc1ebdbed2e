"""Processes that are killed (SIGKILL) in the middle of an operation: all of it has happened, or nothing."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from driftwise.service.service import Service
from driftwise.service.stores.sqlite import SQLiteStore
from tests.service.test_operations import OPERATIONS, is_whole, live, serving, verified

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CHILD = """
import asyncio, sys
from pathlib import Path
from driftwise.service.service import Service
from driftwise.service.stores.sqlite import SQLiteStore
from tests.service.test_operations import OPERATIONS, problem

async def run(path, name):
    service = Service(problem(), lambda: SQLiteStore(path))
    await service.start()
    print("begins", flush=True)
    await OPERATIONS[name](service, path.parent)
    print("done", flush=True)
    await asyncio.sleep(60)

asyncio.run(run(Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("killed") / "log.db"

    async def talk(service: Service) -> None:
        await live(service, 150)

    serving(SQLiteStore(path), talk)
    return path


def killed(path: Path, name: str, seconds: float | None) -> float:
    """Begin an operation in a process, kill it after a while or when it is done; return how long it took."""
    command = [sys.executable, "-c", CHILD, str(path), name]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=ROOT) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == b"begins\n"
            begin = time.perf_counter()
            if seconds is None:
                assert child.stdout.readline() == b"done\n"
            else:
                time.sleep(seconds)
            return time.perf_counter() - begin
        finally:
            child.kill()


@pytest.mark.parametrize("name", OPERATIONS)
def test_all_or_nothing(name: str, log: Path, tmp_path: Path) -> None:
    luck = random.Random(0)
    whole = tmp_path / "whole"
    whole.mkdir()
    took = killed(Path(shutil.copy(log, whole / "log.db")), name, None)
    for turn in range(5):
        folder = tmp_path / str(turn)
        folder.mkdir()
        path = Path(shutil.copy(log, folder / "log.db"))
        killed(path, name, luck.uniform(0.0, 1.1 * took))
        store = SQLiteStore(path)
        n_operations = len(store.operations())
        assert n_operations in (0, 1)

        async def after(service: Service) -> None:
            await live(service, 5, 150)

        serving(store, after)
        store = SQLiteStore(path)
        if name == "archive" and n_operations:
            assert len(list(store.read(until=60))) < 30
        else:
            verified(store)
            is_whole(store)
        if name == "erase" and n_operations:
            assert not any(store.find(each) for each in ("person-3", "person-5"))
        store.close()
