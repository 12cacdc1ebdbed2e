"""Kill a service at random moments under load, and look for what was acknowledged: ``python -m benchmarks.service.kills 200``."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from driftwise.service.problem.reading import read_problem
from driftwise.service.replay import recovered
from driftwise.service.stores.sqlite import SQLiteStore
from driftwise.service.verify import verify

from .customers import PROBLEM, Acknowledged, Customer, acknowledged
from .process import Process

__all__ = ["Findings", "kill_often"]


class Findings(NamedTuple):
    """What was acknowledged by all services together, and what the log says."""

    kills: int
    told: Acknowledged
    events: int
    verified: int  # choices that were made again, and were the same
    starts: list[float]  # seconds from start to ready
    is_same: bool  # the state from snapshots is that of the whole log


def kill_often(folder: Path, n_kills: int, n_customers: int = 16, seed: int = 0) -> Findings:
    """Let customers ask a service that is killed again and again; return what became of it all."""
    file, log = folder / "killed.toml", folder / "killed.db"
    file.write_text(PROBLEM)
    process = Process.serving(file, log)
    luck, ends = random.Random(seed), threading.Event()
    customers = [Customer(i, f"http://127.0.0.1:{process.port}", ends) for i in range(n_customers)]
    starts = [process.start()]
    try:
        for customer in customers:
            customer.start()
        for _ in range(n_kills):
            _wait_for_answers(customers, n_customers)
            time.sleep(luck.uniform(0.0, 0.5))
            process.kill()
            starts.append(process.start())
        time.sleep(0.3)
    finally:
        ends.set()
        for customer in customers:
            customer.join(90)
        process.stop()
    return _judged(file, log, customers, n_kills, starts)


def _wait_for_answers(customers: list[Customer], n_more: int, patience: float = 60.0) -> None:
    """Return when so many decisions more are acknowledged, however slow the machine is."""
    wanted = n_more + sum(len(customer.decided) for customer in customers)
    latest = time.monotonic() + patience
    while sum(len(customer.decided) for customer in customers) < wanted:
        if time.monotonic() > latest:
            raise TimeoutError(f"no {n_more} decisions were acknowledged in {patience:g} s")
        time.sleep(0.01)


def _judged(
    file: Path, log: Path, customers: list[Customer], kills: int, starts: list[float]
) -> Findings:
    problem, store = read_problem(file), SQLiteStore(log)
    try:
        rows = list(store.read())
        state, n_verified = verify(problem, rows)
        is_same = recovered(problem, store).state.digest == state.digest
    finally:
        store.close()
    told = acknowledged(customers, rows)
    return Findings(kills, told, len(rows), n_verified, starts, is_same)


def main() -> None:
    """Kill as often as the command line says, and print a table."""
    n_kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        found = kill_often(Path(folder), n_kills)
    starts = sorted(found.starts)
    print("| what | count |\n|---|---:|")
    for what, count in (
        ("kills (SIGKILL, 16 clients with retries)", f"{found.kills}"),
        ("acknowledged decisions", f"{found.told.decisions:,}"),
        ("acknowledged rewards", f"{found.told.rewards:,}"),
        ("acknowledged and lost", f"{found.told.lost}"),
        ("rewards learnt twice", f"{found.told.twice}"),
        ("events in the log, without a gap", f"{found.events:,}"),
        ("choices made again, all the same", f"{found.verified:,}"),
        ("state by snapshot equal to that of the whole log", "yes" if found.is_same else "NO"),
        (
            "start to ready, median and longest",
            f"{starts[len(starts) // 2]:.2f} s, {starts[-1]:.2f} s",
        ),
    ):
        print(f"| {what} | {count} |")
    if found.told.lost or found.told.twice or not found.is_same:
        sys.exit(1)


if __name__ == "__main__":
    main()
