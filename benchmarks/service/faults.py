"""Break nodes, their way to PostgreSQL, and PostgreSQL itself under load: ``python -m benchmarks.service.faults 20``."""

from __future__ import annotations

import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from driftwise.service.problem.reading import read_problem
from driftwise.service.replay import recovered
from driftwise.service.stores.postgresql import PostgreSQLLog
from driftwise.service.stores.sessions import asked, connect
from driftwise.service.verify import verify

from .customers import PROBLEM, Acknowledged, Customer, acknowledged, longest_gap
from .database import Database, missing
from .detour import Detour
from .network import Network
from .process import Process

__all__ = ["FAULTS", "Findings", "break_often"]

PAGE = Path(__file__).parents[2] / "docs" / "service" / "faults-measured.md"
_PLANNED = 0.5  # seconds a hand-over may take
_LONGEST = 90.0  # seconds until a node is ready, or something is wrong
_DECREASING = """
select count(*) from (select epoch < lag(epoch) over (order by seq) as is_less from driftwise.events) as pairs
where is_less
"""


class Cluster:
    """Two nodes, each with its own way to one database, and customers who ask both.

    Each node is in a network of its own where that is allowed; elsewhere the way to the database is a detour
    by this process.
    """

    def __init__(self, folder: Path, lease: float, ending: ExitStack) -> None:
        self.file = folder / "killed.toml"
        self.file.write_text(PROBLEM)
        networks = list[Network]()
        for _ in range(2 if Network.is_possible() else 0):
            networks.append(Network())
            ending.callback(networks[-1].close)
        self.database = Database(*(network.database_host for network in networks))
        ending.callback(self.database.close)
        self.database.start()
        self.ways = list[Network | Detour](networks)
        self.nodes = list[Process]()
        for network in networks or (None, None):
            if network is None:
                detour = Detour(self.database.port)
                self.ways.append(detour)
                ending.callback(detour.close)
                url = self.database.url_at("127.0.0.1", detour.port)
            else:
                url = self.database.url_at(network.database_host, self.database.port)
            node = Process.serving(self.file, url, options=["--lease", str(lease)], network=network)
            ending.callback(node.stop)
            node.start()
            self.nodes.append(node)

    def owner(self) -> int:
        """Return which node serves, waiting until one does."""
        end = time.monotonic() + _LONGEST
        while time.monotonic() < end:
            for place, node in enumerate(self.nodes):
                if node.is_ready("/readyz/killed"):
                    return place
            time.sleep(0.01)
        raise RuntimeError("no node serves")

    def wait_for(self, node: Process, path: str) -> None:
        """Wait until a node says that it is ready."""
        end = time.monotonic() + _LONGEST
        while not node.is_ready(path):
            if time.monotonic() > end:
                raise RuntimeError(f"a node is not ready: {node.stop()}")
            time.sleep(0.01)


Heal = Callable[[], None]
Break = Callable[[Cluster, int], Heal]


def _killed(cluster: Cluster, owner: int) -> Heal:
    node = cluster.nodes[owner]
    node.kill()
    return lambda: (node.start(), None)[1]


def _frozen(cluster: Cluster, owner: int) -> Heal:
    node = cluster.nodes[owner]
    node.signal(signal.SIGSTOP)
    return lambda: node.signal(signal.SIGCONT)


def _cut_off(cluster: Cluster, owner: int) -> Heal:
    way = cluster.ways[owner]
    way.cut()
    return way.heal


def _database_restarted(cluster: Cluster, owner: int) -> Heal:
    cluster.database.stop("immediate")
    cluster.database.start()
    return lambda: None


def _deployed(cluster: Cluster, owner: int) -> Heal:
    node = cluster.nodes[owner]
    node.signal(signal.SIGTERM)
    return lambda: (node.stop(), node.start(), None)[2]


FAULTS: dict[str, tuple[str, Break]] = {
    "killed": ("owner killed (SIGKILL)", _killed),
    "frozen": ("owner frozen (SIGSTOP), later woken", _frozen),
    "cut off": ("owner cut off from the database, clients still reach it", _cut_off),
    "database": ("PostgreSQL restarted, `-m immediate`", _database_restarted),
    "deploy": ("rolling deploy (SIGTERM)", _deployed),
}


class Findings(NamedTuple):
    """What was acknowledged over all owners, and what the log says."""

    fault: str
    lease: float
    told: Acknowledged
    events: int
    verified: int  # choices that were made again, and were the same
    epochs: int  # owners after each other
    decreasing: int  # epochs that are less than one before
    gaps: list[float]  # seconds in which nobody was answered, by round
    failures: int  # requests that a client gave up
    is_same: bool  # the state from snapshots is that of the whole log

    @property
    def limit(self) -> float:
        """The longest gap that is allowed, in seconds."""
        return _PLANNED if self.fault == "deploy" else 1.5 * self.lease

    @property
    def is_sound(self) -> bool:
        """Whether nothing was lost, doubled or out of order."""
        return not (self.told.lost or self.told.twice or self.decreasing) and self.is_same


def break_often(
    fault: str, n_rounds: int, lease: float = 2.0, n_customers: int = 6, seed: int = 0
) -> Findings:
    """Let customers ask two nodes of which one breaks again and again; return what became of it all."""
    luck, ends, gaps = random.Random(seed), threading.Event(), list[float]()
    happens = FAULTS[fault][1]
    with ExitStack() as ending:
        folder = ending.enter_context(tempfile.TemporaryDirectory())
        cluster = Cluster(Path(folder), lease, ending)
        addresses = [node.url for node in cluster.nodes]
        customers = [Customer(i, addresses, ends) for i in range(n_customers)]
        try:
            for customer in customers:
                customer.start()
            for _ in range(n_rounds):
                time.sleep(luck.uniform(0.2, 0.8))
                owner = cluster.owner()
                begin = time.monotonic()
                heal = happens(cluster, owner)
                if fault == "database":
                    begin = time.monotonic()  # how long it takes to start is its own affair
                    cluster.owner()
                else:
                    cluster.wait_for(cluster.nodes[1 - owner], "/readyz/killed")
                time.sleep(0.5)
                gaps.append(longest_gap(customers, begin, time.monotonic()))
                heal()
                cluster.wait_for(cluster.nodes[owner], "/readyz")
        finally:
            ends.set()
            for customer in customers:
                customer.join(90)
        return _judged(cluster, customers, fault, lease, gaps)


def _judged(
    cluster: Cluster, customers: list[Customer], fault: str, lease: float, gaps: list[float]
) -> Findings:
    problem = read_problem(cluster.file)
    log, session = PostgreSQLLog(cluster.database.url, "killed"), connect(cluster.database.url)
    try:
        rows = list(log.read())
        state, n_verified = verify(problem, rows)
        # Nobody asks any longer, so that the log stays as it is.
        is_same = recovered(problem, log).state.digest == state.digest
        return Findings(
            fault=fault,
            lease=lease,
            told=acknowledged(customers, rows),
            events=len(rows),
            verified=n_verified,
            epochs=len(list(log.epochs())),
            decreasing=asked(session, _DECREASING, ())[0][0],
            gaps=gaps,
            failures=sum(len(customer.failures) for customer in customers),
            is_same=is_same,
        )
    finally:
        log.close()
        session.close()


def table(every: list[Findings]) -> str:
    """Return what was found, a line for each fault."""
    lines = [
        "| fault | rounds | acknowledged | lost | twice | choices made again, all the same | epochs, none less "
        "than one before | gap in s: median, longest | allowed |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for each in every:
        told = each.told
        cells = (
            FAULTS[each.fault][0], len(each.gaps), f"{told.decisions + told.rewards:,}", told.lost, told.twice,
            f"{each.verified:,}", each.epochs if not each.decreasing else "NOT SO",
            f"{statistics.median(each.gaps):.2f}, {max(each.gaps):.2f}", f"{each.limit:g}",
        )  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def page(found: list[Findings]) -> str:
    """Return what the docs show."""
    way = "each in a network namespace of its own" if Network.is_possible() else "each by a proxy"
    return f"""# Faults of several nodes, measured

Each fault as `make faults-postgresql` plays it: two nodes, {way}, one PostgreSQL, a lease of {found[0].lease:g} s, six clients
that retry. A gap is the longest time in a round in which no client got a decision; where PostgreSQL is restarted, from the moment
when it answers again.

{table(found)}

Requests that a client gave up: {sum(each.failures for each in found)}. On 2 cores, with whatever else ran there.
"""


def main() -> None:
    """Break everything as often as the command line says; print a table and keep it for the docs."""
    if reason := missing():
        sys.exit(reason)
    n_rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    found = []
    for fault in FAULTS:
        found.append(break_often(fault, n_rounds))
        print(table(found[-1:]).splitlines()[-1], flush=True)
    PAGE.write_text(page(found))
    if not all(each.is_sound and max(each.gaps) <= each.limit for each in found):
        sys.exit("not all is as it must be")


if __name__ == "__main__":
    main()
