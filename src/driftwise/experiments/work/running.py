"""Playing the cells of an experiment that are not on disk yet, and keeping each one at once."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ..description.building import Builder
from ..progress import Progress
from .cells import COLUMNS, Cell, Task, file_name, list_cells, play, task_of
from .engines import Engine
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


class Results(NamedTuple):
    """What is known of an experiment: all rows, in an order of their own, and what is missing."""

    numbers: pl.DataFrame
    missing: tuple[Cell, ...]


def play_missing(builder: Builder, store: Store, engine: Engine, progress: Progress) -> bool:
    """Play all cells that the store has not got; return False if Ctrl-C stopped it."""
    progress.say("Preparing")
    names: dict[Cell, str] = {}
    waiting: dict[Cell, Task] = {}
    for cell in list_cells(builder):
        task = task_of(cell, builder)
        names[cell] = _name_of(task, builder)
        if store.load(names[cell]) is None:
            waiting[cell] = task
        else:
            progress.skip(cell.rounds)
    deaths = 0
    try:
        while waiting:
            progress.say("Playing")
            try:
                for cell, frame in engine(_play, list(waiting.values())):
                    store.save(names[cell], frame)
                    del waiting[cell]
                    progress.advance(cell.rounds)
                    deaths = 0
            except Exception as error:
                deaths += 1
                if type(error).__name__ not in _DEATH_NOTICES or deaths >= _DEATHS:
                    raise
                progress.say("A worker died; going on without it")
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
    for cell in cells:
        frame = store.load(_name_of(task_of(cell, builder), builder))
        if frame is None:
            missing.append(cell)
        else:
            frames.append(frame)
    return Results(pl.concat(frames), tuple(missing))


def _play(task: Task) -> tuple[Cell, pl.DataFrame]:
    return task.cell, play(task)


def _name_of(task: Task, builder: Builder) -> str:
    cell = task.cell
    return file_name(cell, task.key(builder.settings(cell.world, cell.horizon)))
