"""Ten thousand problems of one template in one process: how much memory, and how long. Writes docs/service/fleet-measured.md.

Requests go to the application itself, without HTTP: what is measured is what problems cost.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec

from driftwise.service.fleet import Fleet
from driftwise.service.http.app import application
from driftwise.service.http.site import Site
from driftwise.service.keys import Keys
from driftwise.service.problem.reading import parse_problem
from driftwise.service.stores.leases import Leases
from driftwise.service.stores.places import Place, place_of

from .database import Database, missing

TEXT = 'arms = ["red", "green", "blue"]\n[template]\nresident = 100\n'
PAGE = Path(__file__).parents[2] / "docs" / "service" / "fleet-measured.md"
_TOGETHER = 8  # problems that are asked at a time


def measured(n_problems: int, n_decisions: int, kind: str = "SQLite") -> dict[str, float]:
    """Return what it took to decide for each of some problems in turn, with logs of some kind."""
    with tempfile.TemporaryDirectory(prefix="driftwise-fleet-") as folder, ExitStack() as ending:
        store, leases = None, None
        if kind == "PostgreSQL":
            database = ending.enter_context(closing(Database()))
            database.start()
            store = database.url
            leases = ending.enter_context(closing(Leases(store, "http://here")))
        place = place_of(store, Path(folder) / "shops.toml", "shops", leases)
        found = asyncio.run(_measured(place, n_problems, n_decisions))
        if store is None:
            size = sum(file.stat().st_size for file in (Path(folder) / "shops").iterdir())
        else:
            with closing(place.log()) as log:
                size = log.size()
        return found | {"size": size}


async def _measured(place: Place, n_problems: int, n_decisions: int) -> dict[str, float]:
    fleet = Fleet(parse_problem(TEXT, "shops"), place.homes())
    site = Site([], {"shops": Keys(place)}, fleets=[fleet])
    app: Any = application(site)
    await site.start()
    start, cpu = time.perf_counter(), time.process_time()
    names = iter(range(n_problems))
    await asyncio.gather(*(_ask(app, names, n_decisions) for _ in range(_TOGETHER)))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    back = time.perf_counter()
    await _ask(app, iter([0]), 1, "again")
    back = time.perf_counter() - back
    most = _peak()
    await site.stop()
    return {
        "problems": n_problems, "decisions": n_decisions, "seconds": seconds, "cpu": cpu,
        "peak": most, "starts": fleet.starts, "back": back,
    }  # fmt: skip


async def _ask(app: Any, names: Iterable[int], n_decisions: int, prefix: str = "n") -> None:
    for name in names:
        for i in range(n_decisions):
            await _post(app, f"/v1/shops.s{name}/decisions", {"id": f"{prefix}{i}"})
            if i % 2:
                await _post(app, f"/v1/shops.s{name}/rewards", {"id": f"{prefix}{i}", "reward": 1})


async def _post(app: Any, path: str, body: dict[str, Any]) -> None:
    scope = {"type": "http", "method": "POST", "path": path, "headers": []}
    message = {"type": "http.request", "body": msgspec.json.encode(body)}
    statuses = []

    async def receive() -> Any:
        return message

    async def send(part: Any) -> None:
        if part["type"] == "http.response.start":
            statuses.append(part["status"])

    await app(scope, receive, send)
    assert statuses == [200], (path, statuses)


def _peak() -> float:
    """Return the most memory that this process ever took, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024.0 * int(line.split()[1])
    raise OSError("there must be VmHWM in /proc/self/status")


def page(every: dict[str, dict[str, float]]) -> str:
    """Return the page of what was measured, by the kind of the logs."""
    lines = [f"| logs in | {' | '.join(every)} |", f"|---|{len(every) * '---:|'}"]
    lines += [
        f"| {what} | {' | '.join(tell(found) for found in every.values())} |"
        for what, tell in _ROWS.items()
    ]
    table = "\n".join(lines)
    return f"""# Fleets, measured

By `make bench-fleet`: problems of one template in one process, each with a log of its own, 100 of them in memory at a
time; every second decision gets a reward.

{table}

On {os.cpu_count()} cores. Times are of that machine, with whatever else ran there; memory and the processor are those of the
process that decides.
"""


def _verdict(found: dict[str, float]) -> str:
    is_met = found["peak"] <= 2e9 and found["problems"] >= 10_000 and found["decisions"] >= 100
    return "met" if is_met else "not shown"


_ROWS: dict[str, Callable[[dict[str, float]], str]] = {
    "problems": lambda found: f"{found['problems']:,.0f}",
    "decisions of each": lambda found: f"{found['decisions']:,.0f}",
    "most memory of the process": lambda found: f"{found['peak'] / 1e6:,.0f} MB",
    "10,000 problems at 100 decisions each within 2 GB": _verdict,
    "seconds in all": lambda found: f"{found['seconds']:,.0f}",
    "of the processor, by problem": lambda found: (
        f"{1000 * found['cpu'] / found['problems']:,.1f} ms"
    ),
    "until a problem that had left memory has decided again": lambda found: (
        f"{1000 * found['back']:,.1f} ms"
    ),
    "logs, by problem": lambda found: f"{found['size'] / found['problems'] / 1000:,.0f} kB",
}


def main() -> None:
    """Measure each kind of logs in a process of its own, so that the most memory is its own, too."""
    n_problems, n_decisions = map(int, sys.argv[1:] or (10_000, 100))
    kinds = ["SQLite"] if missing() else ["SQLite", "PostgreSQL"]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as workers:
        found = {kind: workers.submit(measured, n_problems, n_decisions, kind) for kind in kinds}
        text = page({kind: each.result() for kind, each in found.items()})
    PAGE.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
