"""``make bench-service``: durable decisions over a handler that does nothing, replay, restart, memory."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from driftwise.service.clock import Clock
from driftwise.service.engine import Engine
from driftwise.service.keys import add_key
from driftwise.service.problem.reading import read_problem
from driftwise.service.replay import recovered, replay
from driftwise.service.requests import DecisionRequest, RewardRequest
from driftwise.service.snapshots import state_bytes
from driftwise.service.state import State
from driftwise.service.stores.places import place_of
from driftwise.service.stores.protocol import Snapshot
from driftwise.service.stores.sqlite import SQLiteStore
from driftwise.service.verify import verify

from .database import Database, missing
from .process import Process, free_port

_PROBLEM = 'name = "bench"\nseed = 0\n[actions]\ndimension = 10\n[reward]\nwindow = "1h"\n'
_CONNECTIONS, _SECONDS, _TURNS = 64, 4, 3
_LUA = """
wrk.method = "POST"
wrk.headers["authorization"] = "Bearer {key}"
wrk.body = '{body}'
done = function(summary, latency, requests)
  io.write(string.format("RESULT %f %f %d\\n", summary.requests / summary.duration * 1e6,
    latency:percentile(99.0) / 1000, summary.errors.status))
end
"""


def main() -> None:
    """Measure everything and print it."""
    if shutil.which("wrk") is None:
        sys.exit("this needs wrk: apt install wrk")
    with tempfile.TemporaryDirectory() as folder:
        best, middle = _sync(Path(folder))
        print(
            f"this disk syncs 80 kB in {best:.2f} ms at best, {middle:.2f} in the middle (the targets are for "
            f"0.3); load {os.getloadavg()[0]:.1f}: what else runs makes syncs and replies wait for a processor"
        )
        _speed(Path(folder))
        _speed_on_postgresql(Path(folder))
        _replay(Path(folder))
        _memory(Path(folder))


def _sync(folder: Path) -> tuple[float, float]:
    """Return the tenth percentile and the median of the milliseconds in which a batch gets to the disk.

    Into room that the file has already, as most batches go.
    """
    content, times = os.urandom(80_000), list[float]()
    with (folder / "sync").open("wb", buffering=0) as file:
        for i in range(60):
            file.seek(80_000 * (i % 10))
            file.write(content)
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - begin)
    deciles = statistics.quantiles(times[10:], n=10)
    return 1000 * deciles[0], 1000 * deciles[4]


def _speed_on_postgresql(folder: Path) -> None:
    if reason := missing():
        print(f"PostgreSQL is left out: {reason}")
        return
    database = Database()
    try:
        database.start()
        _speed(folder, database.url, "PostgreSQL: ", 0.6)
    finally:
        database.close()


def _speed(folder: Path, store: str = "", told: str = "", least: float = 0.65) -> None:
    file = folder / "bench.toml"
    file.write_text(_PROBLEM)
    log = store or folder / "bench.db"
    rows = np.random.default_rng(0).normal(size=(10, 10)).round(6) / 4
    script = folder / "load.lua"
    key = add_key(place_of(log, file, "bench"), ["decide"], "bench")
    body = json.dumps({"actions": rows.tolist()}).replace("'", "")
    script.write_text(_LUA.replace("{key}", key).replace("{body}", body))
    service = Process.serving(file, log, {"DRIFTWISE_COMPILE": "wait"})
    floor = Process(["-m", "benchmarks.service.floor", "{port}"], free_port())
    handler = Process.serving(file, folder / "handler.db", program="benchmarks.service.handler")
    add = folder / "handler.lua"
    key = add_key(place_of(folder / "handler.db", file, "bench"), ["decide"], "bench")
    add.write_text(_LUA.replace("{key}", key).replace("{body}", body))
    every = ((service, script), (floor, script), (handler, add))
    rates, tails, costs, shares = [], [], [], []
    for process, _ in every:
        process.start()
    try:
        _load(service, script)  # until everything is compiled
        for _ in range(_TURNS):
            (rate, tail, cost), (rate_floor, tail_floor, cost_floor), (rate_handler, *_) = (
                _load(process, script) for process, script in every
            )
            rates.append(rate / rate_floor)
            tails.append(tail / tail_floor)
            costs.append(cost / cost_floor)
            shares.append(rate / rate_handler)
            print(
                f"  {rate:,.0f} of {rate_floor:,.0f} a second; p99 {tail:.1f} of {tail_floor:.1f} ms; "
                f"processor {cost:.0f} of {cost_floor:.0f} us"
            )
    finally:
        for process, _ in every:
            process.stop()
    rate, tail = statistics.median(rates), statistics.median(tails)
    _tell(
        rate >= least,
        f"{told}durable decisions a second over the floor",
        f"{rate:.2f}",
        f"at least {least}",
    )
    _tell(tail <= 2.5, f"{told}p99 over the floor", f"{tail:.2f}", "at most 2.5")
    print(
        f"        {told}processor time of one over that of the floor: {statistics.median(costs):.2f}; rate over "
        f"that of the service itself when it neither decides nor stores: {statistics.median(shares):.2f}"
    )


def _load(process: Process, script: Path) -> tuple[float, float, float]:
    """Return requests a second, the 99th percentile of their milliseconds, and microseconds of processor each."""
    command = ["wrk", "-t1", f"-c{_CONNECTIONS}", f"-d{_SECONDS}s", "-s", str(script)]
    address = f"{process.url}/v1/bench/decisions"
    before = sum(psutil.Process(process.pid).cpu_times()[:2])
    said = subprocess.run([*command, address], capture_output=True, text=True, check=True).stdout
    found = re.search(r"RESULT (\S+) (\S+) (\d+)", said)
    if found is None or found[3] != "0":
        raise RuntimeError(f"not all requests were answered: {said}")
    used = sum(psutil.Process(process.pid).cpu_times()[:2]) - before
    return float(found[1]), float(found[2]), 1e6 * used / (float(found[1]) * _SECONDS)


def _replay(folder: Path) -> None:
    file, log = folder / "replay.toml", folder / "replay.db"
    file.write_text(_PROBLEM.replace("bench", "replay"))
    problem, store = read_problem(file), SQLiteStore(log)
    engine = Engine(problem, State(problem), None, store.find, Clock())
    engine.state.learner.agent.warm_up()
    sets = np.random.default_rng(1).normal(size=(100, 10, 10)) / 4
    offers = [each.tolist() for each in sets]
    for i in range(50_000):
        reply = engine.decide(DecisionRequest(actions=offers[i % 100]))
        engine.reward(RewardRequest(reply.id, (i % 10) / 10))
        if len(engine.queue) > 1000:
            store.append(engine.queue)
            engine.queue = []
        if i == 25_000:
            store.append(engine.queue)
            engine.queue = []
            store.save(Snapshot(engine.state.seq, engine.state.t, state_bytes(engine.state)))
    store.append(engine.queue)
    begin = time.process_time()  # one thread computes, and waits for nobody
    state = replay(State(problem), store.read())
    rate = state.seq / (time.process_time() - begin)
    rows = list(store.read())
    begin = time.process_time()
    again, _ = verify(problem, rows)
    rate_verified = again.seq / (time.process_time() - begin)
    is_same = state.digest == engine.state.digest == again.digest
    _tell(is_same, "replay gives the same bits", str(is_same), "True")
    _tell(
        rate >= 100_000, "replay, events a second of processor", f"{rate:,.0f}", "at least 100,000"
    )
    told = "replay with every choice made again, events a second of processor"
    _tell(rate_verified >= 60_000, told, f"{rate_verified:,.0f}", "at least 60,000")
    begin = time.perf_counter()
    found = recovered(problem, store)
    seconds = time.perf_counter() - begin
    store.close()
    process = Process.serving(file, log)
    process.start()
    process.kill()
    ready = process.start()
    used = sum(psutil.Process(process.pid).cpu_times()[:2])
    process.stop()
    told = f"ready after kill -9, {found.n_events:,} events behind a snapshot"
    measured = f"{ready:.2f} s, {seconds:.2f} s of it for these; {used:.2f} s of processor"
    _tell(ready <= 1.5, told, measured, "at most 1.5 s")


def _memory(folder: Path) -> None:
    file = folder / "memory.toml"
    file.write_text(_PROBLEM.replace("bench", "memory"))
    problem = read_problem(file)
    engine = Engine(problem, State(problem), None, lambda name: [], Clock())
    engine.state.learner.agent.warm_up()
    offers = (np.random.default_rng(2).normal(size=(10, 10)) / 4).tolist()
    own = psutil.Process()
    sizes = []
    for target in (0, 100_000):
        while len(engine.state.ledger.open) < target:
            engine.decide(DecisionRequest(actions=offers))
            engine.queue = []
        sizes.append(own.memory_info().rss / 2**20)
    size = sizes[1] - sizes[0]
    _tell(size < 200, "memory of 100,000 open decisions", f"{size:.0f} MB", "under 200 MB")
    for _ in range(3):  # until as many decisions as are remembered are closed, and once more
        for _ in range(50_000):
            reply = engine.decide(DecisionRequest(actions=offers))
            engine.reward(RewardRequest(reply.id, 0.5))
            engine.queue = []
        sizes.append(own.memory_info().rss / 2**20)
    more = sizes[-1] - sizes[-2]
    _tell(more < 5, "memory of another 100,000 events", f"{more:.0f} MB", "flat: under 5 MB")


def _tell(is_met: bool, what: str, measured: str, target: str) -> None:
    print(f"{'met   ' if is_met else 'MISSED'}  {what}: {measured} ({target})", flush=True)


if __name__ == "__main__":
    main()
