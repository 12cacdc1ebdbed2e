"""The pieces that the work of an experiment is cut into, and how one is played."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import polars as pl

import driftwise

from ...core.contract.records import to_plain
from ...core.engine.run import Run
from ...core.engine.simulate import simulate_all
from ...core.randomness.seeds import named_seed
from ..setup.building import Builder

__all__ = ["COLUMNS", "Cell", "Task", "file_name", "list_cells", "play", "seed_of", "task_of"]

# A cell this long takes less than a tenth of a second where there are two arms: enough to hide the
# cost of handing it out and keeping it, little enough to lose.
_CELL_ROUNDS = 2_500_000
# Few enough that an experiment with more replications can use the cells of one with fewer.
_CELL_REPLICATIONS = 10

COLUMNS = {
    "world": pl.String,
    "policy": pl.String,
    "horizon": pl.Int64,
    "replication": pl.Int64,
    "seed": pl.Int64,
    "round": pl.Int64,
    "regret": pl.Float64,  # cumulative, at that round
    "total_reward": pl.Float64,  # at the end of the run
}


class Cell(NamedTuple):
    """One policy in one world at one horizon, for some of the replications."""

    world: str
    policy: str
    horizon: int
    first: int  # replication
    last: int  # replication, too

    @property
    def id(self) -> str:
        """A name that a person can read: world/policy/T=horizon/replications."""
        return f"{self.world}/{self.policy}/T={self.horizon}/{self.first}-{self.last}"

    @property
    def rounds(self) -> int:
        """How many rounds it plays."""
        return self.horizon * (self.last - self.first + 1)


class Task(NamedTuple):
    """A cell with all that it takes to play it, anywhere."""

    cell: Cell
    policy: Any
    world: Any
    seeds: tuple[int, ...]  # of its replications
    checkpoints: int
    spacing: str

    def key(self, world_settings: dict[str, Any], code: str) -> str:
        """Return a digest of all that the result depends on.

        ``code`` is that of `digest_of` for policy and world.
        """
        told = {
            "cell": self.cell,  # labels included: they are part of what is stored
            "policy": to_plain(self.policy),
            "world": [type(self.world).__qualname__, repr(sorted(world_settings.items()))],
            "seeds": self.seeds,
            "checkpoints": [self.checkpoints, self.spacing],
            "code": [_package_digest(), code],
        }
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def list_cells(builder: Builder) -> Iterator[Cell]:
    """Yield all cells: early replications first, and the longest of them first.

    A run that is cut short then has about as many replications everywhere, and the last cell to
    finish is a short one.
    """
    n = builder.experiment.replications
    cells = [
        Cell(world, policy, horizon, first, min(first + size, n) - 1)
        for world, horizon in builder.experiment.settings
        for size in [max(1, min(_CELL_REPLICATIONS, _CELL_ROUNDS // horizon))]
        for first in range(0, n, size)
        for policy in builder.players(world, horizon)
    ]
    yield from sorted(cells, key=lambda cell: (cell.first / n, -cell.horizon))


def task_of(cell: Cell, builder: Builder) -> Task:
    """Return a cell with its world, its policy and its seeds.

    A seed depends on nothing but its name, and all policies share it: they meet the same noise.
    """
    experiment = builder.experiment
    return Task(
        cell,
        builder.policy(cell.policy, cell.world, cell.horizon),
        builder.world(cell.world, cell.horizon),
        _seeds(experiment.seed, cell._replace(policy="")),
        experiment.checkpoints,
        experiment.spacing,
    )


def seed_of(seed: int, world: str, horizon: int, replication: int) -> int:
    """Return the seed of one replication, given that of the experiment."""
    return named_seed(seed, f"{world}/T={horizon}/replication={replication}")


@lru_cache(maxsize=4096)
def _seeds(seed: int, cell: Cell) -> tuple[int, ...]:
    """Return the seeds of the replications of a cell, whoever plays it."""
    return tuple(
        seed_of(seed, cell.world, cell.horizon, replication)
        for replication in range(cell.first, cell.last + 1)
    )


def play(tasks: Sequence[Task]) -> list[pl.DataFrame]:
    """Play cells of the same replications, in rounds that are drawn once for all of them.

    Return a frame for each cell, with one row per replication and checkpoint; no number depends on
    which other cells are played with it.
    """
    first = tasks[0]
    runs = [
        simulate_all(
            [task.policy for task in tasks],
            first.world,
            seed=seed,
            checkpoints=first.checkpoints,
            spacing=first.spacing,  # type: ignore[arg-type]  # checked when the file was read
            quiet=True,
        )
        for seed in first.seeds
    ]
    return [_frame(task, own) for task, own in zip(tasks, zip(*runs, strict=True), strict=True)]


def _frame(task: Task, runs: Sequence[Run]) -> pl.DataFrame:
    rounds = runs[0].rounds  # those of all
    cell, n = task.cell, len(rounds)
    same = {"world": cell.world, "policy": cell.policy, "horizon": cell.horizon}
    others: dict[str, Any] = {
        "replication": np.repeat(np.arange(cell.first, cell.last + 1), n),
        "seed": np.repeat([run.seed for run in runs], n),
        "round": np.tile(rounds, len(runs)),
        "regret": np.concatenate([run.regret for run in runs]),
        "total_reward": np.repeat([run.total_reward for run in runs], n),
    }
    # By columns: Polars takes twice as long to find out what a dictionary holds.
    constant = {
        name: pl.Series(name, [value], COLUMNS[name]).new_from_index(0, n * len(runs))
        for name, value in same.items()
    }
    others = {name: pl.Series(name, values, COLUMNS[name]) for name, values in others.items()}
    return pl.DataFrame([(constant | others)[name] for name in COLUMNS])


def file_name(cell: Cell, key: str) -> str:
    """Return where a cell is kept: readable, and safe in any file system."""
    world, policy = (
        # Neither hidden, nor a way out of the folder, nor too long; the key tells equals apart.
        re.sub(r"[^\w.=-]+", "-", label).lstrip(".")[:80] or "-"
        for label in (cell.world, cell.policy)
    )
    return f"{world}/{policy}/T={cell.horizon}/{cell.first}-{cell.last}-{key}.arrows"


@lru_cache
def _package_digest() -> str:
    """Return a digest of the code that plays: a stored result must be of this very code."""
    versions = [driftwise.__version__, np.__version__, numba.__version__, sys.version]
    digest = hashlib.sha256(" ".join(versions).encode())
    folder = Path(driftwise.__file__).parent
    for part in ("core", "policies", "theory", "worlds"):
        for path in sorted((folder / part).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
