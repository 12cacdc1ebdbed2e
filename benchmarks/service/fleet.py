"""Ten thousand problems of one template in one process: how much memory, and how long. Writes docs/service/fleet-measured.md.

Requests go to the application itself, without HTTP: what is measured is what problems cost.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from driftwise.service.fleet import Fleet
from driftwise.service.http.app import application
from driftwise.service.http.site import Site
from driftwise.service.keys import Keys
from driftwise.service.problem.reading import parse_problem
from driftwise.service.stores.homes import FolderHomes
from driftwise.service.stores.places import SQLitePlace

TEXT = 'arms = ["red", "green", "blue"]\n[template]\nresident = 100\n'
PAGE = Path(__file__).parents[2] / "docs" / "service" / "fleet-measured.md"
_TOGETHER = 8  # problems that are asked at a time


def measured(n_problems: int, n_decisions: int) -> dict[str, float]:
    """Return what it took to decide for each of some problems in turn."""
    with tempfile.TemporaryDirectory(prefix="driftwise-fleet-") as folder:
        return asyncio.run(_measured(Path(folder), n_problems, n_decisions))


async def _measured(folder: Path, n_problems: int, n_decisions: int) -> dict[str, float]:
    fleet = Fleet(parse_problem(TEXT, "shops"), FolderHomes(folder / "shops"))
    site = Site([], {"shops": Keys(SQLitePlace(folder / "shops.db"))}, fleets=[fleet])
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
    size = sum(file.stat().st_size for file in (folder / "shops").iterdir())
    return {
        "problems": n_problems, "decisions": n_decisions, "seconds": seconds, "cpu": cpu,
        "peak": most, "starts": fleet.starts, "back": back, "size": size,
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


def page(found: dict[str, float]) -> str:
    """Return the page of what was measured."""
    problems, decisions = int(found["problems"]), int(found["decisions"])
    verdict = "met" if found["peak"] <= 2e9 and problems >= 10_000 else "not shown"
    return f"""# Fleets, measured

By `make bench-fleet`: problems of one template in one process, each with a log of its own, 100 of them in memory at a
time; every second decision gets a reward.

| what | measured |
|---|---:|
| problems | {problems:,} |
| decisions of each | {decisions:,} |
| most memory of the process | {found["peak"] / 1e6:,.0f} MB |
| 10,000 problems at 100 decisions each within 2 GB | {verdict} |
| seconds in all | {found["seconds"]:,.0f} |
| of the processor, by problem | {1000 * found["cpu"] / problems:,.1f} ms |
| until a problem that had left memory has decided again | {1000 * found["back"]:,.1f} ms |
| logs, by problem | {found["size"] / problems / 1000:,.0f} kB |

On {os.cpu_count()} cores. Times are of that machine, with whatever else ran there.
"""


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]] or [10_000, 100]
    text = page(measured(*given))
    PAGE.write_text(text, "utf-8")
    print(text)
