"""Services that are killed, starved, started twice and fed nonsense; each in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from benchmarks.service.kills import kill_often
from benchmarks.service.process import Process
from driftwise.service.client import Client
from driftwise.service.events import DECIDED
from driftwise.service.problem.reading import read_problem
from driftwise.service.stores.sqlite import SQLiteStore
from driftwise.service.verify import verify

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "prices.toml"
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
CONTEXT = {"device": "phone", "hour": 14}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Process]:
    process = Process.serving(EXAMPLE, tmp_path / "prices.db")
    process.start()
    yield process
    process.stop()


def client_of(process: Process, **options: Any) -> Client:
    return Client(f"http://127.0.0.1:{process.port}", "prices", **options)


def test_kill_minus_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    found = kill_often(tmp_path, 20)
    told = found.told
    assert told.decisions >= 20 * 16  # no kill before each customer had an answer, on average
    assert (told.lost, told.twice, found.is_same) == (0, 0, True)
    assert found.verified >= told.decisions


def test_a_second_service_on_the_same_log_is_refused(service: Process, tmp_path: Path) -> None:
    second = Process.serving(EXAMPLE, tmp_path / "prices.db")
    with pytest.raises(RuntimeError, match="another service writes"):
        second.start()
    assert service.is_ready()


def test_it_answers_before_anything_is_compiled_and_with_the_same_bits(tmp_path: Path) -> None:
    cache = {name: str(tmp_path / "cache") for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    cache["DRIFTWISE_COMPILE"] = ""  # nobody waits, other than in the rest of these tests
    log = tmp_path / "prices.db"
    process = Process.serving(EXAMPLE, log, environment=cache)
    process.start()
    try:
        with client_of(process, timeout=10.0) as client:
            for i in range(50):
                client.reward(client.decide(CONTEXT, id=f"n{i}").id, 50.0)
    finally:
        process.stop()
    store = SQLiteStore(log)
    _, n_verified = verify(read_problem(EXAMPLE), store.read())
    store.close()
    assert n_verified == 50


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a file system")
def test_a_full_disk_refuses_reads_on_and_comes_back(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine mounts nothing")
    process = Process.serving(EXAMPLE, disk / "prices.db")
    try:
        process.start()
        client, told = client_of(process, timeout=5.0), dict[str, int]()

        def fill() -> None:
            for i in range(5000):
                told[f"n{i}"] = client.decide(CONTEXT, id=f"n{i}").arm

        with pytest.raises(ConnectionError, match="503"):
            fill()
        assert client.status()["is_ready"] is False, "reads go on"
        subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
        client.close()
        with client_of(process, timeout=20.0) as patient:
            assert patient.decide(CONTEXT, id="after").arm in (0, 1, 2)
            for name, arm in told.items():
                assert patient.decide(CONTEXT, id=name).arm == arm
        process.stop()
        store = SQLiteStore(disk / "prices.db")
        verify(read_problem(EXAMPLE), store.read())
        store.close()
    finally:
        process.stop()
        subprocess.run(["umount", str(disk)], check=True)


def test_a_busy_file_is_waited_for_then_refused_and_nothing_is_lost(
    service: Process, tmp_path: Path
) -> None:
    address = f"http://127.0.0.1:{service.port}/v1/prices"
    with client_of(service) as client:
        arm = client.decide(CONTEXT, id="before").arm
    other = apsw.Connection(str(tmp_path / "prices.db"))
    other.execute("begin immediate")
    body = json.dumps({"id": "meanwhile", "context": CONTEXT}).encode()
    with pytest.raises(
        urllib.error.HTTPError
    ) as refused:  # not at once: it waits for the other one
        urllib.request.urlopen(f"{address}/decisions", body, timeout=30)
    with refused.value as reply:  # an error keeps its socket
        assert (reply.code, reply.headers["retry-after"]) == (503, "1")
    with urllib.request.urlopen(address) as reply:
        assert not json.loads(reply.read())["is_ready"], "reads go on"
    other.execute("rollback")
    other.close()
    with client_of(service, timeout=30.0) as client:
        assert client.decide(CONTEXT, id="before").arm == arm
        client.reward(client.decide(CONTEXT, id="meanwhile").id, 50.0)
    service.stop()
    store = SQLiteStore(tmp_path / "prices.db")
    rows = list(store.read())
    store.close()
    assert [row.id for row in rows if row.kind == DECIDED] == ["before", "meanwhile"]
    verify(read_problem(EXAMPLE), rows)


@pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed (apt install faketime)")
def test_nothing_runs_out_by_a_clock_that_jumps(tmp_path: Path) -> None:
    ahead, log = tmp_path / "ahead", tmp_path / "prices.db"
    environment = {
        "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(ahead), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip

    def jumped(process: Process) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{process.port}/metrics") as reply:
            found = re.search(r"driftwise_clock_jumps_total{.*} (\S+)", reply.read().decode())
        assert found is not None
        return int(float(found[1]))

    ahead.write_text("+0")
    process = Process.serving(EXAMPLE, log, environment)
    process.start()
    try:
        with client_of(process, timeout=20.0) as client:
            for i, offset in enumerate(("+0", "+10h", "-10h")):  # the window is two hours
                ahead.write_text(offset)
                latest = time.monotonic() + 20.0
                while jumped(process) < i and time.monotonic() < latest:
                    time.sleep(0.1)
                assert jumped(process) == i
                client.decide(CONTEXT, id=f"n{i}")
            process.kill()
            ahead.write_text("+10h")
            process.start()
            client.decide(CONTEXT, id="after")
            assert (client.status()["open"], client.status()["expired"]) == (4, 0)
            assert client.reward("n0", 50.0) == "learnt"
    finally:
        process.stop()
    store = SQLiteStore(log)
    times = [row.t for row in store.read()]
    store.close()
    assert times == sorted(times)
    assert times[-1] - times[0] < 3600 * 1e6, "no jump is in the log"


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Process]:
    """A service of arms without context, so that decisions at random are decided."""
    file = tmp_path / "shop.toml"
    file.write_text('name = "shop"\narms = ["low", "high"]\n\n[reward]\nrange = [0, 1]\n')
    process = Process.serving(file, tmp_path / "shop.db")
    process.start()
    yield process
    process.stop()


def test_requests_at_random_meet_no_error_of_the_service(plain: Process, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{plain.port}"
    settings = tmp_path / "schemathesis.toml"
    settings.write_text('[parameters]\n"path.problem" = "shop"\n')  # what it invents nobody serves
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run", f"{address}/openapi.json", "--url", address,
        "--max-examples", "160", "--phases", "examples,coverage,fuzzing", "--seed", "1",
        "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        "--exclude-path-regex", "stream$", "--no-color",
    ]  # fmt: skip
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=200, check=False, cwd=tmp_path
    )
    assert found.returncode == 0, found.stdout[-3000:]
    generated = re.search(r"([\d,]+) generated", found.stdout)
    assert generated is not None, found.stdout[-3000:]
    assert int(generated[1].replace(",", "")) >= 2000
    with urllib.request.urlopen(f"{address}/metrics") as reply:
        text = reply.read().decode()
    assert 'code="500"' not in text
    for route in ("decisions", "rewards", "control", "rewind"):
        answered = rf'driftwise_request_duration_seconds_count{{code="20[02]",route="/v1/{{problem}}/{route}"}}'
        assert re.search(answered.replace("{", r"\{").replace("}", r"\}"), text), route
    with urllib.request.urlopen(f"{address}/readyz") as reply:
        assert json.loads(reply.read()) == {"status": "ready"}


@pytest.mark.skipif(
    shutil.which("setpriv") is None, reason="setpriv of util-linux is not installed"
)
def test_a_server_ends_with_a_command_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from benchmarks.service.process import Process\n"
        "server = Process.serving(Path(sys.argv[1]), Path(sys.argv[2])); server.start()\n"
        "print(server.port, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", program, str(EXAMPLE), str(tmp_path / "prices.db")]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as owner:
        assert owner.stdout is not None
        server = Process([], int(owner.stdout.readline()))
        assert server.is_ready("/healthz")
        owner.kill()
    latest = time.monotonic() + 5.0
    while server.is_ready("/healthz") and time.monotonic() < latest:
        time.sleep(0.05)
    assert not server.is_ready("/healthz")
