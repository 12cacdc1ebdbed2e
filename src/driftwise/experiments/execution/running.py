"""Playing the cells of an experiment that are not on disk yet, and keeping each one at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from typing import Any, NamedTuple

import polars as pl

from ...workers.engines import Engine
from ...workers.progress import Progress
from ..setup.building import Builder
from .cells import COLUMNS, Cell, Task, file_name, list_cells, play, task_of
from .sources import digest_of
from .store import Store

__all__ = ["Results", "collect", "play_missing"]

# A worker may be killed, or its machine may vanish: its cells are played again. If nothing comes
# back at all between two such deaths, the cells themselves are to blame.
_DEATHS = 3
_DEATH_NOTICES = (
    "TerminatedWorkerError",
    "BrokenProcessPool",
    "KilledWorker",
    "RayActorError",
    "ActorDiedError",
    "WorkerCrashedError",
)
# Cells that are played together have their rounds drawn once; so much may be lost with a worker.
_MOST_ROUNDS = 5_000_000
_LEAST_PARTS = 32  # so that nobody waits long for the last one


class Results(NamedTuple):
    """What is known of an experiment: all rows, in an order of their own, and what is missing."""

    numbers: pl.DataFrame
    missing: tuple[Cell, ...]


def play_missing(builder: Builder, store: Store, engine: Engine, progress: Progress) -> bool:
    """Play all cells that are not in the store; return False if Ctrl-C stopped it."""
    progress.say("Preparing")
    names: dict[Cell, str] = {}
    waiting: dict[Cell, Task] = {}
    for task, name in _named(builder, list_cells(builder)):
        cell = task.cell
        names[cell] = name
        if store.load(names[cell]) is None:
            waiting[cell] = task
        else:
            progress.skip(cell.rounds)
    deaths = 0
    try:
        while waiting:
            progress.say("Playing")
            try:
                # Closed here and not when it is collected: one Ctrl-C inside Polars is raised by
                # Polars and then by Python, and nobody would catch the second.
                with closing(engine(_play, _together(list(waiting.values())))) as results:
                    for finished in results:
                        for cell, frame in finished:
                            store.save(names[cell], frame)
                            del waiting[cell]
                            progress.advance(cell.rounds)
                        deaths = 0
            except Exception as error:
                deaths += 1
                if type(error).__name__ not in _DEATH_NOTICES or deaths >= _DEATHS:
                    raise
                progress.say("A worker died; continuing without it")
    except KeyboardInterrupt:
        return False
    return True


def collect(builder: Builder, store: Store) -> Results:
    """Return all finished cells of an experiment in one frame.

    The order is that of the experiment, whoever finished first.
    """
    experiment = builder.experiment
    frames, missing = [pl.DataFrame(schema=COLUMNS)], []
    ranks = [
        {entry.label: i for i, entry in enumerate(entries)}
        for entries in (experiment.worlds, experiment.policies)
    ]
    cells = sorted(
        list_cells(builder),
        key=lambda cell: (ranks[0][cell.world], ranks[1][cell.policy], cell.horizon, cell.first),
    )
    for task, name in _named(builder, cells):
        frame = store.load(name)
        if frame is None:
            missing.append(task.cell)
        else:
            frames.append(frame)
    return Results(pl.concat(frames), tuple(missing))


def _together(tasks: Sequence[Task]) -> list[list[Task]]:
    """Return which cells to play on the same rounds: those of the same replications.

    Not too many at a time: if a worker dies, they die with it, and every worker should have some.
    """
    most = min(_MOST_ROUNDS, sum(task.cell.rounds for task in tasks) // _LEAST_PARTS)
    groups = []
    for _, alike in groupby(tasks, lambda task: task.cell._replace(policy="")):
        shared = list(alike)
        size = max(1, most // shared[0].cell.rounds)
        groups += [shared[first : first + size] for first in range(0, len(shared), size)]
    return groups


def _play(tasks: Sequence[Task]) -> list[tuple[Cell, pl.DataFrame]]:
    return [(task.cell, frame) for task, frame in zip(tasks, play(tasks), strict=True)]


def _named(builder: Builder, cells: Iterable[Cell]) -> Iterator[tuple[Task, str]]:
    """Yield tasks, and where their results are kept."""
    known: dict[tuple[str, str, int], tuple[dict[str, Any], str]] = {}
    for cell in cells:
        task = task_of(cell, builder)
        pair = cell.world, cell.policy, cell.horizon
        if pair not in known:  # the same for all replications
            settings = builder.settings(cell.world, cell.horizon)
            known[pair] = settings, digest_of([task.policy, task.world])
        yield task, file_name(cell, task.key(*known[pair]))
