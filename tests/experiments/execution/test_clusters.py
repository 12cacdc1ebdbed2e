"""Real engines: a Dask scheduler with workers that share no folder, and a local Ray."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from driftwise.experiments import parse_experiment
from driftwise.experiments.execution.results import save_results
from driftwise.experiments.execution.running import collect, play_missing
from driftwise.experiments.execution.store import Store
from driftwise.experiments.setup.building import Builder
from driftwise.workers.engines import engine
from driftwise.workers.progress import Silence

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

EXPERIMENT = """
horizons = [500000]
replications = 24
checkpoints = 4

[[worlds]]
name = "Sinusoid"

[[policies]]
name = "SlidingWindowUCB"

[[policies]]
name = "Uniform"
"""

OWN_WORLD = """
import numpy as np
from driftwise.worlds import LinearWorld

class Staircase(LinearWorld):
    def __init__(self, *, horizon):
        super().__init__(horizon=horizon, decision_set=np.eye(2))

    def path(self, seed, size):
        for t in self.round_numbers(size):
            high = 0.2 + 0.6 * (t // 1000 % 2)
            yield np.stack([high, 1.0 - high], axis=1)
"""


class Killing(Silence):
    """Progress that kills a worker when the first cells have come back."""

    def __init__(self, kill: Callable[[], None]) -> None:
        self._kill, self.came = kill, 0

    def advance(self, rounds: int) -> None:
        self.came += 1
        if self.came == 2:
            self._kill()


def run(folder: Path, play_all: Any, progress: Any = None, text: str = EXPERIMENT) -> bytes:
    experiment = parse_experiment(text, "cluster")
    builder, store = Builder(experiment), Store(folder / "cells")
    assert play_missing(builder, store, play_all, progress or Silence())
    results = collect(builder, store)
    assert results.missing == ()
    return save_results(folder, experiment, results.numbers).read_bytes()


def one_by_one(play: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
    """Play in this process, as a generator: an engine can be closed."""
    yield from map(play, tasks)


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return what one process makes of it."""
    return run(tmp_path_factory.mktemp("home"), one_by_one)


@contextmanager
def process(*words: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command in a home of its own: nothing on disk is shared but the programs."""
    folder.mkdir()
    places = ("HOME", "XDG_CACHE_HOME", "TMPDIR")
    environment = {**os.environ, **dict.fromkeys(places, str(folder))}
    with (folder / "log").open("wb") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=folder, env=environment, stdout=log, stderr=log
        )
        try:
            yield started
        finally:
            started.terminate()
            try:
                started.wait(timeout=20)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def dask_cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Yield the address of a scheduler, and its two workers."""
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = ("distributed.cli.dask_scheduler", "--no-dashboard", "--host", address)
    worker = (
        "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny",
        "--no-dashboard", "--host", "127.0.0.1",
    )  # fmt: skip
    with (
        process(*scheduler, folder=folder / "scheduler"),
        process(*worker, folder=folder / "one") as one,
        process(*worker, folder=folder / "two") as two,
    ):
        yield address, [one, two]


def test_dask_gives_the_numbers_of_one_process(tmp_path: Path, at_home: bytes) -> None:
    """One of two workers is killed in mid-run: that costs time, not results."""
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    with dask_cluster(tmp_path) as (address, workers):
        progress = Killing(workers[0].kill)
        with engine("dask", None, address) as play_all:
            assert run(tmp_path, play_all, progress) == at_home
        assert progress.came == 10
        assert workers[0].wait(timeout=20) == -signal.SIGKILL
        assert workers[1].poll() is None


def test_dask_is_sent_what_its_workers_cannot_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    from driftwise import registry

    path = tmp_path / "staircase_world.py"
    path.write_text(OWN_WORLD)
    text = EXPERIMENT.replace("Sinusoid", "Staircase").replace("500000", "5000")
    with registry.including([str(path)]), dask_cluster(tmp_path) as (address, _):
        modules = [sys.modules["staircase_world"]]
        with engine("dask", None, address, modules) as play_all:
            there = run(tmp_path / "there", play_all, text=text)
        assert there == run(tmp_path / "here", one_by_one, text=text)


def test_ray_gives_the_numbers_of_one_process(
    tmp_path: Path, at_home: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two workers is killed in mid-run: that costs time, not results."""
    pytest.importorskip("ray", reason="needs the extra 'ray'")
    psutil = pytest.importorskip("psutil")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    killed: list[int] = []

    def kill_one() -> None:
        for child in psutil.Process().children(recursive=True):
            if "PoolActor" in child.name() or "PoolActor" in " ".join(child.cmdline()):
                killed.append(child.pid)
                os.kill(child.pid, signal.SIGKILL)
                return

    with engine("ray", 2) as play_all:
        timer = threading.Thread(target=kill_soon, args=(kill_one, killed), daemon=True)
        timer.start()
        assert run(tmp_path, play_all) == at_home
        timer.join(timeout=60)
    assert len(killed) == 1


def kill_soon(kill: Callable[[], None], killed: list[int]) -> None:
    for _ in range(600):
        time.sleep(0.1)
        kill()
        if killed:
            return


def test_loky_survives_the_death_of_a_worker(tmp_path: Path, at_home: bytes) -> None:
    psutil = pytest.importorskip("psutil")
    killed: list[int] = []

    def kill_one() -> None:
        for child in psutil.Process().children(recursive=True):
            if "loky" in " ".join(child.cmdline()) and "resource_tracker" not in " ".join(
                child.cmdline()
            ):
                killed.append(child.pid)
                os.kill(child.pid, signal.SIGKILL)
                return

    with engine("loky", 2) as play_all:
        assert run(tmp_path, play_all, Killing(kill_one)) == at_home
    assert len(killed) == 1


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_an_address_needs_a_cluster(backend: str) -> None:
    with pytest.raises(ValueError, match="scheduler must be left out"), engine(backend, 1, "a:1"):
        pass


def test_a_scheduler_that_does_not_answer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    dask = pytest.importorskip("dask", reason="needs the extra 'dask'")
    address = f"tcp://127.0.0.1:{free_port()}"
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(OSError, match="Dask scheduler that answers"),
        engine("dask", None, address),
    ):
        pass
