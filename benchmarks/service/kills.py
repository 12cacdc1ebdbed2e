"""Kill a service at random moments under load, and look for what was acknowledged: ``python -m benchmarks.service.kills 200``."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from driftwise.service.client import Client
from driftwise.service.events import Decided, Rewarded, Status, event_of
from driftwise.service.problem.reading import read_problem
from driftwise.service.replay import recovered
from driftwise.service.stores.sqlite import SQLiteStore
from driftwise.service.verify import verify

from .process import Process

__all__ = ["Findings", "kill_often"]

PROBLEM = """
name = "killed"
arms = ["a", "b", "c", "d"]
[reward]
window = "1h"
"""


class Findings(NamedTuple):
    """What was acknowledged by all services together, and what the log says."""

    kills: int
    decisions: int  # acknowledged
    rewards: int  # acknowledged
    lost: int  # acknowledged, and not in the log, or with another arm
    twice: int  # rewards that were learnt more than once
    events: int
    verified: int  # choices that were made again, and were the same
    starts: list[float]  # seconds from start to ready
    is_same: bool  # the state from snapshots is that of the whole log


class _Customer(threading.Thread):
    """Asks, retries, and keeps what was acknowledged."""

    def __init__(self, number: int, port: int, ends: threading.Event) -> None:
        super().__init__(name=f"customer {number}")
        self._number, self._ends = number, ends
        self._client = Client(f"http://127.0.0.1:{port}", "killed", timeout=20.0)
        self.decided: dict[str, int] = {}
        self.rewarded: dict[str, float] = {}

    def run(self) -> None:
        luck, count = random.Random(self._number), 0
        while not self._ends.is_set():
            count += 1
            name = f"c{self._number}-{count}"
            with suppress(ConnectionError):
                self.decided[name] = self._client.decide(id=name).arm
                if luck.random() < 0.8:
                    value = luck.choice([0.0, 0.5, 1.0])
                    self._client.reward(name, value)
                    self.rewarded[name] = value
        self._client.close()


def kill_often(folder: Path, n_kills: int, n_customers: int = 16, seed: int = 0) -> Findings:
    """Let customers ask a service that is killed again and again; return what became of it all."""
    file, log = folder / "killed.toml", folder / "killed.db"
    file.write_text(PROBLEM)
    process = Process.serving(file, log)
    luck, ends = random.Random(seed), threading.Event()
    customers = [_Customer(i, process.port, ends) for i in range(n_customers)]
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
            customer.join(30)
        process.stop()
    return _judged(file, log, customers, n_kills, starts)


def _wait_for_answers(customers: list[_Customer], n_more: int, patience: float = 60.0) -> None:
    """Return when so many decisions more are acknowledged, however slow the machine is."""
    wanted = n_more + sum(len(customer.decided) for customer in customers)
    latest = time.monotonic() + patience
    while sum(len(customer.decided) for customer in customers) < wanted:
        if time.monotonic() > latest:
            raise TimeoutError(f"no {n_more} decisions were acknowledged in {patience:g} s")
        time.sleep(0.01)


def _judged(
    file: Path, log: Path, customers: list[_Customer], kills: int, starts: list[float]
) -> Findings:
    problem, store = read_problem(file), SQLiteStore(log)
    try:
        rows = list(store.read())
        state, n_verified = verify(problem, rows)
        is_same = recovered(problem, store).state.digest == state.digest
    finally:
        store.close()
    arms, learnt = dict[str, int](), Counter[str]()
    values = dict[str, float]()
    for row in rows:
        body = event_of(row).body
        if isinstance(body, Decided):
            assert row.id not in arms, "two decisions of one id"
            arms[row.id] = body.arm
        elif isinstance(body, Rewarded) and body.status == Status.LEARNT:
            learnt[row.id] += 1
            values[row.id] = body.value
    lost = 0
    for customer in customers:
        lost += sum(arms.get(name) != arm for name, arm in customer.decided.items())
        lost += sum(values.get(name) != value for name, value in customer.rewarded.items())
    return Findings(
        kills=kills,
        decisions=sum(len(customer.decided) for customer in customers),
        rewards=sum(len(customer.rewarded) for customer in customers),
        lost=lost,
        twice=sum(count > 1 for count in learnt.values()),
        events=len(rows),
        verified=n_verified,
        starts=starts,
        is_same=is_same,
    )


def main() -> None:
    """Kill as often as the command line says, and print a table."""
    n_kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        found = kill_often(Path(folder), n_kills)
    starts = sorted(found.starts)
    print("| what | count |\n|---|---:|")
    for what, count in (
        ("kills (SIGKILL, 16 clients with retries)", f"{found.kills}"),
        ("acknowledged decisions", f"{found.decisions:,}"),
        ("acknowledged rewards", f"{found.rewards:,}"),
        ("acknowledged and lost", f"{found.lost}"),
        ("rewards learnt twice", f"{found.twice}"),
        ("events in the log, without a gap", f"{found.events:,}"),
        ("choices made again, all the same", f"{found.verified:,}"),
        ("state by snapshot equal to that of the whole log", "yes" if found.is_same else "NO"),
        (
            "start to ready, median and longest",
            f"{starts[len(starts) // 2]:.2f} s, {starts[-1]:.2f} s",
        ),
    ):
        print(f"| {what} | {count} |")
    if found.lost or found.twice or not found.is_same:
        sys.exit(1)


if __name__ == "__main__":
    main()
