"""What a log grows by, and how far one owner goes: the table of ``docs/service/sizing-measured.md``."""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driftwise.service.clock import Clock
from driftwise.service.engine import Engine
from driftwise.service.problem.reading import parse_problem
from driftwise.service.requests import DecisionRequest, RewardRequest
from driftwise.service.state import State
from driftwise.service.stores.leases import Leases
from driftwise.service.stores.places import Place, place_of

from .database import Database, missing

PAGE = Path(__file__).parents[2] / "docs" / "service" / "sizing-measured.md"
PROBLEMS = {
    "3 arms": 'arms = ["low", "middle", "high"]\n',
    "10 actions of 10 numbers": "[actions]\ndimension = 10\n",
}
_PLANNED = "10 actions of 10 numbers"
RATES = (1, 100, 1_000, 10_000, 100_000, 1_000_000)
_BATCH = 64
_ROOM = 0.5  # of what was measured, to be planned with: HTTP takes as much again


class Sized(NamedTuple):
    """What decisions with their rewards take."""

    bytes: float  # of the log, by decision
    rate: float  # durable decisions a second, without HTTP


def sized(text: str, n_decisions: int, place: Place) -> Sized:
    """Return what a problem takes in an empty place."""
    problem = parse_problem(text, "sized")
    rows = (np.random.default_rng(0).normal(size=(10, 10)) / 4).tolist()
    actions = None if problem.arms else rows
    store = place.open()
    engine = Engine(problem, State(problem), None, store.find, Clock())
    engine.state.learner.agent.warm_up()
    size = store.size()
    begin = time.perf_counter()
    for i in range(n_decisions):
        made = engine.decide(DecisionRequest(f"order-{i:08d}", actions=actions))
        engine.reward(RewardRequest(made.id, float(i % 2)))
        if len(engine.queue) >= _BATCH:
            store.append(engine.queue)
            engine.queue = []
    store.append(engine.queue)
    seconds = time.perf_counter() - begin
    store.close()
    with closing(place.log()) as log:
        return Sized((log.size() - size) / n_decisions, n_decisions / seconds)


def places() -> Iterator[tuple[str, Place]]:
    """Yield an empty place of each kind that is here, with its name."""
    with tempfile.TemporaryDirectory(prefix="driftwise-sizing-") as folder, ExitStack() as ending:
        file = Path(folder) / "sized.toml"
        yield "SQLite", place_of(None, file, "sized")
        if reason := missing():
            print(f"PostgreSQL is left out: {reason}")
            return
        database = ending.enter_context(closing(Database()))
        database.start()
        leases = ending.enter_context(closing(Leases(database.url, "http://here")))
        yield "PostgreSQL", place_of(database.url, file, "sized", leases)


def page(found: dict[tuple[str, str], Sized]) -> str:
    """Return the page of what was measured by problem and store."""
    kinds = "\n".join(
        f"| {name} | {store} | {each.bytes:,.0f} | {each.rate:,.0f} |"
        for (name, store), each in found.items()
    )
    alone = found[_PLANNED, "SQLite"]
    rows = "\n".join(
        _row(rate, alone, found.get((_PLANNED, "PostgreSQL"), alone)) for rate in RATES
    )
    return f"""# Sizing, measured

By `make bench-sizing`: decisions with ids and their rewards, committed {_BATCH} events at a time, without HTTP;
`make bench-service` measures the whole way, and `make bench-fleet` many small problems.

| problem | log in | bytes of log a decision with its reward | durable decisions a second, in one thread |
|---|---|---:|---:|
{kinds}

From that, for {_PLANNED}; owners are planned with {_ROOM:.0%} of what was measured, on SQLite where one is enough, else on
PostgreSQL:

| decisions a second | log a day | owners, and problems at least | what becomes the bottleneck | and then |
|---:|---:|---:|---|---|
{rows}

An owner is one process, and a problem has one owner: learning has one order. So more owners need more problems, such as one
for each shop, country or placement. The largest rows are arithmetic: nobody has run them here.
"""


def _row(rate: int, alone: Sized, shared: Sized) -> str:
    is_enough = rate <= _ROOM * alone.rate
    owners = 1 if is_enough else max(2, math.ceil(rate / (_ROOM * shared.rate)))
    day = rate * 86_400 * (alone if is_enough else shared).bytes / 1e9
    if owners == 1 and day < 100:
        what, then = "nothing", "SQLite on one machine; `archive` when the disk fills"
    elif owners == 1:
        what, then = "the disk", 'archive each day, or `[log] rows = "chosen"`'
    elif owners <= 4:
        what, then = "one process", "several problems, two nodes or more, one PostgreSQL"
    else:
        what, then = (
            "one PostgreSQL",
            "several databases, each with its nodes and its part of the problems; a proxy hashes on `/v1/NAME`",
        )
    return f"| {rate:,} | {day:,.1f} GB | {owners:,} | {what} | {then} |"


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    text = page(
        {
            (name, kind): sized(text, n, place)
            for name, text in PROBLEMS.items()
            for kind, place in places()
        }
    )
    PAGE.write_text(text, "utf-8")
    print(text)
