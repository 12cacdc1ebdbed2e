"""Kill a service at random moments under load, and look for what was acknowledged. Writes docs/service/kills-measured.md."""

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

PAGE = Path(__file__).parents[2] / "docs" / "service" / "kills-measured.md"


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


def page(found: Findings) -> str:
    """Return the page of what was found."""
    starts = sorted(found.starts)
    rows = {
        "acknowledged decisions": f"{found.told.decisions:,}",
        "acknowledged rewards": f"{found.told.rewards:,}",
        "acknowledged and lost": f"{found.told.lost}",
        "rewards learnt twice": f"{found.told.twice}",
        "events in the log, without a gap": f"{found.events:,}",
        "choices made again, all the same": f"{found.verified:,}",
        "state by snapshot equal to that of the whole log": "yes" if found.is_same else "NO",
        "start to ready, median and longest": f"{starts[len(starts) // 2]:.2f} s, {starts[-1]:.2f} s",
    }
    table = "\n".join(f"| {what} | {count} |" for what, count in rows.items())
    return f"""# Kills, measured

By `make kill-service`: {found.kills} times SIGKILL at random moments, under 16 clients that retry, with the log in SQLite.

| what | found |
|---|---:|
{table}

Times are of that machine, with whatever else ran there.
"""


def main() -> None:
    """Kill as often as the command line says, print a table and keep it for the docs."""
    n_kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        found = kill_often(Path(folder), n_kills)
    text = page(found)
    PAGE.write_text(text, "utf-8")
    print(text)
    if found.told.lost or found.told.twice or not found.is_same:
        sys.exit(1)


if __name__ == "__main__":
    main()
